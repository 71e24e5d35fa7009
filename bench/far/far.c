// The reference of bench far: each operation as it is written without a thought of memory, and by hand with many under way
// (asynchronous memory access chaining: K states, each with a prefetch of what it loads next; one that ends makes room for the
// next).
#include <stdint.h>
#include <stdlib.h>

// CACHE is 3 for the first cache and 2 for the second.
#define ask(p) __builtin_prefetch((p), 0, CACHE)

// In: the columns of the arguments, their lengths, and how many are to be under way. Out: 0.
#define OPERATION(name) int name(void **in, const int64_t *len, void *result, int64_t K)

enum { most = 64 };

OPERATION(chase_naive) {
    (void)K;
    const uint32_t *next = in[0], *start = in[1];
    int64_t *out = result, M = len[1];
    for (int64_t m = 0; m < M; m++) {
        uint32_t i = start[m];
        for (int h = 0; h < 64; h++) i = next[i];
        out[m] = i;
    }
    return 0;
}

OPERATION(chase_woven) {
    const uint32_t *next = in[0], *start = in[1];
    int64_t *out = result, M = len[1];
    uint32_t s[most];
    for (int64_t m = 0; m < M; m += K) {
        int64_t n = M - m < K ? M - m : K;
        for (int64_t k = 0; k < n; k++) ask(&next[s[k] = start[m + k]]);
        for (int h = 0; h < 64; h++)
            for (int64_t k = 0; k < n; k++) ask(&next[s[k] = next[s[k]]]);
        for (int64_t k = 0; k < n; k++) out[m + k] = s[k];
    }
    return 0;
}

OPERATION(ending_naive) {
    (void)K;
    const uint32_t *next = in[0], *start = in[1];
    int64_t *out = result, M = len[1];
    for (int64_t m = 0; m < M; m++) {
        uint32_t i = start[m];
        for (int h = 0; h < 4096; h++)
            if (((i = next[i]) & 63) == 0) break;
        out[m] = i;
    }
    return 0;
}

OPERATION(ending_woven) {
    const uint32_t *next = in[0], *start = in[1];
    int64_t *out = result, M = len[1], m = 0, n = 0;
    struct { int64_t m; uint32_t i; int32_t left; } s[most];
    for (; n < K && m < M; n++, m++) {
        s[n].m = m, s[n].i = start[m], s[n].left = 4096;
        ask(&next[s[n].i]);
    }
    while (n > 0)
        for (int64_t k = 0; k < n; k++) {
            uint32_t i = next[s[k].i];
            if ((i & 63) != 0 && --s[k].left > 0) {
                ask(&next[s[k].i = i]);
                continue;
            }
            out[s[k].m] = i;
            if (m < M) {
                s[k].m = m, s[k].i = start[m++], s[k].left = 4096;
                ask(&next[s[k].i]);
            } else
                s[k--] = s[--n];
        }
    return 0;
}

OPERATION(probe_naive) {
    (void)K;
    const int64_t *heads = in[0], *keys = in[1], *next = in[2], *want = in[3];
    int64_t *out = result, B = len[0], M = len[3];
    for (int64_t m = 0; m < M; m++) {
        int64_t i = heads[want[m] & (B - 1)];
        while (i >= 0 && keys[i] != want[m]) i = next[i];
        out[m] = i;
    }
    return 0;
}

OPERATION(probe_woven) {
    const int64_t *heads = in[0], *keys = in[1], *next = in[2], *want = in[3];
    int64_t *out = result, B = len[0], M = len[3], m = 0, n = 0;
    struct { int64_t m, i, begun; } s[most];
    for (; n < K && m < M; n++, m++) {
        s[n].m = m, s[n].begun = 0;
        ask(&heads[want[m] & (B - 1)]);
    }
    while (n > 0)
        for (int64_t k = 0; k < n; k++) {
            int64_t w = want[s[k].m], i;
            if (!s[k].begun)
                s[k].begun = 1, i = heads[w & (B - 1)];
            else if (keys[i = s[k].i] != w)
                i = next[i];
            else
                goto found;
            if (i >= 0) {
                s[k].i = i;
                ask(&keys[i]), ask(&next[i]);
                continue;
            }
        found:
            out[s[k].m] = i;
            if (m < M) {
                s[k].m = m, s[k].begun = 0;
                ask(&heads[want[m++] & (B - 1)]);
            } else
                s[k--] = s[--n];
        }
    return 0;
}

OPERATION(search_naive) {
    (void)K;
    const int64_t *keys = in[0], *want = in[1];
    int64_t *out = result, N = len[0], M = len[1];
    for (int64_t m = 0; m < M; m++) {
        int64_t lo = 0, hi = N;
        while (lo < hi) {
            int64_t mid = (lo + hi) / 2;
            if (keys[mid] < want[m]) lo = mid + 1;
            else hi = mid;
        }
        out[m] = lo;
    }
    return 0;
}

