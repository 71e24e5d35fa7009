#include "../tool/npy.h"
int main(void) {
    long n, e;
    uint32_t *off = npy("off.npy", 4, &n), *src = npy("src.npy", 4, &e);
    n--;
    double *rank = malloc(8 * n), *next = malloc(8 * n); long *deg = calloc(n, 8);
    for (long i = 0; i < e; i++) deg[src[i]]++;
    for (long i = 0; i < n; i++) rank[i] = 1.0 / n;
    for (int s = 0; s < 25; s++) {
        for (long v = 0; v < n; v++) {
            double sum = 0;
            for (long i = off[v]; i < off[v + 1]; i++) sum += rank[src[i]] / deg[src[i]];
            next[v] = 0.15 / n + 0.85 * sum;
        }
        double *t = rank; rank = next; next = t;
    }
    for (long i = 0; i < n; i++) printf("%.17g\n", rank[i]);
}
