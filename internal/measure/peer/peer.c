// The reference of the stream and table benchmarks: what a careful C
// programmer writes for one machine. It lives as a child process, reads one
// command per line and answers `ok SECONDS RESULT`, or `error WHAT`.
//
//   file  SLOT PATH OFFSET BYTES        a slot is a part of a file …
//   hold  SLOT PATH OFFSET BYTES        … or a copy of it in memory, in huge pages
//   plain SLOT PATH OFFSET BYTES        … or in the pages that every process gets
//   drop  SLOT
//   save  PATH                          the file that operations with the variant "save" write
//   OP    HOW THREADS SLOT SLOT N       runs an operation over N elements
//
// HOW is where the operands come from: ram, populate, advise, read, direct.
// Work is cut into blocks that threads claim one after the other, so that a
// disturbed thread does not hold up the other.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#ifndef MAP_POPULATE
#define MAP_POPULATE 0
#endif
#ifndef O_DIRECT
#define O_DIRECT 0
#endif

#if defined __AVX512F__
#define W 64
#elif defined __AVX__
#define W 32
#else
#define W 16
#endif
typedef float vf __attribute__((vector_size(W), aligned(4)));
typedef int32_t vi __attribute__((vector_size(W), aligned(4)));
typedef double vd __attribute__((vector_size(W), aligned(8)));
typedef uint64_t vu __attribute__((vector_size(W), aligned(8)));
enum { LF = W / 4, LD = W / 8, PAGE = 4096, HUGE_PAGE = 2 << 20, SLOTS = 8, KEYS = 32, MAXTHREADS = 256 };

struct slot {
  int fd, direct;
  int64_t offset, bytes;
  char *ram;   // what was copied
  int64_t room;  // size of that mapping
};
static struct slot slots[SLOTS];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

