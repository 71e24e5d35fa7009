// Operations that do little with each element.
#include "peer.h"

#include <math.h>

static inline uint64_t touch(const uint64_t *x, const uint64_t *y, int64_t n) {
  vu s[8] = {0};
  int64_t i = 0;
  for (; i + 4 * LD <= n; i += 4 * LD)
    for (int k = 0; k < 4; k++) s[k] ^= *(const vu *)(x + i + k * LD), s[k + 4] ^= *(const vu *)(y + i + k * LD);
  uint64_t total = 0;
  for (int k = 0; k < 8; k++)
    for (int l = 0; l < LD; l++) total ^= s[k][l];
  for (; i < n; i++) total ^= x[i] ^ y[i];
  return total;
}

// Reading and nothing else: the bandwidth that limits everything below. One
// stream, or two at a distance.
static void touch_near(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const uint64_t *x = j->x;
  enum { NEAR = 64 };
  for (; lo + 2 * NEAR <= hi; lo += 2 * NEAR) a->table[0] ^= (int64_t)touch(x + lo, x + lo + NEAR, NEAR);
  for (; lo < hi; lo++) a->table[0] ^= (int64_t)x[lo];
}

static void touch_far(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const uint64_t *x = j->x;
  int64_t half = (hi - lo) / 2;
  a->table[0] ^= (int64_t)touch(x + lo, x + lo + half, half);
  if ((hi - lo) & 1) a->table[0] ^= (int64_t)x[hi - 1];
}

static void sum_loop(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float *x = j->x;
  float s = 0;
  for (int64_t i = lo; i < hi; i++) s += x[i];
  a->sum += s;
}