OPERATION(search_woven) {
    const int64_t *keys = in[0], *want = in[1];
    int64_t *out = result, N = len[0], M = len[1];
    const int64_t *base[most];
    for (int64_t m = 0; m < M; m += K) {
        int64_t n = M - m < K ? M - m : K;
        for (int64_t k = 0; k < n; k++) base[k] = keys;
        for (int64_t left = N; left > 1;) {
            int64_t half = left / 2;
            left -= half;
            for (int64_t k = 0; k < n; k++) {
                base[k] += base[k][half - 1] < want[m + k] ? half : 0;
                ask(&base[k][left / 2 - 1]);
            }
        }
        for (int64_t k = 0; k < n; k++) out[m + k] = base[k] - keys + (N > 0 && *base[k] < want[m + k]);
    }
    return 0;
}

OPERATION(gather_naive) {
    (void)K;
    const int64_t *off = in[0];
    const uint32_t *to = in[1];
    const double *rank = in[2];
    double *out = result;
    for (int64_t v = 0; v + 1 < len[0]; v++) {
        double s = 0;
        for (int64_t e = off[v]; e < off[v + 1]; e++) s += rank[to[e]];
        out[v] = s;
    }
    return 0;
}

OPERATION(gather_woven) {
    const int64_t *off = in[0];
    const uint32_t *to = in[1];
    const double *rank = in[2];
    double *out = result;
    int64_t E = len[1], R = len[0] - 1;
    for (int64_t v = 0; v < R; v++) {
        double s = 0;
        for (int64_t e = off[v]; e < off[v + 1]; e++) {
            ask(&rank[to[e + K < E ? e + K : E - 1]]);
            s += rank[to[e]];
        }
        out[v] = s;
    }
    return 0;
}

OPERATION(bag_naive) {
    (void)K;
    const float *table = in[0];
    const uint32_t *bags = in[1];
    float *out = result;
    for (int64_t m = 0; m < len[1]; m++) {
        float s[16] = {0};
        for (int j = 0; j < 32; j++)
            for (int d = 0; d < 16; d++) s[d] += table[(int64_t)bags[32 * m + j] * 16 + d];
        for (int d = 0; d < 16; d++) out[16 * m + d] = s[d];
    }
    return 0;
}

OPERATION(bag_woven) {
    const float *table = in[0];
    const uint32_t *bags = in[1];
    float *out = result;
    int64_t all = 32 * len[1];
    for (int64_t m = 0; m < len[1]; m++) {
        float s[16] = {0};
        for (int j = 0; j < 32; j++) {
            int64_t at = 32 * m + j, ahead = at + K < all ? at + K : all - 1;
            ask(&table[(int64_t)bags[ahead] * 16]);
            for (int d = 0; d < 16; d++) s[d] += table[(int64_t)bags[at] * 16 + d];
        }
        for (int d = 0; d < 16; d++) out[16 * m + d] = s[d];
    }
    return 0;
}

// A B+ tree with eight children to a node, one behind the other.
enum { children = 8 };

OPERATION(tree_naive) {
    (void)K;
    const int64_t *keys = in[0], *want = in[3], levels = *(const int64_t *)in[2];
    const uint32_t *first = in[1];
    int64_t *out = result, M = len[3];
    for (int64_t m = 0; m < M; m++) {
        int64_t at = 0;
        for (int64_t l = 0; l < levels; l++) {
            int64_t below = 0;
            for (int j = 0; j < children; j++) below += keys[at * children + j] < want[m];
            at = first[at] + below;
        }
        out[m] = at;
    }
    return 0;
}

OPERATION(tree_woven) {
    const int64_t *keys = in[0], *want = in[3], levels = *(const int64_t *)in[2];
    const uint32_t *first = in[1];
    int64_t *out = result, M = len[3], at[most];
    for (int64_t m = 0; m < M; m += K) {
        int64_t n = M - m < K ? M - m : K;
        for (int64_t k = 0; k < n; k++) at[k] = 0;
        for (int64_t l = 0; l < levels; l++)
            for (int64_t k = 0; k < n; k++) {
                int64_t below = 0, w = want[m + k];
                const int64_t *node = &keys[at[k] * children];
                for (int j = 0; j < children; j++) below += node[j] < w;
                at[k] = first[at[k]] + below;
                ask(&keys[at[k] * children]), ask(&first[at[k]]);
            }
        for (int64_t k = 0; k < n; k++) out[m + k] = at[k];
    }
    return 0;
}

// Steps of a breadth-first search, with a look ahead of K edges if it is not 0.
static int search(const int64_t *off, const uint32_t *to, int64_t *out, int64_t R, int64_t E, int64_t K) {
    int64_t *level = out, *next = malloc(R * sizeof *next);
    if (!next) return 1;
    for (int64_t v = 0; v < R; v++) level[v] = v == 0 ? 0 : -1;
    for (int64_t step = 0; step < 8; step++) { // an even number of steps, so that the last one fills out
        for (int64_t v = 0; v < R; v++) {
            int64_t l = level[v];
            if (l < 0)
                for (int64_t e = off[v]; e < off[v + 1]; e++) {
                    if (K) ask(&level[to[e + K < E ? e + K : E - 1]]);
                    if (level[to[e]] == step) {
                        l = step + 1;
                        break;
                    }
                }
            next[v] = l;
        }
        int64_t *other = level;
        level = next, next = other;
    }
    free(next);
    return 0;
}

