// Nests of loops over arrays that they change, as one writes them in C. The
// compiler may not reorder or fuse floating-point operations, so results are
// equal bit for bit. Each is given memory for its result.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define AT(i, j) ((i) * n + (j))

static void jacobi_step(int64_t n, const double *restrict a, double *restrict b) {
  for (int64_t i = 1; i < n - 1; i++)
    for (int64_t j = 1; j < n - 1; j++)
      b[AT(i, j)] = 0.2 * (a[AT(i, j)] + a[AT(i, j - 1)] + a[AT(i, j + 1)] + a[AT(i + 1, j)] + a[AT(i - 1, j)]);
}

static void heat_step(int64_t n, const double *restrict a, double *restrict b) {
  int64_t m = n * n;
  for (int64_t i = 1; i < n - 1; i++)
    for (int64_t j = 1; j < n - 1; j++)
      for (int64_t k = 1; k < n - 1; k++) {
        const double *p = a + i * m + j * n + k;
        b[i * m + j * n + k] = 0.125 * (p[m] - 2.0 * *p + p[-m]) + 0.125 * (p[n] - 2.0 * *p + p[-n]) +
                               0.125 * (p[1] - 2.0 * *p + p[-1]) + *p;
      }
}

// Two arrays, each computed from the other in turn.
static int alternate(int64_t n, int64_t size, int turns, const double *x, double *a,
                     void (*step)(int64_t, const double *restrict, double *restrict)) {
  double *b = malloc(size * sizeof *b);
  if (!b) return 12;
  memcpy(a, x, size * sizeof *a);
  memcpy(b, x, size * sizeof *b);
  for (int t = 0; t < turns; t++) step(n, a, b), step(n, b, a);
  free(b);
  return 0;
}

int jacobi2d(int64_t n, const double *x, double *a) { return alternate(n, n * n, 10, x, a, jacobi_step); }
int heat3d(int64_t n, const double *x, double *a) { return alternate(n, n * n * n, 5, x, a, heat_step); }

int seidel2d(int64_t n, const double *x, double *a) {
  memcpy(a, x, n * n * sizeof *a);
  for (int t = 0; t < 5; t++)
    for (int64_t i = 1; i < n - 1; i++)
      for (int64_t j = 1; j < n - 1; j++)
        a[AT(i, j)] = (a[AT(i - 1, j - 1)] + a[AT(i - 1, j)] + a[AT(i - 1, j + 1)] + a[AT(i, j - 1)] + a[AT(i, j)] +
                       a[AT(i, j + 1)] + a[AT(i + 1, j - 1)] + a[AT(i + 1, j)] + a[AT(i + 1, j + 1)]) / 9.0;
  return 0;
}

int lu(int64_t n, const double *x, double *a) {
  memcpy(a, x, n * n * sizeof *a);
  for (int64_t k = 0; k < n; k++)
    for (int64_t i = k + 1; i < n; i++) {
      a[AT(i, k)] /= a[AT(k, k)];
      for (int64_t j = k + 1; j < n; j++) a[AT(i, j)] -= a[AT(i, k)] * a[AT(k, j)];
    }
  return 0;
}

int cholesky(int64_t n, const double *x, double *l) {
  memset(l, 0, n * n * sizeof *l);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j <= i; j++) {
      double s = x[AT(i, j)];
      for (int64_t k = 0; k < j; k++) s -= l[AT(i, k)] * l[AT(j, k)];
      l[AT(i, j)] = i == j ? sqrt(s) : s / l[AT(j, j)];
    }
  return 0;
}

int floyd(int64_t n, const double *x, double *d) {
  memcpy(d, x, n * n * sizeof *d);
  for (int64_t k = 0; k < n; k++)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) {
        double through = d[AT(i, k)] + d[AT(k, j)];
        d[AT(i, j)] = through < d[AT(i, j)] ? through : d[AT(i, j)];
      }
  return 0;
}

static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }

int levenshtein(int64_t n, const uint8_t *x, int64_t *d) {
  const uint8_t *y = x + n;
  int64_t m = n + 1;
  for (int64_t i = 0; i < m; i++) d[i * m] = i;
  for (int64_t j = 0; j < m; j++) d[j] = j;
  for (int64_t i = 1; i < m; i++)
    for (int64_t j = 1; j < m; j++)
      d[i * m + j] = min(min(d[(i - 1) * m + j] + 1, d[i * m + j - 1] + 1), d[(i - 1) * m + j - 1] + (x[i - 1] != y[j - 1]));
  return 0;
}

int lcs(int64_t n, const uint8_t *x, int64_t *t) {
  const uint8_t *y = x + n;
  int64_t m = n + 1;
  memset(t, 0, m * m * sizeof *t);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++)
      t[(i + 1) * m + j + 1] = x[i] == y[j] ? t[i * m + j] + 1 : max(t[i * m + j + 1], t[(i + 1) * m + j]);
  return 0;
}

int nussinov(int64_t n, const uint8_t *x, int64_t *t) {
  memset(t, 0, n * n * sizeof *t);
  for (int64_t i = n - 1; i >= 0; i--)
    for (int64_t j = i + 1; j < n; j++) {
      int64_t best = max(max(t[AT(i, j - 1)], t[AT(i + 1, j)]), t[AT(i + 1, j - 1)] + (x[i] + x[j] == 3));
      for (int64_t k = i + 1; k < j; k++) best = max(best, t[AT(i, k)] + t[AT(k + 1, j)]);
      t[AT(i, j)] = best;
    }
  return 0;
}

int triangular(int64_t n, const double *x, double *y) {
  for (int64_t i = 0; i < n; i++) {
    double s = 1.0;
    for (int64_t j = 0; j < i; j++) s -= x[AT(i, j)] * y[j];
    y[i] = s / x[AT(i, i)];
  }
  return 0;
}