static void sum_lanes(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float *x = j->x;
  vf s[8] = {0};
  int64_t i = lo;
  for (; i + 8 * LF <= hi; i += 8 * LF)
    for (int k = 0; k < 8; k++) s[k] += *(const vf *)(x + i + k * LF);
  a->sum += lanes(((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
  for (; i < hi; i++) a->sum += x[i];
}

static void dot_loop(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const double *x = j->x, *y = j->y;
  double s = 0;
  for (int64_t i = lo; i < hi; i++) s += x[i] * y[i];
  a->sum += s;
}

static void dot_lanes(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const double *x = j->x, *y = j->y;
  vd s[8] = {0};
  int64_t i = lo;
  for (; i + 8 * LD <= hi; i += 8 * LD)
    for (int k = 0; k < 8; k++) s[k] += *(const vd *)(x + i + k * LD) * *(const vd *)(y + i + k * LD);
  vd t = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
  for (int k = 0; k < LD; k++) a->sum += t[k];
  for (; i < hi; i++) a->sum += x[i] * y[i];
}

static void filtered_loop(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float *x = j->x;
  float s = 0;
  int32_t n = 0;
  for (int64_t i = lo; i < hi; i++) {
    s += x[i] > 0.25f ? x[i] : 0;
    n += x[i] > 0.25f;
  }
  a->sum += s, a->count += n;
}

static void filtered_lanes(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float *x = j->x;
  vf s[4] = {0};
  vi n[4] = {0};
  int64_t i = lo;
  for (; i + 4 * LF <= hi; i += 4 * LF)
    for (int k = 0; k < 4; k++) {
      vf v = *(const vf *)(x + i + k * LF);
      vi m = v > 0.25f;
      s[k] += (vf)((vi)v & m);
      n[k] -= m;
    }
  a->sum += lanes((s[0] + s[1]) + (s[2] + s[3]));
  vi t = (n[0] + n[1]) + (n[2] + n[3]);
  for (int k = 0; k < LF; k++) a->count += t[k];
  for (; i < hi; i++)
    if (x[i] > 0.25f) a->sum += x[i], a->count++;
}

static void axpy_loop(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float *x = j->x, *y = j->y;
  float *restrict out = j->out;
  (void)a;
  for (int64_t i = lo; i < hi; i++) out[i] = x[i] * 1.5f + y[i];
}

static void axpy_stream(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float *x = j->x, *y = j->y;
  float *out = j->out;
  int64_t i = lo;
  (void)a;
  for (; i + LF <= hi; i += LF) stream_store(out + i, *(const vf *)(x + i) * 1.5f + *(const vf *)(y + i));
  for (; i < hi; i++) out[i] = x[i] * 1.5f + y[i];
  stream_end();
}

static void max_loop(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float *x = j->x;
  float m = x[lo];
  for (int64_t i = lo; i < hi; i++) m = x[i] > m ? x[i] : m;
  a->max = m > a->max ? m : a->max;
}

static void max_lanes(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float *x = j->x;
  vf m[4];
  float best = x[lo];
  int64_t i = lo;
  if (hi - lo >= 4 * LF) {
    for (int k = 0; k < 4; k++) m[k] = *(const vf *)(x + lo + k * LF);
    for (i = lo + 4 * LF; i + 4 * LF <= hi; i += 4 * LF)
      for (int k = 0; k < 4; k++) {
        vf v = *(const vf *)(x + i + k * LF);
        m[k] = choose(v > m[k], v, m[k]);
      }
    for (int k = 0; k < 4; k++)
      for (int l = 0; l < LF; l++) best = m[k][l] > best ? m[k][l] : best;
  }
  for (; i < hi; i++) best = x[i] > best ? x[i] : best;
  a->max = best > a->max ? best : a->max;
}

// With the compiler's own vectors of expf, which -ffast-math and libmvec allow.
static void exps_loop(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float *x = j->x;
  float *restrict out = j->out, max = j->all.max, s = 0;
  for (int64_t i = lo; i < hi; i++) {
    float v = expf(x[i] - max);
    s += v;
    out[i] = v;
  }
  a->sum += s;
}

// The sum of e^(x-max), which is kept in out if there is one.
static inline void exps(const float *x, float *out, float max, int64_t n, struct acc *a) {
  vf s[4] = {0};
  int64_t i = 0;
  for (; i + 4 * LF <= n; i += 4 * LF)
    for (int k = 0; k < 4; k++) {
      vf v = exp_vf(*(const vf *)(x + i + k * LF) - max);
      s[k] += v;
      if (out) *(vf *)(out + i + k * LF) = v;
    }
  a->sum += lanes((s[0] + s[1]) + (s[2] + s[3]));
  for (; i < n; i++) {
    float v = exp_vf((vf){x[i] - max})[0];
    a->sum += v;
    if (out) out[i] = v;
  }
}

static void exps_keep(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  exps((const float *)j->x + lo, (float *)j->out + lo, j->all.max, hi - lo, a);
}

static void exps_forget(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  exps((const float *)j->x + lo, 0, j->all.max, hi - lo, a);
}

static void scale(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  float *out = j->out, by = 1 / j->all.sum;
  (void)a;
  for (int64_t i = lo; i < hi; i++) out[i] *= by;
}

static void exps_again(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float *x = j->x;
  float *out = j->out, max = j->all.max, by = 1 / j->all.sum;
  int64_t i = lo;
  (void)a;
  for (; i + 2 * LF <= hi; i += 2 * LF)
    for (int k = 0; k < 2; k++) stream_store(out + i + k * LF, exp_vf(*(const vf *)(x + i + k * LF) - max) * by);
  for (; i < hi; i++) out[i] = exp_vf((vf){x[i] - max})[0] * by;
  stream_end();
}

static void give_sum(struct job *j) { *(double *)j->out = j->all.sum; }
static void give_mean(struct job *j) { *(double *)j->out = j->all.sum / j->all.count; }
static void give_touched(struct job *j) { *(double *)j->out = (double)(j->all.table[0] & 1); }

const struct form stream_forms[] = {
    {"touch", "one stream", {touch_near}, give_touched},
    {"touch", "two streams", {touch_far}, give_touched},
    {"sum", "loop", {sum_loop}, give_sum},
    {"sum", "lanes", {sum_lanes}, give_sum},
    {"dot", "loop", {dot_loop}, give_sum},
    {"dot", "lanes", {dot_lanes}, give_sum},
    {"filtered", "loop", {filtered_loop}, give_mean},
    {"filtered", "lanes", {filtered_lanes}, give_mean},
    {"axpy", "loop", {axpy_loop}, 0},
    {"axpy", "streaming stores", {axpy_stream}, 0},
    {"softmax", "libmvec", {max_loop, exps_loop, scale}, 0},
    {"softmax", "polynomial, exponentials kept", {max_lanes, exps_keep, scale}, 0},
    {"softmax", "polynomial, exponentials twice", {max_lanes, exps_forget, exps_again}, 0},
    {0},
};