OPERATION(bfs_naive) {
    (void)K;
    return search(in[0], in[1], result, len[0] - 1, len[1], 0);
}

OPERATION(bfs_woven) { return search(in[0], in[1], result, len[0] - 1, len[1], K); }

static int rank(const int64_t *off, const uint32_t *to, double *out, int64_t R, int64_t E, int64_t K) {
    double *give = malloc(R * sizeof *give), n = R;
    if (!give) return 1;
    for (int64_t v = 0; v < R; v++) out[v] = 1 / n;
    for (int step = 0; step < 4; step++) {
        for (int64_t v = 0; v < R; v++) {
            int64_t degree = off[v + 1] - off[v];
            give[v] = out[v] / (double)(degree > 1 ? degree : 1);
        }
        for (int64_t v = 0; v < R; v++) {
            double s = 0;
            for (int64_t e = off[v]; e < off[v + 1]; e++) {
                if (K) ask(&give[to[e + K < E ? e + K : E - 1]]);
                s += give[to[e]];
            }
            out[v] = 0.15 / n + 0.85 * s;
        }
    }
    free(give);
    return 0;
}

OPERATION(rank_naive) {
    (void)K;
    return rank(in[0], in[1], result, len[0] - 1, len[1], 0);
}

OPERATION(rank_woven) { return rank(in[0], in[1], result, len[0] - 1, len[1], K); }

// The arc scan of a network simplex, in blocks.
enum { block = 1024 };

OPERATION(arcs_naive) {
    (void)K;
    const uint32_t *tail = in[0], *head = in[1];
    const int64_t *cost = in[2], *price = in[3];
    int64_t *out = result;
    for (int64_t b = 0; b < len[0]; b++) {
        int64_t least = 0, arc = -1;
        for (int64_t e = b * block; e < (b + 1) * block; e++) {
            int64_t reduced = cost[e] - price[tail[e]] + price[head[e]];
            if (reduced < least) least = reduced, arc = e;
        }
        out[b] = arc;
    }
    return 0;
}

OPERATION(arcs_woven) {
    const uint32_t *tail = in[0], *head = in[1];
    const int64_t *cost = in[2], *price = in[3];
    int64_t *out = result, A = len[0] * block;
    for (int64_t b = 0; b < len[0]; b++) {
        int64_t least = 0, arc = -1;
        for (int64_t e = b * block; e < (b + 1) * block; e++) {
            int64_t ahead = e + K < A ? e + K : A - 1;
            ask(&price[tail[ahead]]), ask(&price[head[ahead]]);
            int64_t reduced = cost[e] - price[tail[e]] + price[head[e]];
            if (reduced < least) least = reduced, arc = e;
        }
        out[b] = arc;
    }
    return 0;
}

// Spatter's gather and scatter (Lavin et al., MEMSYS 2020). By hand, K places ahead: in the same row of a long pattern, rows further
// of a short one.
OPERATION(spread_naive) {
    (void)K;
    const double *from = in[0];
    const int64_t *pattern = in[1], delta = *(const int64_t *)in[2];
    double *out = result;
    for (int64_t i = 0; i < len[3]; i++)
        for (int64_t j = 0; j < len[1]; j++) out[i * len[1] + j] = from[pattern[j] + delta * i];
    return 0;
}

OPERATION(spread_woven) {
    const double *from = in[0];
    const int64_t *pattern = in[1], delta = *(const int64_t *)in[2], L = len[1];
    double *out = result;
    for (int64_t i = 0; i < len[3]; i++)
        for (int64_t j = 0; j < L; j++) {
            ask(&from[L > K ? pattern[j + K < L ? j + K : L - 1] + delta * i : pattern[j] + delta * (i + (K + L - 1) / L)]);
            out[i * L + j] = from[pattern[j] + delta * i];
        }
    return 0;
}

OPERATION(strew_naive) {
    (void)K;
    const double *to = in[0], *what = in[3];
    const int64_t *pattern = in[1], delta = *(const int64_t *)in[2];
    double *out = result;
    for (int64_t n = 0; n < len[0]; n++) out[n] = to[n];
    for (int64_t i = 0; i < len[3]; i++)
        for (int64_t j = 0; j < len[1]; j++) out[pattern[j] + delta * i] = what[i * len[1] + j];
    return 0;
}

OPERATION(strew_woven) {
    const double *to = in[0], *what = in[3];
    const int64_t *pattern = in[1], delta = *(const int64_t *)in[2], L = len[1];
    double *out = result;
    for (int64_t n = 0; n < len[0]; n++) out[n] = to[n];
    for (int64_t i = 0; i < len[3]; i++)
        for (int64_t j = 0; j < L; j++) {
            __builtin_prefetch(&out[L > K ? pattern[j + K < L ? j + K : L - 1] + delta * i : pattern[j] + delta * (i + (K + L - 1) / L)], 1, 3);
            out[pattern[j] + delta * i] = what[i * L + j];
        }
    return 0;
}
