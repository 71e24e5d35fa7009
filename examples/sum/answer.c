#include "../tool/npy.h"
int main(void) {
    long n; double s = 0;
    float *v = npy("floats.npy", 4, &n);
    for (long i = 0; i < n; i++) s += v[i];
    printf("%.9g\n", s);
}
