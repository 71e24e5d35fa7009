// What a C programmer writes to sum an NPY file of f32.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  unsigned char head[10];
  FILE *f = argc == 2 ? fopen(argv[1], "rb") : 0;
  if (!f || fread(head, 1, 10, f) != 10) return 1;
  long at = 10 + head[8] + 256 * head[9];
  fseek(f, 0, SEEK_END);
  long n = (ftell(f) - at) / 4;
  float *x = malloc(n * 4 + 1);
  fseek(f, at, SEEK_SET);
  if (!x || fread(x, 4, n, f) != (size_t)n) return 1;
  float sum = 0;
  for (long i = 0; i < n; i++) sum += x[i];
  printf("%.9g\n", sum);
  return 0;
}
