/* A counter beside the data: adds to a number in the node's region "counter", and
 * replies the new value.
 *
 *     godwit cc counter.c -o counter.gwp --key ci.key
 *
 * Payload: what to add, 8 bytes, little-endian. Reply: the new value, likewise. There is
 * no reply if the payload has another size or the region was not granted. */
#include "godwit.h"

void counter_main(void *payload, size_t size, void *target_args)
{
	size_t room;
	uint64_t *counter = gw_region("counter", &room);
	(void)target_args;
	if (size != sizeof(uint64_t) || room < sizeof *counter) {
		gw_log("counter: expected a payload of 8 bytes and a region \"counter\" of 8 bytes or more");
		return;
	}
	/* Several calls may be under way in the region at once. */
	uint64_t add = *(uint64_t *)payload;
	uint64_t now = __atomic_add_fetch(counter, add, __ATOMIC_RELAXED);
	gw_reply(&now, sizeof now);
}