// Memory, with huge pages if they are asked for and the system has them.
static char *room(int64_t n, int huge) {
  char *p = mmap(0, n + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return 0;
  char *q = (char *)(((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
  if (q > p) munmap(p, q - p);
  munmap(q + n, p + HUGE_PAGE - q);
#ifdef MADV_HUGEPAGE
  if (huge) madvise(q, n, MADV_HUGEPAGE);
#endif
  return q;
}

// ---- operations on one block: n elements at x and y, result at out ----

struct acc {
  double sum, max;
  double sums[KEYS];
  int64_t counts[KEYS];
};

// Lane by lane, x where m has ones, otherwise y.
static inline vf choose(vi m, vf x, vf y) { return (vf)(((vi)x & m) | ((vi)y & ~m)); }

static float lanes(vf v) {
  float s = 0;
  for (int i = 0; i < LF; i++) s += v[i];
  return s;
}

// Sums stay in f32 within 8192 elements and are added up in f64.
static double sum_f32(const float *x, int64_t n) {
  double total = 0;
  int64_t i = 0;
  while (i + 8 * LF <= n) {
    int64_t end = n - i > 8192 ? i + 8192 : i + (n - i) / (8 * LF) * (8 * LF);
    vf a[8] = {0};
    for (; i < end; i += 8 * LF)
      for (int j = 0; j < 8; j++) a[j] += *(const vf *)(x + i + j * LF);
    total += lanes(((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7])));
  }
  for (; i < n; i++) total += x[i];
  return total;
}

static double filtered_f32(const float *x, int64_t n) {
  double total = 0;
  int64_t i = 0;
  while (i + 8 * LF <= n) {
    int64_t end = n - i > 8192 ? i + 8192 : i + (n - i) / (8 * LF) * (8 * LF);
    vf a[8] = {0};
    for (; i < end; i += 8 * LF)
      for (int j = 0; j < 8; j++) {
        vf v = *(const vf *)(x + i + j * LF);
        a[j] += (vf)((vi)v & (v > 0.25f));
      }
    total += lanes(((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7])));
  }
  for (; i < n; i++) total += x[i] > 0.25f ? x[i] : 0;
  return total;
}

static double dot_f64(const double *x, const double *y, int64_t n) {
  vd a[8] = {0};
  int64_t i = 0;
  for (; i + 8 * LD <= n; i += 8 * LD)
    for (int j = 0; j < 8; j++) a[j] += *(const vd *)(x + i + j * LD) * *(const vd *)(y + i + j * LD);
  vd s = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
  double total = 0;
  for (int j = 0; j < LD; j++) total += s[j];
  for (; i < n; i++) total += x[i] * y[i];
  return total;
}

// Reading and nothing else: the bandwidth that limits everything above.
static double touch(const uint64_t *x, int64_t n) {
  vu a[8] = {0};
  int64_t i = 0;
  for (; i + 8 * LD <= n; i += 8 * LD)
    for (int j = 0; j < 8; j++) a[j] ^= *(const vu *)(x + i + j * LD);
  uint64_t total = 0;
  for (int j = 0; j < 8; j++)
    for (int k = 0; k < LD; k++) total ^= a[j][k];
  for (; i < n; i++) total ^= x[i];
  return (double)(total >> 32);
}

// Stores that do not read what they overwrite.
static inline void stream_store(float *p, vf v) {
#if defined __AVX512F__
  _mm512_stream_ps(p, (__m512)v);
#elif defined __AVX__
  _mm256_stream_ps(p, (__m256)v);
#elif defined __x86_64__
  _mm_stream_ps(p, (__m128)v);
#else
  *(vf *)p = v;
#endif
}

static void axpy_f32(const float *x, const float *y, float *out, int64_t n, int streaming) {
  int64_t i = 0;
  if (streaming)
    for (; i + LF <= n; i += LF) stream_store(out + i, *(const vf *)(x + i) * 1.5f + *(const vf *)(y + i));
  else
    for (; i + LF <= n; i += LF) *(vf *)(out + i) = *(const vf *)(x + i) * 1.5f + *(const vf *)(y + i);
  for (; i < n; i++) out[i] = x[i] * 1.5f + y[i];
#ifdef __x86_64__
  if (streaming) _mm_sfence();
#endif
}

static double max_f32(const float *x, int64_t n) {
  vf a[4];
  float best = x[0];
  int64_t i = 0;
  if (n >= 4 * LF) {
    for (int j = 0; j < 4; j++) a[j] = *(const vf *)(x + j * LF);
    for (i = 4 * LF; i + 4 * LF <= n; i += 4 * LF)
      for (int j = 0; j < 4; j++) {
        vf v = *(const vf *)(x + i + j * LF);
        a[j] = choose(v > a[j], v, a[j]);
      }
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < LF; k++) best = a[j][k] > best ? a[j][k] : best;
  }
  for (; i < n; i++) best = x[i] > best ? x[i] : best;
  return best;
}

// e^x for x <= 0, within 2 units in the last place (Cephes' polynomial).
static inline vf exp_vf(vf x) {
  x = choose(x < -87.0f, (vf){0} - 87.0f, x);
  vf k = x * 1.44269504f + 12582912.0f;
  vi e = (vi)k << 23;
  k -= 12582912.0f;
  vf r = x - k * 0.693359375f + k * 2.12194440e-4f;
  vf p = 1.9875691500e-4f * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  return (vf)((vi)p + e);
}

static float exp_f32(float x) {
  vf v = {x};
  return exp_vf(v)[0];
}

// The sum of e^(x-max), which is kept in out unless that is 0.
static double exps_f32(const float *x, float *out, float max, int64_t n) {
  double total = 0;
  int64_t i = 0;
  while (i + 4 * LF <= n) {
    int64_t end = n - i > 8192 ? i + 8192 : i + (n - i) / (4 * LF) * (4 * LF);
    vf a[4] = {0};
    for (; i < end; i += 4 * LF)
      for (int j = 0; j < 4; j++) {
        vf v = exp_vf(*(const vf *)(x + i + j * LF) - max);
        a[j] += v;
        if (out) *(vf *)(out + i + j * LF) = v;
      }
    total += lanes((a[0] + a[1]) + (a[2] + a[3]));
  }
  for (; i < n; i++) {
    float v = exp_f32(x[i] - max);
    total += v;
    if (out) out[i] = v;
  }
  return total;
}

static void scale_f32(float *x, float by, int64_t n) {
  int64_t i = 0;
  for (; i + LF <= n; i += LF) *(vf *)(x + i) *= by;
  for (; i < n; i++) x[i] *= by;
}

static void exps_scaled_f32(const float *x, float *out, float max, float by, int64_t n) {
  int64_t i = 0;
  for (; i + 2 * LF <= n; i += 2 * LF)
    for (int j = 0; j < 2; j++) stream_store(out + i + j * LF, exp_vf(*(const vf *)(x + i + j * LF) - max) * by);
  for (; i < n; i++) out[i] = exp_f32(x[i] - max) * by;
#ifdef __x86_64__
  _mm_sfence();
#endif
}

// The means of delays over 15 minutes by hundreds of miles. Adding
// selected values avoids branches that cannot be foreseen; two tables keep
// equal keys in a row from waiting for each other.
static void group_i16(const int16_t *delay, const int16_t *distance, int64_t n, struct acc *a) {
  int64_t sums[2][KEYS + 1] = {0}, counts[2][KEYS + 1] = {0};
  for (int64_t i = 0; i < n; i++) {
    int k = distance[i] / 100;
    k = k < 0 ? 0 : k > KEYS - 1 ? KEYS - 1 : k;
    k = delay[i] > 15 ? k : KEYS;
    sums[i & 1][k] += delay[i];
    counts[i & 1][k]++;
  }
  for (int k = 0; k < KEYS; k++) {
    a->sums[k] += sums[0][k] + sums[1][k];
    a->counts[k] += counts[0][k] + counts[1][k];
  }
}

// ---- running them ----

enum op { SUM, FILTERED, DOT, TOUCH, AXPY, MAX, EXPS, SCALE, EXPSCALED, GROUP };
static const struct {
  const char *name;
  enum op op;
  int width, operands;
} ops[] = {{"sum", SUM, 4, 1}, {"filtered", FILTERED, 4, 1}, {"dot", DOT, 8, 2}, {"touch", TOUCH, 8, 1},
           {"axpy", AXPY, 4, 2}, {"group", GROUP, 2, 2}};

struct job {
  enum op op;
  int width, operands, streaming, keep, how;
  int fd;  // of a file that takes the result, or -1
  struct slot *in[2];
  float *out;
  float max, by;
  int64_t n, block;  // elements
  atomic_int_fast64_t next;
  atomic_int failed;
};

enum how { RAM, POPULATE, ADVISE, READ, DIRECT };
static const char *hows[] = {"ram", "populate", "advise", "read", "direct"};

struct window {
  char *map;
  int64_t len;
  char *buffer;
};

// Brings n elements from lo on of an operand into reach.
static char *fetch(struct job *j, int operand, int64_t lo, int64_t n, struct window *w) {
  struct slot *s = j->in[operand];
  if (j->how == RAM) return s->ram + lo * j->width;
  int64_t from = s->offset + lo * j->width, bytes = n * j->width;
  int64_t page = from / PAGE * PAGE;
  if (j->how == READ || j->how == DIRECT) {
    int64_t want = from - page + bytes;
    int fd = j->how == READ ? s->fd : s->direct;
    if (j->how == READ) page = from, want = bytes;
    else want = (want + PAGE - 1) / PAGE * PAGE;
    for (int64_t got = 0; got < want;) {
      ssize_t k = pread(fd, w->buffer + got, want - got, page + got);
      if (k < 0) return 0;
      if (k == 0) {
        if (got >= from - page + bytes) break;
        return 0;
      }
      got += k;
    }
    return w->buffer + (from - page);
  }
  w->len = from - page + bytes;
  w->map = mmap(0, w->len, PROT_READ, MAP_SHARED | (j->how == POPULATE ? MAP_POPULATE : 0), s->fd, page);
  if (w->map == MAP_FAILED) {
    w->map = 0;
    return 0;
  }
  if (j->how == ADVISE) {
    madvise(w->map, w->len, MADV_SEQUENTIAL);
    madvise(w->map, w->len, MADV_WILLNEED);
  }
  return w->map + (from - page);
}

static void let_go(struct window *w) {
  if (w->map) munmap(w->map, w->len);
  w->map = 0;
}

// Writes bytes of the result's file, whose blocks are reserved first: some file systems are quicker then.
static void save(struct job *j, const void *from, int64_t n, int64_t at) {
#ifdef __linux__
  if (fallocate(j->fd, 0, at, n)) { /* then the write says what is wrong */ }
#endif
  for (int64_t put = 0; put < n;) {
    ssize_t k = pwrite(j->fd, (const char *)from + put, n - put, at + put);
    if (k <= 0) {
      j->failed = errno ? errno : EIO;
      return;
    }
    put += k;
  }
}

static void axpy_saved(struct job *j, const float *x, const float *y, int64_t lo, int64_t n) {
  static _Thread_local float *part;
  static _Thread_local int64_t size;
  if (size < n) {
    free(part);
    part = aligned_alloc(PAGE, j->block * sizeof *part);
    size = part ? j->block : 0;
    if (!part) {
      j->failed = ENOMEM;
      return;
    }
  }
  axpy_f32(x, y, part, n, 0);
  save(j, part, n * sizeof *part, lo * sizeof *part);
}

static void block(struct job *j, int64_t lo, int64_t n, char *x, char *y, struct acc *a) {
  const float *f = (const float *)x;
  switch (j->op) {
  case SUM: a->sum += sum_f32(f, n); break;
  case FILTERED: a->sum += filtered_f32(f, n); break;
  case DOT: a->sum += dot_f64((const double *)x, (const double *)y, n); break;
  case TOUCH: a->sum += touch((const uint64_t *)x, n); break;
  case AXPY:
    if (j->fd >= 0) axpy_saved(j, f, (const float *)y, lo, n);
    else axpy_f32(f, (const float *)y, j->out + lo, n, j->streaming);
    break;
  case MAX: {
    double m = max_f32(f, n);
    a->max = m > a->max ? m : a->max;
    break;
  }
  case EXPS: a->sum += exps_f32(f, j->keep ? j->out + lo : 0, j->max, n); break;
  case SCALE: scale_f32(j->out + lo, j->by, n); break;
  case EXPSCALED: exps_scaled_f32(f, j->out + lo, j->max, j->by, n); break;
  case GROUP: group_i16((const int16_t *)x, (const int16_t *)y, n, a); break;
  }
}

struct worker {
  struct job *job;
  struct acc acc;
  pthread_t thread;
};

static void *work(void *arg) {
  struct worker *w = arg;
  struct job *j = w->job;
  struct window win[2] = {{0}};
  char *at[2] = {0};
  if (j->how == READ || j->how == DIRECT)
    for (int i = 0; i < j->operands; i++) {
      win[i].buffer = aligned_alloc(PAGE, j->block * j->width + 2 * PAGE);
      if (!win[i].buffer) j->failed = ENOMEM;
    }
  while (!j->failed) {
    int64_t lo = atomic_fetch_add(&j->next, j->block);
    if (lo >= j->n) break;
    int64_t n = j->n - lo < j->block ? j->n - lo : j->block;
    int ok = 1;
    for (int i = 0; i < j->operands; i++) ok &= (at[i] = fetch(j, i, lo, n, &win[i])) != 0;
    if (ok) block(j, lo, n, at[0], at[1], &w->acc);
    else j->failed = errno ? errno : EIO;
    for (int i = 0; i < 2; i++) let_go(&win[i]);
  }
  for (int i = 0; i < 2; i++) free(win[i].buffer);
  return 0;
}

static struct acc run(struct job *j, int threads) {
  static struct worker w[MAXTHREADS];
  memset(w, 0, threads * sizeof *w);
  j->next = 0;
  for (int i = 0; i < threads; i++) {
    w[i].job = j;
    w[i].acc.max = -1e300;
    if (i > 0 && pthread_create(&w[i].thread, 0, work, &w[i])) j->failed = errno;
  }
  work(&w[0]);
  for (int i = 1; i < threads; i++) {
    pthread_join(w[i].thread, 0);
    w[0].acc.sum += w[i].acc.sum;
    w[0].acc.max = w[i].acc.max > w[0].acc.max ? w[i].acc.max : w[0].acc.max;
    for (int k = 0; k < KEYS; k++) {
      w[0].acc.sums[k] += w[i].acc.sums[k];
      w[0].acc.counts[k] += w[i].acc.counts[k];
    }
  }
  return w[0].acc;
}

// The result's memory: fresh for each run, or the one of the run before.
static float *result;
static int64_t result_bytes;

static float *result_room(int64_t bytes, int fresh) {
  if (result && (fresh || result_bytes != bytes)) {
    munmap(result, result_bytes);
    result = 0;
  }
  if (!result) result = (float *)room(bytes, 1);
  result_bytes = bytes;
  return result;
}

static double softmax(struct job *j, int threads) {
  j->op = MAX;
  j->max = run(j, threads).max;
  j->op = EXPS;
  j->by = 1 / run(j, threads).sum;
  j->op = j->keep ? SCALE : EXPSCALED;
  run(j, threads);
  return 0;
}

// A weighted sum, so that elements in the wrong place show.
static double checksum(const float *x, int64_t n) {
  double s = 0;
  for (int64_t i = 0; i < n; i++) s += x[i] * (double)(i % 61 + 1);
  return s;
}

// The file that takes results: a new one beside it is written and then takes its name, as a program does that
// leaves no half of a file.
static char saved[4096], saving[4104];

static const char *begin_file(struct job *j) {
  snprintf(saving, sizeof saving, "%s.new", saved);
  j->fd = open(saving, O_RDWR | O_CREAT | O_TRUNC, 0644);
  return j->fd < 0 ? strerror(errno) : 0;
}

static void end_file(struct job *j) {
  if (fsync(j->fd) || rename(saving, saved)) j->failed = errno;
}

// Reads the file again, out of the time.
static double checksum_file(int fd, int64_t n) {
  float *x = mmap(0, n * sizeof *x, PROT_READ, MAP_SHARED, fd, 0);
  if (x == MAP_FAILED) return NAN;
  double s = checksum(x, n);
  munmap(x, n * sizeof *x);
  return s;
}

static void answer_groups(double seconds, const struct acc *a) {
  printf("ok %.9f", seconds);
  for (int k = 0; k < KEYS; k++) {
    if (a->counts[k]) printf(" %.17g", a->sums[k] / a->counts[k]);
    else printf(" nan");
  }
  printf("\n");
}

// NAME[:VARIANT…] HOW[:KIB] THREADS SLOT SLOT N
static const char *operate(char *name, char *how, int threads, int s0, int s1, int64_t n) {
  struct job j = {.n = n, .fd = -1};
  char *variant = strchr(name, ':'), *kib = strchr(how, ':');
  if (variant) *variant++ = 0;
  if (kib) *kib++ = 0;
  int found = 0, fresh = variant && strstr(variant, "fresh") != 0;
  j.streaming = variant && strstr(variant, "stream") != 0;
  j.keep = variant && strstr(variant, "keep") != 0;
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (!strcmp(name, ops[i].name)) j.op = ops[i].op, j.width = ops[i].width, j.operands = ops[i].operands, found = 1;
  int soft = !strcmp(name, "softmax");
  if (soft) j.width = 4, j.operands = 1;
  if (!found && !soft) return "no such operation";
  j.how = -1;
  for (int i = 0; i < 5; i++)
    if (!strcmp(how, hows[i])) j.how = i;
  if (j.how < 0 || threads < 1 || threads > MAXTHREADS) return "bad arguments";
  int which[2] = {s0, s1};
  for (int i = 0; i < j.operands; i++) {
    if (which[i] < 0 || which[i] >= SLOTS) return "no such slot";
    j.in[i] = &slots[which[i]];
    if (j.in[i]->bytes < n * j.width) return "the slot is too short";
    if (j.how == RAM ? !j.in[i]->ram : j.in[i]->fd < 0) return "the slot is not there";
    if (j.how == DIRECT && j.in[i]->direct < 0) return "no direct reads here";
  }
  j.block = (kib ? atol(kib) : 1024) * 1024 / (j.width * j.operands);
  // A whole number of pages, in elements.
  if (j.block < PAGE) j.block = PAGE;
  j.block = j.block / PAGE * PAGE;
  int to_file = variant && strstr(variant, "save") != 0, writes = !to_file && (soft || j.op == AXPY);
  if (to_file && (j.op != AXPY || soft || !*saved)) return "nothing to save, or no file for it";
  if (writes && !fresh && !result_room(n * 4, 0)) return "no memory";
  double start = now();
  const char *bad = to_file ? begin_file(&j) : 0;
  if (bad) return bad;
  if (writes && fresh && !result_room(n * 4, 1)) return "no memory";
  j.out = result;
  struct acc a = {0};
  if (soft) softmax(&j, threads);
  else a = run(&j, threads);
  if (to_file) end_file(&j);
  double seconds = now() - start, sum = to_file ? checksum_file(j.fd, n) : writes ? checksum(result, n) : a.sum;
  if (to_file) close(j.fd);
  if (j.failed) return strerror(j.failed);
  if (j.op == GROUP) answer_groups(seconds, &a);
  else printf("ok %.9f %.17g\n", seconds, sum);
  return 0;
}

static const char *drop(struct slot *s) {
  if (s->fd >= 0) close(s->fd);
  if (s->direct >= 0) close(s->direct);
  if (s->ram) munmap(s->ram, s->room);
  *s = (struct slot){.fd = -1, .direct = -1};
  return 0;
}

static const char *take(struct slot *s, const char *path, int64_t offset, int64_t bytes, int hold, int huge) {
  drop(s);
  s->fd = open(path, O_RDONLY);
  if (s->fd < 0) return strerror(errno);
  s->offset = offset, s->bytes = bytes;
  if (!hold) {
    if (O_DIRECT) s->direct = open(path, O_RDONLY | O_DIRECT);
    return 0;
  }
  s->room = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  s->ram = room(s->room, huge);
  if (!s->ram) return "no memory";
  for (int64_t got = 0; got < bytes;) {
    ssize_t k = pread(s->fd, s->ram + got, bytes - got < 1 << 20 ? bytes - got : 1 << 20, offset + got);
    if (k <= 0) return k < 0 ? strerror(errno) : "the file is too short";
    got += k;
  }
  close(s->fd);
  s->fd = -1;
  return 0;
}

int main(void) {
  char line[8192], name[64], path[4096], how[64];
  int s0, s1, threads;
  long long a, b;
  for (int i = 0; i < SLOTS; i++) slots[i].fd = slots[i].direct = -1;
  while (fgets(line, sizeof line, stdin)) {
    const char *bad = 0;
    int said = 0;
    if (sscanf(line, "file %d %lld %lld %4095[^\n]", &s0, &a, &b, path) == 4 && s0 >= 0 && s0 < SLOTS) bad = take(&slots[s0], path, a, b, 0, 0);
    else if (sscanf(line, "hold %d %lld %lld %4095[^\n]", &s0, &a, &b, path) == 4 && s0 >= 0 && s0 < SLOTS) bad = take(&slots[s0], path, a, b, 1, 1);
    else if (sscanf(line, "plain %d %lld %lld %4095[^\n]", &s0, &a, &b, path) == 4 && s0 >= 0 && s0 < SLOTS) bad = take(&slots[s0], path, a, b, 1, 0);
    else if (sscanf(line, "drop %d", &s0) == 1 && s0 >= 0 && s0 < SLOTS) bad = drop(&slots[s0]);
    else if (sscanf(line, "save %4095[^\n]", saved) == 1) ;
    else if (sscanf(line, "%63s %63s %d %d %d %lld", name, how, &threads, &s0, &s1, &a) == 6) bad = operate(name, how, threads, s0, s1, a), said = 1;
    else bad = "not understood";
    if (bad) printf("error %s\n", bad);
    else if (!said) printf("ok 0 0\n");
    fflush(stdout);
  }
  return 0;
}
