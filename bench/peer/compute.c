// Operations that do much with each element.
#include "peer.h"

#include <math.h>
#include <string.h>

static void exp_loop(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float *x = j->x;
  float *restrict out = j->out;
  (void)a;
  for (int64_t i = lo; i < hi; i++) out[i] = expf(x[i]);
}

static inline void exps(const float *x, float *out, int64_t n, int streaming) {
  int64_t i = 0;
  for (; i + 4 * LF <= n; i += 4 * LF)
    for (int k = 0; k < 4; k++) {
      vf v = exp_vf(*(const vf *)(x + i + k * LF));
      if (streaming) stream_store(out + i + k * LF, v);
      else *(vf *)(out + i + k * LF) = v;
    }
  for (; i < n; i++) out[i] = exp_vf((vf){x[i]})[0];
}

static void exp_poly(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  (void)a;
  exps((const float *)j->x + lo, (float *)j->out + lo, hi - lo, 0);
}

static void exp_stream(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  (void)a;
  exps((const float *)j->x + lo, (float *)j->out + lo, hi - lo, 1);
  stream_end();
}

static inline int bucket(float v) {
  v = v * 32 + 32;
  v = v < 0 ? 0 : v;
  return (int)(v > BUCKETS - 1 ? BUCKETS - 1 : v);
}

static void histogram_loop(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float *x = j->x;
  for (int64_t i = lo; i < hi; i++) a->table[bucket(x[i])]++;
}

// Several tables keep equal buckets in a row from waiting for each other; the
// bucket numbers are computed by vectors, some at a time.
static void histogram_tables(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  enum { TABLES = 4, BATCH = 512 };
  const float *x = j->x;
  int32_t table[TABLES][BUCKETS] = {0}, at[BATCH];
  int64_t i = lo;
  for (; i + BATCH <= hi; i += BATCH) {
    for (int k = 0; k < BATCH; k++) at[k] = bucket(x[i + k]);
    for (int k = 0; k < BATCH; k += TABLES)
      for (int t = 0; t < TABLES; t++) table[t][at[k + t]]++;
  }
  for (; i < hi; i++) table[0][bucket(x[i])]++;
  for (int t = 0; t < TABLES; t++)
    for (int k = 0; k < BUCKETS; k++) a->table[k] += table[t][k];
}

static inline void assign(struct acc *a, const float *p, int k) {
  for (int d = 0; d < D; d++) a->sums[k][d] += p[d];
  a->counts[k]++;
}

static void kmeans_loop(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const float(*x)[D] = j->x, (*c)[D] = j->y;
  for (int64_t i = lo; i < hi; i++) {
    int best = 0;
    float least = 3e38f;
    for (int k = 0; k < K; k++) {
      float s = 0;
      for (int d = 0; d < D; d++) s += (c[k][d] - x[i][d]) * (c[k][d] - x[i][d]);
      if (s < least) least = s, best = k;
    }
    assign(a, x[i], best);
  }
}

// Lanes are points: a batch of them is transposed first.
static void kmeans_points(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  enum { BATCH = 8 * LF };
  const float(*x)[D] = j->x, (*c)[D] = j->y;
  float t[D][BATCH];
  int32_t nearest[BATCH];
  int64_t i = lo;
  for (; i + BATCH <= hi; i += BATCH) {
    for (int p = 0; p < BATCH; p++)
      for (int d = 0; d < D; d++) t[d][p] = x[i + p][d];
    for (int p = 0; p < BATCH; p += 2 * LF) {
      vf least[2];
      vi best[2] = {0};
      for (int k = 0; k < K; k++) {
        vf s[2] = {0};
        for (int d = 0; d < D; d++)
          for (int h = 0; h < 2; h++) {
            vf e = *(const vf *)&t[d][p + h * LF] - c[k][d];
            s[h] += e * e;
          }
        for (int h = 0; h < 2; h++) {
          vi m = s[h] < least[h];
          if (k == 0) m = (vi){0} - 1;
          least[h] = choose(m, s[h], least[h]);
          best[h] = ((((vi){0} + k)) & m) | (best[h] & ~m);
        }
      }
      for (int h = 0; h < 2; h++) memcpy(nearest + p + h * LF, &best[h], W);
    }
    for (int p = 0; p < BATCH; p++) assign(a, x[i + p], nearest[p]);
  }
  kmeans_loop(j, i, hi, a);
}

