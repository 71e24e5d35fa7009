// Floating-point constants, constant pools of wide vectors, loops that compilers
// vectorise. Every result is exact, so the order of sums does not matter.
typedef long i64;
typedef union { double d; i64 i; } bits;

i64 polynomial(i64 x) {
	double v = (double)x * 0.25;
	bits b = {.d = ((v * 3.5 + 1.25) * v - 2.0) * v + 0.5};
	return b.i;
}

i64 narrow(i64 x) {
	float v = (float)x;
	return (i64)(v * 1.5f + 0.25f);
}

static const int weights[64] = {
	3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5,
	0, 2, 8, 8, 4, 1, 9, 7, 1, 6, 9, 3, 9, 9, 3, 7, 5, 1, 0, 5, 8, 2, 0, 9, 7, 4, 9, 4, 4, 5, 9, 2};

i64 lanes(i64 x) {
	static int buffer[64];
	for (int i = 0; i < 64; i++)
		buffer[i] = (weights[i] ^ (i * 7 + (int)x)) & 0xffff;
	i64 sum = 0;
	for (int i = 0; i < 64; i++)
		sum += (i64)buffer[i] * (i + 1);
	return sum;
}

i64 vectors(i64 x) {
	double v[32], sum = 0;
	for (int i = 0; i < 32; i++)
		v[i] = (double)(i + x) * (1.0 / 1024) + (double)(1 << (i & 7));
	for (int i = 0; i < 32; i++)
		sum += v[i];
	bits b = {.d = sum};
	return b.i;
}

// A shuffle whose indices are a constant of the width of a register.
typedef signed char bytes64 __attribute__((vector_size(64)));
i64 shuffle(i64 x) {
	bytes64 v;
	for (int i = 0; i < 64; i++)
		v[i] = (signed char)(i * 3 + x);
	v += (bytes64){63, 1, 62, 2, 61, 3, 60, 4, 59, 5, 58, 6, 57, 7, 56, 8, 55, 9, 54, 10, 53, 11, 52, 12, 51, 13, 50, 14, 49, 15, 48, 16,
		47, 17, 46, 18, 45, 19, 44, 20, 43, 21, 42, 22, 41, 23, 40, 24, 39, 25, 38, 26, 37, 27, 36, 28, 35, 29, 34, 30, 33, 31, 32, 0};
	i64 h = 0;
	for (int i = 0; i < 64; i++)
		h = h * 31 + v[i];
	return h;
}
