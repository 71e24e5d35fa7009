/* Sends another package: starts "counter" on every node, with its own payload.
 *
 *     godwit cc dispatch.c -o dispatch.gwp --key ci.key
 *
 * Payload: what each counter adds, 8 bytes, little-endian. The node that it is sent to
 * must hold the package counter; the others ask for it. Reply: how many nodes it was
 * sent to, 8 bytes, little-endian; the counters run on after that. A counter that is
 * granted its region replies too, and the first reply is the request's: send this
 * package without grants, or take any reply as the sign that it is done. */
#include "godwit.h"

enum { most = 1024 };

void dispatch_main(void *payload, size_t size, void *target_args)
{
	static uint32_t nodes[most];
	size_t alive = gw_nodes(nodes, most);
	uint64_t sent = 0;
	(void)target_args;
	for (size_t i = 0; i < alive && i < most; i++)
		if (gw_send("counter", nodes[i], payload, size) == GW_OK)
			sent++;
		else
			gw_log("dispatch: a node cannot be reached");
	gw_reply(&sent, sizeof sent);
}
