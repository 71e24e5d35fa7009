/* Plays four nodes for the examples: runs a package on one, then whatever was sent.
 *
 *     nodes PACKAGE NODE number N | text ARGUMENTS
 *
 * Prints every run, reply and refusal, and at the end the counters. Sanitizers watch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "godwit.h"

#define MAIN(X) void X##_main(void *, size_t, void *)
MAIN(counter);
MAIN(chaser);
MAIN(dispatch);
size_t chaser_payload_bound(const void *, size_t);
int chaser_payload_init(void *, size_t *, const void *, size_t);

enum { count = 4, rows = 8, most = 1000 };
static const uint32_t number[count] = {1, 3, 4, 9};
static uint64_t counter[count], table[count][rows];

static struct parcel {
	const char *package;
	uint32_t node;
	void *payload;
	size_t size;
} queue[most];
static size_t begun, sent;
static struct parcel *now; /* what runs; NULL while a payload is made */

static int part(uint32_t node)
{
	for (int i = 0; i < count; i++)
		if (number[i] == node)
			return i;
	return -1;
}

uint32_t gw_node(void) { return now ? now->node : 0; }

size_t gw_nodes(uint32_t *ids, size_t max)
{
	for (size_t i = 0; i < count && i < max; i++)
		ids[i] = number[i];
	return count;
}

void *gw_region(const char *name, size_t *size)
{
	int p = now ? part(now->node) : -1;
	*size = 0;
	if (p >= 0 && strcmp(name, "counter") == 0)
		return *size = sizeof counter[p], &counter[p];
	if (p >= 0 && strcmp(name, "table") == 0)
		return *size = sizeof table[p], table[p];
	return NULL;
}

int gw_send(const char *package, uint32_t node, const void *payload, size_t size)
{
	if (part(node) < 0)
		return GW_NODE;
	if (sent == most)
		return GW_LIMIT;
	struct parcel p = {package, node, malloc(size), size};
	memcpy(p.payload, payload, size);
	queue[sent++] = p;
	return GW_OK;
}

int gw_self_forward(uint32_t node, const void *payload, size_t size)
{
	return gw_send(now->package, node, payload, size);
}

int gw_reply(const void *bytes, size_t size)
{
	uint64_t value = 0;
	memcpy(&value, bytes, size < sizeof value ? size : sizeof value);
	printf("%s replies %llu in %zu bytes from %u\n", now->package, (unsigned long long)value, size, now->node);
	return GW_OK;
}

void gw_log(const char *text) { printf("log %s\n", text); }

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	for (int i = 0; i < count * rows; i++)
		table[i / rows][i % rows] = (uint64_t)(i * 5 + 3) % (count * rows);
	if (getenv("BROKEN"))
		table[1][0] = 1ull << 40;
	uint64_t value = strtoull(argv[4], NULL, 10);
	void *payload = &value;
	size_t size = sizeof value;
	if (strcmp(argv[3], "text") == 0) {
		size = chaser_payload_bound(argv[4], strlen(argv[4]));
		payload = calloc(1, size);
		int refused = chaser_payload_init(payload, &size, argv[4], strlen(argv[4]));
		if (refused)
			return printf("refused with %d\n", refused), 0;
	}
	gw_send(argv[1], (uint32_t)atoi(argv[2]), payload, size);
	while (begun < sent) {
		now = &queue[begun++];
		if (strcmp(now->package, "counter") == 0)
			counter_main(now->payload, now->size, NULL);
		else if (strcmp(now->package, "chaser") == 0)
			chaser_main(now->payload, now->size, NULL);
		else
			dispatch_main(now->payload, now->size, NULL);
	}
	printf("%zu runs, counters", sent);
	for (int i = 0; i < count; i++)
		printf(" %llu", (unsigned long long)counter[i]);
	printf("\n");
}
