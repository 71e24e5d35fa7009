#include "../tool/npy.h"
int main(void) {
    long n, one;
    float *v = npy("stored.npy", 128, &n), *q = npy("query.npy", 128, &one);
    double *cos = malloc(8 * n), qq = 0;
    for (int j = 0; j < 32; j++) qq += (double)q[j] * q[j];
    for (long i = 0; i < n; i++) {
        double d = 0, s = 0;
        for (int j = 0; j < 32; j++) { d += (double)v[32 * i + j] * q[j]; s += (double)v[32 * i + j] * v[32 * i + j]; }
        cos[i] = d / sqrt(s * qq);
    }
    for (int k = 0; k < 5; k++) {
        long best = 0;
        for (long i = 0; i < n; i++) if (cos[i] > cos[best]) best = i;
        printf("%ld %.9g\n", best, cos[best]);
        cos[best] = -2;
    }
}
