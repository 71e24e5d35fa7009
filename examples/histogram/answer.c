#include "../tool/npy.h"
int main(void) {
    long n, count[64] = {0}, run[64], s = 0, q[3] = {0};
    double *x = npy("values.npy", 8, &n);
    for (long i = 0; i < n; i++) {
        double b = (x[i] - 0.0) / (20.0 - 0.0) * 64.0;
        count[(int)(b < 0 ? 0 : b > 63 ? 63 : b)]++;
    }
    for (int i = 0; i < 64; i++) { run[i] = s += count[i]; printf("%ld\n", count[i]); }
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 64; i++) q[j] += run[i] < 0.25 * (j + 1) * n;
        printf("%ld\n", q[j]);
    }
}