// The mean and the deviation of each window; out has all means first.
static void rolling_loop(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  const double *x = j->x;
  double *restrict mean = j->out, *restrict deviation = mean + j->n;
  (void)a;
  for (int64_t i = lo; i < hi; i++) {
    double s = 0, q = 0;
    for (int k = 0; k < WINDOW; k++) s += x[i + k];
    s *= 1.0 / WINDOW;
    for (int k = 0; k < WINDOW; k++) q += (x[i + k] - s) * (x[i + k] - s);
    mean[i] = s;
    deviation[i] = sqrt(q * (1.0 / WINDOW));
  }
}

// Lanes are windows.
static void rolling_windows(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  enum { AT_ONCE = 4 };
  const double *x = j->x;
  double *mean = j->out, *deviation = mean + j->n;
  int64_t i = lo;
  for (; i + AT_ONCE * LD <= hi; i += AT_ONCE * LD) {
    vd s[AT_ONCE] = {0}, q[AT_ONCE] = {0};
    for (int k = 0; k < WINDOW; k++)
      for (int l = 0; l < AT_ONCE; l++) s[l] += *(const vd *)(x + i + k + l * LD);
    for (int l = 0; l < AT_ONCE; l++) s[l] *= 1.0 / WINDOW;
    for (int k = 0; k < WINDOW; k++)
      for (int l = 0; l < AT_ONCE; l++) {
        vd e = *(const vd *)(x + i + k + l * LD) - s[l];
        q[l] += e * e;
      }
    for (int l = 0; l < AT_ONCE; l++) {
      *(vd *)(mean + i + l * LD) = s[l];
      double root[LD];
      memcpy(root, &q[l], W);
      for (int k = 0; k < LD; k++) deviation[i + l * LD + k] = sqrt(root[k] * (1.0 / WINDOW));
    }
  }
  rolling_loop(j, i, hi, a);
}

// Multiplications and additions of registers, as many at once as a processor
// may have under way: n rounds of 2 × CHAINS × LF operations. With fused ones
// this is the processor's peak.
enum { CHAINS = 12 };
static inline void peak(int64_t lo, int64_t hi, struct acc *a, int fused) {
  vf s[CHAINS], by = (vf){0} + 0.999f, plus = (vf){0} + 0.001f;
  for (int k = 0; k < CHAINS; k++) s[k] = (vf){0} + (float)k;
  for (int64_t i = lo; i < hi; i++)
    for (int k = 0; k < CHAINS; k++) {
      vf p = s[k] * by;
      if (!fused) OPAQUE(p);
      s[k] = p + plus;
      OPAQUE(s[k]);  // or several rounds would become one
    }
  for (int k = 0; k < CHAINS; k++) a->sum += lanes(s[k]);
}

static void peak_fused(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  (void)j;
  peak(lo, hi, a, 1);
}

static void peak_apart(const struct job *j, int64_t lo, int64_t hi, struct acc *a) {
  (void)j;
  peak(lo, hi, a, 0);
}

static void give_table(struct job *j) { memcpy(j->out, j->all.table, sizeof j->all.table); }

static void give_means(struct job *j) {
  float *out = j->out;
  for (int k = 0; k < K; k++)
    for (int d = 0; d < D; d++) out[k * D + d] = j->all.sums[k][d] / j->all.counts[k];
}

static void give_flops(struct job *j) { *(double *)j->out = 2.0 * CHAINS * LF * j->n; }

const struct form compute_forms[] = {
    {"exp", "libmvec", {exp_loop}, 0},
    {"exp", "polynomial", {exp_poly}, 0},
    {"exp", "polynomial, streaming stores", {exp_stream}, 0},
    {"histogram", "loop", {histogram_loop}, give_table},
    {"histogram", "four tables", {histogram_tables}, give_table},
    {"kmeans", "loop", {kmeans_loop}, give_means},
    {"kmeans", "lanes of points", {kmeans_points}, give_means},
    {"rolling", "loop", {rolling_loop}, 0},
    {"rolling", "lanes of windows", {rolling_windows}, 0},
    {"peak fused", "", {peak_fused}, give_flops},
    {"peak apart", "", {peak_apart}, give_flops},
    {0},
};
