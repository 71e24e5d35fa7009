/* A pointer chase that moves to the data: follows i = next[i] through a table that lies
 * in equal parts on several nodes, and forwards itself to the owner of the next index
 * whenever that is elsewhere. The last owner replies where it has arrived.
 *
 *     godwit cc chaser.c -o chaser.gwp --key ci.key
 *
 * The region "table" on each owner holds its rows, as indices of 8 bytes into the whole
 * table. Arguments are text: the first index, how many steps, rows on each node, and
 * the owners in order; without owners, all nodes in ascending order:
 *
 *     0 1000000 65536
 *     0 1000000 65536 3 1 4
 *
 * Reply: the last index, 8 bytes, little-endian. There is no reply if the table is
 * missing or holds an index beyond its end. */
#include "godwit.h"

/* The payload: what travels from owner to owner. */
struct state {
	uint64_t at, depth, rows; /* the next index, steps left, rows on each node */
	uint64_t owners;
	uint32_t owner[];
};

void chaser_main(void *payload, size_t size, void *target_args)
{
	struct state *s = payload;
	size_t room, part = 0;
	const uint64_t *table = gw_region("table", &room);
	(void)target_args;
	if (size < sizeof *s || s->owners != (size - sizeof *s) / sizeof s->owner[0] || s->rows == 0) {
		gw_log("chaser: the payload is none");
		return;
	}
	while (part < s->owners && s->owner[part] != gw_node())
		part++;
	if (part == s->owners || room / sizeof *table < s->rows) {
		gw_log("chaser: this node owns no part, or its region \"table\" is missing or too short");
		return;
	}
	/* An index before the first row becomes a huge number. */
	uint64_t first = part * s->rows;
	while (s->depth > 0 && s->at - first < s->rows) {
		s->at = table[s->at - first];
		s->depth--;
	}
	if (s->depth == 0)
		gw_reply(&s->at, sizeof s->at);
	else if (s->at / s->rows >= s->owners)
		gw_log("chaser: the table holds an index beyond its end");
	else if (gw_self_forward(s->owner[s->at / s->rows], s, size) != GW_OK)
		gw_log("chaser: the owner of the next index cannot be reached");
}

enum { most = 1024 }; /* owners */

size_t chaser_payload_bound(const void *args, size_t size)
{
	(void)args, (void)size;
	return sizeof(struct state) + most * sizeof(uint32_t);
}

/* Reads the next decimal number; -1 if there is none. */
static int number(const char **at, const char *end, uint64_t *value)
{
	while (*at < end && (**at == ' ' || **at == '\n'))
		++*at;
	const char *start = *at;
	for (*value = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
		uint64_t digit = (uint64_t)(**at - '0');
		if (*value > (UINT64_MAX - digit) / 10)
			return -1;
		*value = *value * 10 + digit;
	}
	return *at > start ? 0 : -1;
}

/* Returns 1 for arguments that are not numbers, 2 for no rows, 3 for too many owners. */
int chaser_payload_init(void *payload, size_t *payload_size, const void *args, size_t size)
{
	struct state *s = payload;
	const char *at = args, *end = at + size;
	uint64_t owner;
	if (number(&at, end, &s->at) || number(&at, end, &s->depth) || number(&at, end, &s->rows))
		return 1;
	if (s->rows == 0)
		return 2;
	for (s->owners = 0; number(&at, end, &owner) == 0; s->owners++) {
		if (s->owners == most || owner > UINT32_MAX)
			return 3;
		s->owner[s->owners] = (uint32_t)owner;
	}
	if (at != end)
		return 1;
	if (s->owners == 0)
		s->owners = gw_nodes(s->owner, most);
	if (s->owners > most)
		return 3;
	*payload_size = sizeof *s + s->owners * sizeof s->owner[0];
	return 0;
}
