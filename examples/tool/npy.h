/* Reads the inputs of the examples for the programs that compute their
   answers independently of Godwit. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The values of a version 1 NPY file; n becomes the number of elements of
   `width` bytes. */
static void *npy(const char *path, size_t width, long *n) {
    FILE *f = fopen(path, "rb");
    unsigned char head[10];
    if (!f || fread(head, 1, 10, f) != 10) { perror(path); exit(1); }
    fseek(f, 0, SEEK_END);
    long start = 10 + head[8] + 256 * head[9], bytes = ftell(f) - start;
    void *p = malloc(bytes + 1);
    fseek(f, start, SEEK_SET);
    if (fread(p, 1, bytes, f) != (size_t)bytes) { perror(path); exit(1); }
    fclose(f);
    *n = bytes / width;
    return p;
}

/* Column `col` (from 0) of a CSV file with a header and no quotes. */
static double *csv(const char *path, int col, long *n) {
    FILE *f = fopen(path, "r");
    char line[4096];
    double *v = malloc(1 << 20);
    *n = -1;
    if (!f) { perror(path); exit(1); }
    while (fgets(line, sizeof line, f)) {
        char *s = line;
        for (int c = 0; c < col; c++) s = strchr(s, ',') + 1;
        if (*n >= 0) v[*n] = strtod(s, 0);
        ++*n;
    }
    fclose(f);
    return v;
}
