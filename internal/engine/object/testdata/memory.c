// Variables, zeroed memory, common symbols, and the calls of the C library that
// compilers make by themselves.
typedef long i64;
typedef unsigned long size;
void *memcpy(void *, const void *, size);
void *memset(void *, int, size);
int memcmp(const void *, const void *, size);
void *memmove(void *, const void *, size);

static i64 large[1 << 17]; // 1 MiB
i64 count = 41;
i64 tentative[9];          // common with -fcommon
static unsigned char aligned[64] __attribute__((aligned(1024)));

i64 zeroed(i64 x) {
	i64 sum = 0;
	for (i64 i = x; i < (1 << 17); i += 997)
		sum += large[i];
	large[x] = 0;
	return sum + ((i64)(size)aligned & 1023) + aligned[x & 63];
}

i64 counting(i64 x) {
	i64 *c = &count;
	*c += x;
	i64 now = *c;
	*c -= x;
	return now;
}

i64 copying(i64 x) {
	size n = 100 + (size)x;
	unsigned char from[256], to[256];
	memset(to, (int)x, sizeof to);
	for (int i = 0; i < 256; i++)
		from[i] = (unsigned char)(i * 5);
	memcpy(to + 3, from, n);
	memmove(to + 10, to, n);
	i64 h = memcmp(to, to + 1, n) > 0;
	for (int i = 0; i < 256; i++)
		h = h * 131 + to[i];
	return h;
}

i64 commons(i64 x) {
	tentative[x & 7] = x;
	i64 sum = 0;
	for (int i = 0; i < 9; i++)
		sum += tentative[i];
	tentative[x & 7] = 0;
	return sum;
}
