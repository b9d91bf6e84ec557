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

const char *err_size(double bytes, char text[32])
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int k = 0;
    for (; bytes >= 1024 && k < 6; k++)
        bytes /= 1024;
    snprintf(text, 32, bytes < 1e6 ? "%.4g %s" : "%.3g %s", bytes, unit[k]);
    return text;
}

int err_over(struct err *e, double need, uint64_t limit, const char *help, const char *fmt, ...)
{
    char what[ERR_BYTES], a[32], b[32];
    va_list ap;
    if (limit == 0 || need <= (double)limit)
        return 0;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return err_set(e, ERR_MEMORY, "%s of memory needed for %.900s, %s allowed (--max-mem%s%s)",
                   err_size(need, a), what, err_size((double)limit, b), help ? "; " : "",
                   help ? help : "");
}

int err_memory(struct err *e, const char *what)
{
    return err_set(e, ERR_MEMORY, "out of memory for %s", what);
}
