#include "../tool/npy.h"
int main(void) {
    long v, d, best = 0;
    float *w = npy("w.npy", 4, &v), *h = npy("hidden.npy", 4, &d);
    v /= d;
    double *s = malloc(8 * v), sum = 0;
    for (long i = 0; i < v; i++) {
        s[i] = 0;
        for (long j = 0; j < d; j++) s[i] += (double)w[i * d + j] * h[j];
        if (s[i] > s[best]) best = i;
    }
    for (long i = 0; i < v; i++) sum += exp(s[i] - s[best]);
    printf("%ld %.9g\n", best, 1 / sum);
}
