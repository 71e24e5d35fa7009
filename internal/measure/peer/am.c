// What a C programmer writes with UCX: active messages that add to a counter of the target.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <ucp/api/ucp.h>

enum { ADD = 1, ASK = 2, TOLD = 3, REST = 4, SLOTS = 4096, WINDOW = 512 };

static ucp_context_h context;
static ucp_worker_h worker;
static ucp_ep_h peer;
static uint64_t counter, told, answers, started, finished;
static uint64_t slots[SLOTS];
static unsigned slot;
static int resting;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static void sent(void *request, ucs_status_t status, void *user) {
  finished++;
  ucp_request_free(request);
}

static void send_am(unsigned id, uint64_t value) {
  static const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK, .cb.send = sent};
  uint64_t *s = &slots[slot++ % SLOTS];
  *s = value;
  void *r = ucp_am_send_nbx(peer, id, 0, 0, s, sizeof *s, &param);
  if (UCS_PTR_IS_ERR(r)) exit(3);
  if (r) started++;
  while (started - finished > WINDOW) ucp_worker_progress(worker);
}

static ucs_status_t add(void *arg, const void *h, size_t hl, void *data, size_t n, const ucp_am_recv_param_t *p) {
  counter += *(uint64_t *)data;
  return UCS_OK;
}

static ucs_status_t ask(void *arg, const void *h, size_t hl, void *data, size_t n, const ucp_am_recv_param_t *p) {
  counter += *(uint64_t *)data;
  send_am(TOLD, counter);
  return UCS_OK;
}

static ucs_status_t tell(void *arg, const void *h, size_t hl, void *data, size_t n, const ucp_am_recv_param_t *p) {
  told = *(uint64_t *)data;
  answers++;
  return UCS_OK;
}

static ucs_status_t rest(void *arg, const void *h, size_t hl, void *data, size_t n, const ucp_am_recv_param_t *p) {
  resting = 1;
  return UCS_OK;
}

static void handle(unsigned id, ucp_am_recv_callback_t f) {
  ucp_am_handler_param_t h = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_FLAGS,
                              .id = id, .cb = f, .flags = UCP_AM_FLAG_WHOLE_MSG};
  if (ucp_worker_set_am_recv_handler(worker, &h)) exit(3);
}

static int order(const void *a, const void *b) {
  double x = *(double *)a, y = *(double *)b;
  return x < y ? -1 : x > y;
}

static void begin(int fd) {
  ucp_params_t p = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_AM};
  ucp_worker_params_t w = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE, .thread_mode = UCS_THREAD_MODE_SINGLE};
  ucp_address_t *address;
  size_t size;
  static char other[65536];
  if (ucp_init(&p, 0, &context) || ucp_worker_create(context, &w, &worker) || ucp_worker_get_address(worker, &address, &size)) exit(3);
  if (write(fd, address, size) != (ssize_t)size || read(fd, other, sizeof other) <= 0) exit(3);
  ucp_ep_params_t e = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS, .address = (void *)other};
  if (ucp_ep_create(worker, &e, &peer)) exit(3);
  handle(ADD, add), handle(ASK, ask), handle(TOLD, tell), handle(REST, rest);
  char b = 0;
  if (write(fd, &b, 1) != 1 || read(fd, &b, 1) != 1) exit(3);
}

// The commands: "trips N" has N increments one after the other, and says the median seconds of one there and back;
// "rate N" has N increments one way, and says the seconds of all. Both say the counter.
int main(void) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) return 3;
  pid_t child = fork();
  if (child < 0) return 3;
  int here = child != 0;
  close(pair[!here]);
  int fd = pair[here];
  begin(fd);
  char what[16] = "";
  if (!here) // the target sleeps between commands, so that nobody else is kept from a processor
    for (;;) {
      if (read(fd, what, 1) != 1) _exit(0);
      for (resting = 0; !resting;) ucp_worker_progress(worker);
    }
  long n;
  uint64_t total = 0;
  while (scanf("%15s %ld", what, &n) == 2) {
    double took;
    if (write(fd, what, 1) != 1) return 3;
    if (!strcmp(what, "trips")) {
      double *all = malloc(n * sizeof *all);
      for (long i = 0; i < n; i++) {
        uint64_t before = answers;
        double t = now();
        send_am(ASK, 1);
        while (answers == before) ucp_worker_progress(worker);
        all[i] = now() - t;
      }
      qsort(all, n, sizeof *all, order);
      took = all[n / 2];
      total += n;
      free(all);
    } else {
      double t = now();
      for (long i = 0; i < n; i++) send_am(ADD, 1);
      uint64_t before = answers;
      send_am(ASK, 0); // behind all others
      while (answers == before) ucp_worker_progress(worker);
      took = now() - t;
      total += n;
    }
    send_am(REST, 0);
    while (started != finished) ucp_worker_progress(worker);
    printf("ok %.9g %d\n", took, told == total);
    fflush(stdout);
  }
  close(fd);
  return waitpid(child, 0, 0) != child;
}
