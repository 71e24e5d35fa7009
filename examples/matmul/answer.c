#include "../tool/npy.h"
int main(void) {
    long n;
    float *a = npy("a.npy", 4, &n), *b = npy("b.npy", 4, &n);
    for (int i = 0; i < 37; i++)
        for (int j = 0; j < 29; j++) {
            double s = 0;
            for (int k = 0; k < 53; k++) s += (double)a[i * 53 + k] * b[k * 29 + j];
            printf("%.9g\n", s);
        }
}
