/* SPDX-License-Identifier: MIT */
/* imd_link.h: the connection to an engine that serves IMDv3; imd.c parses the data. However the
 * session ends, its bytes simply end, and the reason is kept in words. */
#ifndef MBF_IMD_LINK_H
#define MBF_IMD_LINK_H

#include <sys/types.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

struct imd_link;

/* Connects to "HOST:PORT" ("[::1]:PORT" for IPv6, ":PORT" for this host), waits for the handshake
 * of the engine and sends the start signal. Connection and handshake must succeed within `wait`
 * seconds; refused connections are retried. A session without data for `silence` seconds (0: no
 * limit) is considered dead. Returns NULL and sets *e to ERR_BAD (invalid address, or the engine
 * closed the connection) or ERR_MACHINE (no engine in time). */
struct imd_link *imd_link_open(const char *address, double wait, double silence, struct err *e);
/* Returns the file descriptor of the connection, for poll. */
int imd_link_fd(const struct imd_link *l);
/* Reads up to n bytes, as fdio.read does. Returns 0 when the session is over. */
ssize_t imd_link_read(void *link, void *p, size_t n);
/* Returns the reason for the end of the session, or NULL if the engine closed it. */
const char *imd_link_why(void *link);
/* Disconnects from the engine, which may continue its run. NULL is allowed. */
void imd_link_close(struct imd_link *l);

#ifdef __cplusplus
}
#endif
#endif
