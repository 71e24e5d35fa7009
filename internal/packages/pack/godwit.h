/* godwit.h: what a function that travels as a Godwit package may call.
 *
 * A package X defines
 *
 *     void X_main(void *payload, size_t size, void *target_args);
 *
 * X_main runs on the node that the package was sent to, in a process of its own
 * that holds nothing but the code, its libraries, the payload and the regions
 * that the node's operator granted. payload is a copy that X_main may change, at an
 * address that is a multiple of 16; size is its length in bytes. target_args is
 * NULL in this version. Static variables live until the process ends, which may be
 * after any call; keep in regions what must last.
 *
 * The functions below do nothing at once but collect: parcels leave and the reply
 * goes out when X_main returns. If it crashes or runs too long, nothing is sent.
 *
 * A package may also define
 *
 *     size_t X_payload_bound(const void *args, size_t size);
 *     int    X_payload_init(void *payload, size_t *payload_size,
 *                           const void *args, size_t size);
 *
 * which run where the package is sent from, sandboxed in the same way, and make the
 * payload of what the user gave as arguments. X_payload_bound gives the most bytes
 * that the payload may take. X_payload_init gets zeroed memory of that size, with
 * *payload_size set to it; it writes the payload, sets *payload_size to the bytes
 * used and returns 0. Another number refuses the arguments and is shown to the
 * user. Without X_payload_init the arguments are the payload. While these two run,
 * gw_region gives NULL, and sending and replying return GW_FORBIDDEN.
 *
 * memcpy, memmove, memset and memcmp are always there. Other functions come from
 * the libraries that the package names (godwit cc --dep libm.so.6).
 */
#ifndef GODWIT_H
#define GODWIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What functions that return int return. */
enum {
	GW_OK = 0,
	GW_LIMIT = -1,    /* more parcels or bytes than one call may send */
	GW_NODE = -2,     /* no node of that number is alive */
	GW_PACKAGE = -3,  /* neither the name of a package nor a hash of 64 hexadecimal digits */
	GW_REPLIED = -4,  /* there is a reply already */
	GW_ARGUMENT = -5, /* a null pointer with a size that is not 0 */
	GW_FORBIDDEN = -6 /* not while a payload is made */
};

/* The number of the node that this runs on; 0 while a payload is made. */
uint32_t gw_node(void);

/* Writes the numbers of the nodes that are alive, ascending, the own one included,
 * but not more than max of them. Returns how many are alive, which may be more. */
size_t gw_nodes(uint32_t *ids, size_t max);

/* The region of that name, and in *size its length in bytes; NULL, and 0, if it
 * was not granted. The address is a multiple of 4096 and stays the same for the
 * whole call. Other packages may use the region at the same time, so use atomic
 * operations (__atomic_fetch_add). Writing to a region that was granted for reading
 * ends the call. size may be NULL. */
void *gw_region(const char *name, size_t *size);

/* The function of that name in the libraries that the node's operator exports to
 * packages; NULL if there is none. Its type is for the caller to know. */
void *gw_function(const char *name);

/* Sends this package to a node, the own one included, with a new payload, which is
 * copied. */
int gw_self_forward(uint32_t node, const void *payload, size_t size);

/* Sends another package to a node, with a payload as its X_main expects it, copied.
 * package is the name of a package that this node holds and that the same key has
 * signed, or the hash of any that it holds. */
int gw_send(const char *package, uint32_t node, const void *payload, size_t size);

/* Gives the reply, once in a call; bytes are copied. The first reply that comes back,
 * from this call or from any that it led to, is the answer; what was sent besides
 * goes on, and its replies are dropped. */
int gw_reply(const void *bytes, size_t size);

/* Writes a text to the log of the node, at most 1024 bytes of it. */
void gw_log(const char *text);

#ifdef __cplusplus
}
#endif

#endif
