#include "../tool/npy.h"
int main(void) {
    long n;
    double *c = csv("../rolling/sp500-2000.csv", 4, &n);
    char *used = calloc(n, 1);
    for (int k = 0; k < 5; k++) {
        long best = -1; double top = -1e9;
        for (long i = 0; i + 1 < n; i++) {
            double m = (c[i + 1] - c[i]) / c[i];
            if (!used[i] && m > top) { top = m; best = i; }
        }
        used[best] = 1;
        printf("%ld %.17g\n", best, top);
    }
}
