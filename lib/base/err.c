/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, int status, const char *fmt, ...)
{
    if (e) {
        char text[ERR_BYTES]; /* the arguments may include e's own text */
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(text, sizeof text, fmt, ap);
        va_end(ap);
        e->status = status;
        memcpy(e->text, text, sizeof text);
    }
    return -1;
}

int err_errno(int number)
{
    return number == ENOMEM ? ERR_MEMORY : ERR_MACHINE;
}

int err_memory(struct err *e, const char *what)
{
    return err_set(e, ERR_MEMORY, "out of memory for %s", what);
}
