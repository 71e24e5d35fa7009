#include "../tool/npy.h"
static double mean(double *x, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i]; return s / n; }
static double var(double *x, long n) { double m = mean(x, n), s = 0; for (long i = 0; i < n; i++) s += (x[i] - m) * (x[i] - m); return s / (n - 1); }
int main(void) {
    long n, m;
    double *a = npy("a.npy", 8, &n), *b = npy("b.npy", 8, &m), va = var(a, n) / n, vb = var(b, m) / m;
    printf("%.17g %.17g %.17g %.17g\n", mean(a, n), mean(b, m), (mean(a, n) - mean(b, m)) / sqrt(va + vb),
           (va + vb) * (va + vb) / (va * va / (n - 1) + vb * vb / (m - 1)));
}
