#include "../tool/npy.h"
int main(void) {
    long n, m;
    float *x = npy("points.npy", 8, &n), *c = npy("start.npy", 8, &m);
    for (int r = 0; r < 20; r++) {
        double sum[4][2] = {{0}}, cnt[4] = {0};
        for (long i = 0; i < n; i++) {
            int best = 0; double low = 1e30;
            for (int k = 0; k < 4; k++) {
                double a = x[2 * i] - c[2 * k], b = x[2 * i + 1] - c[2 * k + 1], d = a * a + b * b;
                if (d < low) { low = d; best = k; }
            }
            cnt[best]++; sum[best][0] += x[2 * i]; sum[best][1] += x[2 * i + 1];
        }
        for (int k = 0; k < 4; k++) for (int j = 0; j < 2; j++) c[2 * k + j] = sum[k][j] / cnt[k];
    }
    for (int i = 0; i < 8; i++) printf("%.9g\n", c[i]);
}
