/* SPDX-License-Identifier: MIT */
/*
 * imd_link.h: the connection to an engine that serves IMDv3 (imd.c reads what comes). One end:
 * whatever ends the session, its bytes end, and why is kept in words.
 */
#ifndef MBF_IMD_LINK_H
#define MBF_IMD_LINK_H

#include <sys/types.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

struct imd_link;

/*
 * Connect to "HOST:PORT" ("[::1]:PORT", ":PORT" is this host), wait for the engine's handshake and
 * tell it to go. wait: seconds until both must be there, however often it refuses before; silence:
 * seconds after which a session that says nothing is taken for dead (0: never). NULL with e: ERR_BAD,
 * no such address, or an engine that went away; ERR_MACHINE, no engine in time.
 */
struct imd_link *imd_link_open(const char *address, double wait, double silence, struct err *e);
/* Its descriptor, to be asked whether there is something to read. */
int imd_link_fd(const struct imd_link *l);
/* Of fdio.read, from an imd_link: up to n bytes; 0: the session is over. */
ssize_t imd_link_read(void *link, void *p, size_t n);
/* Why it is, in words; NULL: the engine closed it. */
const char *imd_link_why(void *link);
/* Take leave of the engine, which may go on; NULL is allowed. */
void imd_link_close(struct imd_link *l);

#ifdef __cplusplus
}
#endif
#endif
