#include "../tool/npy.h"
int main(void) {
    long n;
    double *c = csv("sp500-2000.csv", 4, &n);
    for (long i = 0; i + 20 <= n; i++) {
        double m = 0, s = 0;
        for (int j = 0; j < 20; j++) m += c[i + j];
        m /= 20;
        for (int j = 0; j < 20; j++) s += (c[i + j] - m) * (c[i + j] - m);
        printf("%.17g %.17g\n", m, sqrt(s / 20));
    }
}
