// The kernels under testdata/kernels as a C programmer writes them, to be
// compiled with -O3 -march=native and leave to reorder sums.
#include <math.h>
#include <stdint.h>
#include <string.h>

void c_sum(const float *x, float *out, int64_t n) {
  float s = 0;
  for (int64_t i = 0; i < n; i++) s += x[i];
  *out = s;
}

void c_dot(const float *x, const float *y, float *out, int64_t n) {
  float s = 0;
  for (int64_t i = 0; i < n; i++) s += x[i] * y[i];
  *out = s;
}

void c_axpy(const float *restrict x, const float *restrict y, float *restrict out, int64_t n) {
  for (int64_t i = 0; i < n; i++) out[i] = x[i] * 1.5f + y[i];
}

void c_filteredmean(const float *x, float *out, int64_t n) {
  float s = 0;
  int64_t c = 0;
  for (int64_t i = 0; i < n; i++)
    if (x[i] > 0) s += x[i], c++;
  *out = s / c;
}

void c_max(const float *x, float *out, int64_t n) {
  float s = -INFINITY;
  for (int64_t i = 0; i < n; i++) s = x[i] > s ? x[i] : s;
  *out = s;
}

void c_exp(const float *restrict x, float *restrict out, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    float v = x[i] < -110 ? -110 : x[i] > 95 ? 95 : x[i];
    float t = v * 1.44269502f + 12582912.0f, f = t - 12582912.0f;
    int32_t e;
    memcpy(&e, &t, 4);
    e -= 1262485504;
    float r = v - f * 0.693359375f - f * -0.000212194442f;
    float p = 0.5f + r * (0.166666657f + r * (0.0416657962f + r * (0.00833345205f + r * (0.00139819994f + r * 0.000198756912f))));
    float y = 1 + (r + r * r * p), a, b;
    int32_t h = e >> 1, u = (h + 127) << 23, w = (e - h + 127) << 23;
    memcpy(&a, &u, 4);
    memcpy(&b, &w, 4);
    out[i] = y * a * b;
  }
}

void c_histogram(const float *x, int64_t *out, int64_t n) {
  memset(out, 0, 64 * 8);
  for (int64_t i = 0; i < n; i++) {
    float v = x[i] * 8;
    v = v < 0 ? 0 : v > 63 ? 63 : v;
    out[(int)v]++;
  }
}

void c_kmeans(const float *restrict x, const float *restrict c, float *restrict sums, int64_t *restrict counts, int64_t n, int64_t d, int64_t k) {
  memset(sums, 0, k * d * 4);
  memset(counts, 0, k * 8);
  for (int64_t i = 0; i < n; i++) {
    float best = INFINITY;
    int64_t at = 0;
    for (int64_t j = 0; j < k; j++) {
      float s = 0;
      for (int64_t e = 0; e < d; e++) {
        float t = c[j * d + e] - x[i * d + e];
        s += t * t;
      }
      if (s < best) best = s, at = j;
    }
    for (int64_t e = 0; e < d; e++) sums[at * d + e] += x[i * d + e];
    counts[at]++;
  }
}

void c_window(const double *restrict x, double *restrict mean, double *restrict width, int64_t n) {
  for (int64_t i = 0; i + 20 <= n; i++) {
    double s = 0, q = 0;
    for (int j = 0; j < 20; j++) s += x[i + j];
    double m = s / 20;
    for (int j = 0; j < 20; j++) q += (x[i + j] - m) * (x[i + j] - m);
    mean[i] = m;
    width[i] = sqrt(q / 20);
  }
}

void c_pick(const int64_t *restrict at, const double *restrict x, double *restrict out, int64_t n) {
  for (int64_t i = 0; i < n; i++) out[i] = x[at[i]];
}

// OpenBLAS, if the benchmark has found it; a · bᵀ as the kernel has it.
static void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);

void c_use(void *cblas_sgemm) { sgemm = cblas_sgemm; }

void c_matmul(const float *restrict a, const float *restrict b, float *restrict out, int64_t n) {
  if (sgemm) {
    sgemm(101, 111, 112, n, n, n, 1, a, n, b, n, 0, out, n);
    return;
  }
  memset(out, 0, n * n * 4);
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < n; k++)
      for (int64_t j = 0; j < n; j++) out[i * n + j] += a[i * n + k] * b[k * n + j];
}
