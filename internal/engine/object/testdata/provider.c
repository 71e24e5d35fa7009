// What outside.c needs.
typedef long i64;
i64 shared = 1000;
i64 scale(i64 x) { return x * 17 + shared; }
