// The programs beside this file in C. Each line of standard input is a name
// and two sizes; the answer is a line with the result, and the nanoseconds
// of the function alone, by the wall and of the processor.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t coins(const int64_t *coin, int64_t n, int64_t total) {
  uint64_t *w = calloc(total + 1, sizeof *w);
  w[0] = 1;
  for (int64_t i = 0; i < n; i++)
    for (int64_t t = coin[i]; t <= total; t++) w[t] += w[t - coin[i]];
  uint64_t r = w[total];
  free(w);
  return r;
}

static int64_t find(int64_t *parent, int64_t x) {
  while (parent[x] != x) {
    parent[x] = parent[parent[x]];
    x = parent[x];
  }
  return x;
}

static int64_t join(const int64_t *a, const int64_t *b, int64_t n, int64_t edges) {
  int64_t *parent = malloc(n * sizeof *parent), parts = n;
  for (int64_t i = 0; i < n; i++) parent[i] = i;
  for (int64_t e = 0; e < edges; e++) {
    int64_t x = find(parent, a[e]), y = find(parent, b[e]);
    if (x == y) continue;
    if (x < y) parent[y] = x; else parent[x] = y;
    parts--;
  }
  free(parent);
  return parts;
}

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }

static int32_t levenshtein(const uint8_t *a, const uint8_t *b, int64_t n, int64_t m) {
  int32_t *above = malloc((m + 1) * sizeof *above), *row = malloc((m + 1) * sizeof *row);
  for (int64_t j = 0; j <= m; j++) above[j] = j;
  for (int64_t i = 0; i < n; i++) {
    row[0] = i + 1;
    for (int64_t j = 0; j < m; j++)
      row[j + 1] = least(least(above[j] + (a[i] != b[j]), above[j + 1] + 1), row[j] + 1);
    int32_t *t = above; above = row; row = t;
  }
  int32_t r = above[m];
  free(above);
  free(row);
  return r;
}

static int32_t lcs(const uint8_t *a, const uint8_t *b, int64_t n, int64_t m) {
  int32_t *above = calloc(m + 1, sizeof *above), *row = calloc(m + 1, sizeof *row);
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < m; j++)
      row[j + 1] = a[i] == b[j] ? above[j] + 1 : most(above[j + 1], row[j]);
    int32_t *t = above; above = row; row = t;
  }
  int32_t r = above[m];
  free(above);
  free(row);
  return r;
}

static int64_t sieve(int64_t n) {
  bool *prime = malloc(n);
  memset(prime, true, n);
  prime[0] = prime[1] = false;
  for (int64_t i = 2; i * i < n; i++)
    if (prime[i])
      for (int64_t m = i * i; m < n; m += i) prime[m] = false;
  int64_t r = 0;
  for (int64_t i = 0; i < n; i++) r += prime[i];
  free(prime);
  return r;
}

static int64_t insertion(const int32_t *v, int64_t n) {
  int32_t *x = malloc(n * sizeof *x);
  memcpy(x, v, n * sizeof *x);
  for (int64_t i = 1; i < n; i++) {
    int32_t new = x[i];
    int64_t to = i;
    for (; to > 0 && x[to - 1] > new; to--) x[to] = x[to - 1];
    x[to] = new;
  }
  int64_t r = x[0] + 3 * (int64_t)x[n / 2] + 5 * (int64_t)x[n - 1];
  free(x);
  return r;
}

static int64_t scatter(int64_t n) {
  int64_t *x = calloc(n, sizeof *x), r = 0;
  for (int64_t i = 0; i < n; i++) x[i * 7919 % n]++;
  for (int64_t i = 0; i < n; i++) r = x[i] > r ? x[i] : r;
  free(x);
  return r;
}

// random is the sequence that the test fills the same arguments from.
static uint64_t state;
static uint64_t random_below(uint64_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % n;
}
#define FILL(T, p, n, below) \
  T *p = malloc((n) * sizeof *p); \
  for (int64_t i = 0; i < (n); i++) p[i] = random_below(below)

static int64_t now(clockid_t c) {
  struct timespec t;
  clock_gettime(c, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}
#define TIMED(f) wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID), r = f, \
  cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu, wall = now(CLOCK_MONOTONIC) - wall

int main(void) {
  char name[32];
  long n, m;
  int64_t r = 0, wall = 0, cpu = 0;
  while (scanf("%31s %ld %ld", name, &n, &m) == 3) {
    state = 1;
    if (!strncmp(name, "coins", 5)) {
      int64_t coin[] = {1, 2, 5, 10, 20, 50, 100, 200};
      TIMED((int64_t)coins(coin, 8, n));
    } else if (!strcmp(name, "union")) {
      FILL(int64_t, a, m, n);
      FILL(int64_t, b, m, n);
      TIMED(join(a, b, n, m));
      free(a), free(b);
    } else if (!strcmp(name, "levenshtein") || !strcmp(name, "lcs")) {
      FILL(uint8_t, a, n, 4);
      FILL(uint8_t, b, m, 4);
      if (name[1] == 'e') TIMED(levenshtein(a, b, n, m)); else TIMED(lcs(a, b, n, m));
      free(a), free(b);
    } else if (!strcmp(name, "insertion")) {
      FILL(int32_t, v, n, 1 << 30);
      TIMED(insertion(v, n));
      free(v);
    } else if (!strcmp(name, "sieve")) {
      TIMED(sieve(n));
    } else if (!strcmp(name, "scatter")) {
      TIMED(scatter(n));
    }
    printf("%ld %ld %ld\n", (long)r, (long)wall, (long)cpu);
    fflush(stdout);
  }
}
