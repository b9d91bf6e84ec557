/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int err_setv(struct err *e, int status, const char *fmt, va_list ap)
{
    if (e) {
        struct err set = {.status = status}; /* the arguments may include e's own text */
        vsnprintf(set.text, sizeof set.text, fmt, ap);
        *e = set;
    }
    return -1;
}

int err_set(struct err *e, int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int rc = err_setv(e, status, fmt, ap);
    va_end(ap);
    return rc;
}

int err_in(struct err *e, int status, const char *file, uint64_t line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    err_setv(e, status, fmt, ap);
    va_end(ap);
    if (line)
        err_line(e, line);
    return err_file(e, file);
}

/* Inserts place k of the text, unless this place is set. */
__attribute__((format(printf, 3, 4))) static int put(struct err *e, int k, const char *fmt, ...)
{
    if (!e)
        return -1;
    char place[ERR_BYTES], after[ERR_BYTES], *at = e->text;
    uint16_t *length[] = {&e->file, &e->frame, &e->line, &e->atom};
    va_list ap;
    if (*length[k])
        return -1;
    for (int i = 0; i < k; i++)
        at += *length[i];
    size_t room = (size_t)(e->text + ERR_BYTES - at);
    va_start(ap, fmt);
    vsnprintf(place, room, fmt, ap);
    va_end(ap);
    strcpy(after, at);
    snprintf(at, room, "%s%s", place, after);
    *length[k] = (uint16_t)strlen(place);
    return -1;
}

int err_file(struct err *e, const char *name)
{
    return put(e, 0, "%.900s: ", name); /* leaves room for the other places */
}

int err_frame(struct err *e, uint64_t frame)
{
    return put(e, 1, "frame %" PRIu64 ": ", frame);
}

int err_line(struct err *e, uint64_t line)
{
    return put(e, 2, "line %" PRIu64 ": ", line);
}

int err_atom(struct err *e, uint64_t atom)
{
    return put(e, 3, "atom %" PRIu64 ": ", atom);
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
    char a[32], b[32];
    struct err what;
    va_list ap;
    if (limit == 0 || need <= (double)limit)
        return 0;
    va_start(ap, fmt);
    err_setv(&what, ERR_MEMORY, fmt, ap);
    va_end(ap);
    const char *comma = help ? ", or " : "";
    return err_set(
        e, ERR_MEMORY,
        "%s of memory is needed for %.900s, but the limit is %s (use a larger --max-mem%s%s)",
        err_size(need, a), what.text, err_size((double)limit, b), comma, help ? help : "");
}

int err_memory(struct err *e, const char *what)
{
    return err_set(e, ERR_MEMORY, "out of memory for %s", what);
}
