// Jump tables, string tables, tables of pointers and of functions: what becomes
// .rodata, .rodata.str*, .data.rel.ro and relocations in data. Freestanding.
typedef long i64;

i64 jump(i64 x) {
	switch (x) {
	case 0: return 7;
	case 1: return x * 19;
	case 2: return 23 - x;
	case 3: return x << 5;
	case 4: return x ^ 99;
	case 5: return 1234567;
	case 6: return x * x * x;
	case 7: return -x;
	case 8: return x % 3 + 41;
	case 9: return 1 << 20;
	}
	return -1;
}

static const char *const names[] = {"zero", "one", "two", "three", "four", "five", "zero", "seventeen"};

i64 strings(i64 x) {
	i64 h = 5381;
	for (const char *s = names[x & 7]; *s; s++)
		h = h * 33 + *s;
	return h;
}

struct node {
	i64 value;
	const struct node *next;
	i64 *counter;
};
i64 counters[3] = {100, 200, 300};
extern const struct node third;
const struct node first = {1, &third, &counters[1]};
static const struct node second = {2, &first, counters};
const struct node third = {3, &second, &counters[2]};

i64 ring(i64 x) {
	i64 sum = 0;
	const struct node *n = &first;
	for (i64 i = 0; i < x; i++, n = n->next)
		sum = sum * 3 + n->value + *n->counter;
	return sum;
}

static i64 twice(i64 x) { return 2 * x; }
static i64 square(i64 x) { return x * x; }
i64 negate(i64 x) { return -x; }
typedef i64 (*function)(i64);
static function const steps[] = {twice, square, negate, twice};
static function swapped[] = {negate, twice};

i64 functions(i64 x) {
	i64 v = x;
	for (int i = 0; i < 4; i++)
		v = steps[(i + x) & 3](v) + 1;
	return swapped[x & 1](v);
}
