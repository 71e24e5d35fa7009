#include "../tool/npy.h"
int main(void) {
    long n, m;
    int64_t *k = npy("keys.npy", 8, &n), *q = npy("queries.npy", 8, &m);
    for (long i = 0; i < m; i++) {
        long below = 0;
        for (long j = 0; j < n; j++) below += k[j] < q[i];
        printf("%ld\n", below);
    }
}
