// Threads, and what the benchmark calls.
#define _GNU_SOURCE
#include "peer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { MAXTHREADS = 256, GRAIN = 4096 };

// A phase of a run, as several threads see it.
struct crew {
  struct job *job;
  part *f;
  int64_t block;
  atomic_int_fast64_t next;
  int room;  // helpers that may still join
  struct acc acc[MAXTHREADS];
};

// Helpers wait for a crew to join. The caller never waits for one that has not
// joined.
static struct {
  pthread_mutex_t m;
  pthread_cond_t wake, left;
  struct crew *crew;
  int helpers, working;
} pool = {.m = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .left = PTHREAD_COND_INITIALIZER};

// Threads claim blocks one after the other, so that a disturbed one does not
// hold up the others.
static void work(struct crew *c, struct acc *a) {
  for (;;) {
    int64_t lo = atomic_fetch_add(&c->next, c->block), n = c->job->n;
    if (lo >= n) return;
    c->f(c->job, lo, n - lo < c->block ? n : lo + c->block, a);
  }
}

static void *help(void *arg) {
  pthread_mutex_lock(&pool.m);
  for (;;) {
    while (!pool.crew || pool.crew->room == 0) pthread_cond_wait(&pool.wake, &pool.m);
    struct crew *c = pool.crew;
    struct acc *a = &c->acc[c->room--];
    pool.working++;
    pthread_mutex_unlock(&pool.m);
    work(c, a);
    pthread_mutex_lock(&pool.m);
    if (--pool.working == 0) pthread_cond_signal(&pool.left);
  }
  return arg;
}

// Starts what helpers are missing; 0, or the number of an error.
static int hire(int helpers) {
  for (; pool.helpers < helpers; pool.helpers++) {
    pthread_t t;
    int failed = pthread_create(&t, 0, help, 0);
    if (failed) return failed;
    pthread_detach(t);
  }
  return 0;
}

static void add(struct acc *a, const struct acc *b) {
  a->sum += b->sum, a->count += b->count;
  a->max = b->max > a->max ? b->max : a->max;
  for (int i = 0; i < BUCKETS; i++) a->table[i] += b->table[i];
  for (int k = 0; k < K; k++) {
    a->counts[k] += b->counts[k];
    for (int d = 0; d < D; d++) a->sums[k][d] += b->sums[k][d];
  }
}

static int phase(struct job *j, part *f, int threads) {
  static struct crew c;  // there is one run at a time
  int64_t block = j->n / (8 * threads) / GRAIN * GRAIN;
  c.job = j, c.f = f, c.room = threads - 1;
  c.block = block < GRAIN ? GRAIN : block > 16 * GRAIN ? 16 * GRAIN : block;
  atomic_store(&c.next, 0);
  memset(c.acc, 0, threads * sizeof *c.acc);
  for (int i = 0; i < threads; i++) c.acc[i].max = -3e38;
  if (threads > 1) {
    pthread_mutex_lock(&pool.m);
    int failed = hire(threads - 1);
    if (!failed) {
      pool.crew = &c;
      pthread_cond_broadcast(&pool.wake);
    }
    pthread_mutex_unlock(&pool.m);
    if (failed) return failed;
  }
  work(&c, &c.acc[0]);
  if (threads > 1) {
    pthread_mutex_lock(&pool.m);
    pool.crew = 0;
    while (pool.working) pthread_cond_wait(&pool.left, &pool.m);
    pthread_mutex_unlock(&pool.m);
  }
  for (int i = 0; i < threads; i++) add(&j->all, &c.acc[i]);
  return 0;
}

static const struct form *at(int i) {
  const struct form *f = stream_forms;
  for (; f->op && i > 0; i--) f++;
  if (f->op) return f;
  for (f = compute_forms; f->op && i > 0; i--) f++;
  return f->op ? f : 0;
}

// The name of operation and form number i, and nothing after the last.
const char *peer_op(int i) { return at(i) ? at(i)->op : ""; }
const char *peer_form(int i) { return at(i) ? at(i)->name : ""; }

// Runs form i over n elements; 0, or the number of an error.
int peer_run(int i, int threads, const void *x, const void *y, void *out, int64_t n) {
  const struct form *f = at(i);
  if (!f || threads < 1 || threads > MAXTHREADS) return 22;
  struct job j = {.x = x, .y = y, .out = out, .n = n};
  j.all.max = -3e38;
  for (int p = 0; p < PHASES && f->phase[p]; p++) {
    int failed = phase(&j, f->phase[p], threads);
    if (failed) return failed;
  }
  if (f->finish) f->finish(&j);
  return 0;
}
