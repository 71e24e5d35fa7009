// What calls are measured and tested with.
typedef long i64;
void empty(void *block, i64 lo, i64 hi) { (void)block, (void)lo, (void)hi; }

void many(void (*f)(void *, i64, i64), i64 n) {
	for (i64 i = 0; i < n; i++)
		((void (*volatile)(void *, i64, i64))f)(0, i, n);
}

void range(i64 *block, i64 lo, i64 hi) {
	block[0] = lo;
	block[1] = hi;
	block[2]++;
}

i64 six(i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
	return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}

// Says that it runs, and runs until the word is set, for at most so many turns.
void wait(volatile i64 *words, i64 turns, i64 unused) {
	(void)unused;
	words[1] = 1;
	for (; !words[0] && turns > 0; turns--)
		;
}
