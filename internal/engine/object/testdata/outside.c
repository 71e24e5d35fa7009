// Functions and variables of another object, and one that may be missing.
typedef long i64;
extern i64 shared;
i64 scale(i64);
i64 absent(i64) __attribute__((weak));

i64 calling(i64 x) { return scale(x) + scale(x + 1); }
i64 jumping(i64 x) { return scale(x + 2); }
i64 reading(i64 x) { return shared + x; }
i64 weakly(i64 x) { return absent ? absent(x) : x + 5; }
i64 pointing(i64 x) {
	i64 (*volatile f)(i64) = scale;
	return f(x);
}
