/* SPDX-License-Identifier: MIT */
/* imd_link.h: connects to an MD engine that sends frames with IMDv3, which imd.c parses. The reader
 * sees the end of a session as the end of a file. */
#pragma once

#include <sys/types.h>

#include "base/err.h"

struct imd_link;

/* Connects to an MD engine, waits for its handshake and sends the start signal. The address is
 * "HOST:PORT", "[::1]:PORT" for IPv6, or ":PORT" for this host. The connection and the handshake
 * must succeed within `wait` seconds. If the engine refuses the connection, the function tries
 * again. Unless `silence` is 0, the session ends if the engine sends no data for `silence` seconds.
 * On failure, returns NULL with an error message in *e. The status of an error is ERR_BAD if the
 * address is invalid or the engine closed the connection, and ERR_MACHINE if no engine answered in
 * time. */
struct imd_link *imd_link_open(const char *address, double wait, double silence, struct err *e);
int imd_link_fd(const struct imd_link *l);
/* Reads up to n bytes from the engine, and returns their number, or 0 if the session has ended. */
ssize_t imd_link_read(void *link, void *p, size_t n);
/* Returns a phrase that states why the session ended, or NULL if the engine closed the session. */
const char *imd_link_why(void *link);
/* Disconnects from the engine, which may continue its run. NULL is allowed. */
void imd_link_close(struct imd_link *l);
