/* SPDX-License-Identifier: MIT */
/* tolerance_refuse.h: how tolerance*.c say that two streams cannot be compared. Not for tools. */
#ifndef MBF_TOLERANCE_REFUSE_H
#define MBF_TOLERANCE_REFUSE_H

#include <stddef.h>

/* Fill err and *status; returns -1. */
int tolerance_refuse(int *status, int value, char *err, size_t errlen, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
