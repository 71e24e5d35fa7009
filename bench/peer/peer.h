// The C reference: the operations of the benchmarks stream and compute, each in
// several forms that a careful programmer would try for one machine. This is
// compiled by every C compiler there is into a shared library; the benchmark
// takes the fastest form for each row. Floating-point operations may be put in
// any order (-ffast-math), as those of the forms with explicit lanes are.
#ifndef PEER_H
#define PEER_H
#include <stdint.h>
#ifdef __x86_64__
#include <immintrin.h>
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
enum { LF = W / 4, LD = W / 8, BUCKETS = 64, K = 16, D = 8, WINDOW = 20, PHASES = 3 };

// What threads add up, each for itself.
struct acc {
  double sum, max;
  int64_t count;
  int64_t table[BUCKETS];
  float sums[K][D];
  int64_t counts[K];
};

struct job {
  const void *x, *y;
  void *out;
  int64_t n;
  struct acc all;  // of the phases that are over
};

// A part runs elements lo..hi; threads run disjoint parts at the same time.
typedef void part(const struct job *j, int64_t lo, int64_t hi, struct acc *a);

// A form is one way to compute an operation: phases, one after the other, and
// what is made of the sums in the end, if the result is no array.
struct form {
  const char *op, *name;
  part *phase[PHASES];
  void (*finish)(struct job *j);
};
extern const struct form stream_forms[], compute_forms[];  // end with op = 0

// Keeps the compiler from looking through a vector.
#if defined __x86_64__
#define OPAQUE(v) __asm__("" : "+x"(v))
#elif defined __aarch64__
#define OPAQUE(v) __asm__("" : "+w"(v))
#else
#define OPAQUE(v) (void)0
#endif

// Lane by lane, x where m has ones, otherwise y.
static inline vf choose(vi m, vf x, vf y) { return (vf)(((vi)x & m) | ((vi)y & ~m)); }

static inline float lanes(vf v) {
  float s = 0;
  for (int i = 0; i < LF; i++) s += v[i];
  return s;
}

// Stores that do not read what they overwrite; p is aligned.
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

static inline void stream_end(void) {
#ifdef __x86_64__
  _mm_sfence();
#endif
}

// e^x within 2 units in the last place (Cephes' polynomial) between -87 and 88,
// and these at the ends.
static inline vf exp_vf(vf x) {
  x = choose(x < -87.0f, (vf){0} - 87.0f, x);
  x = choose(x > 88.0f, (vf){0} + 88.0f, x);
  vf magic = (vf){0} + 12582912.0f, k = x * 1.44269504f + magic;
  vi e = (vi)k << 23;
  OPAQUE(k);  // or k + magic - magic would be simplified
  k -= magic;
  vf r = x - k * 0.693359375f + k * 2.12194440e-4f;
  vf p = 1.9875691500e-4f * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  return (vf)((vi)p + e);
}
#endif
