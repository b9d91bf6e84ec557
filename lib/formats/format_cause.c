/* SPDX-License-Identifier: MIT */
#include "formats/format_cause.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define EVEN 0.01     /* relative difference below which gaps are equal */
#define GROWTH 2.0    /* minimum ratio of the last gap to the first */
enum { GROWING = 2 }; /* minimum number of growing gaps */

static double gap(const struct format_cause *c, size_t k)
{
    return c->key[k] - c->key[k - 1];
}

/* Returns whether some gaps grow and none shrinks. */
static bool grows(const struct format_cause *c)
{
    int times = 0;
    for (size_t k = 2; k < c->n; k++)
        if (gap(c, k) < (1.0 - EVEN) * gap(c, k - 1))
            return false;
        else
            times += gap(c, k) > (1.0 + EVEN) * gap(c, k - 1);
    return times >= GROWING && gap(c, 1) > 0.0 && gap(c, c->n - 1) >= GROWTH * gap(c, 1);
}

/* Returns the first frame after which all frames are evenly spaced, if there are at least three
 * frames from it to the end, or else n. */
static size_t even_from(const struct format_cause *c)
{
    size_t k = c->n - 1;
    double last = gap(c, k);
    while (k > 0 && last > 0.0 && fabs(gap(c, k) - last) <= EVEN * last)
        k--;
    return k + 2 < c->n ? k : c->n;
}

/* Writes the value of --select for frames `first` to `stop` with the stride of the frames, such
 * as "3:9:2", ":9" or "3:". Returns text. */
static const char *selection(const struct format_cause *c, uint64_t first, uint64_t stop,
                             char text[64])
{
    int n = first ? snprintf(text, 64, "%" PRIu64 ":", first) : snprintf(text, 64, ":");
    if (stop != UINT64_MAX)
        n += snprintf(text + n, 64 - (size_t)n, "%" PRIu64, stop);
    if (c->given->step > 1)
        snprintf(text + n, 64 - (size_t)n, ":%" PRIu64, c->given->step);
    return text;
}

/* Explains an error at a frame that is later than expected or is the first frame of its file. */
static void print_gap(const struct format_cause *c, char *text, size_t capacity)
{
    size_t from = even_from(c);
    double d = c->want - c->key[c->at - 1], lost = round(gap(c, c->at) / d) - 1.0;
    uint64_t number = c->number + c->given->step * (from - c->at);
    char before[64], after[64];
    const char *frames = lost > 1.0 ? "frames are" : "frame is";
    bool uneven = grows(c) || (from == c->n && c->n > c->at + 2); /* also after the gap */
    if (!uneven && lost >= 1.0 && fabs(gap(c, c->at) - (lost + 1.0) * d) <= 0.1 * d)
        snprintf(text, capacity,
                 "%.0f %s missing (--select %s takes the frames before the gap, --select %s the "
                 "frames after it)",
                 lost, frames, selection(c, c->given->first, c->number, before),
                 selection(c, c->number, c->given->stop, after));
    else if (from + 1 >= c->at && from < c->n)
        snprintf(text, capacity,
                 "the frames are unevenly spaced up to here, but evenly spaced from frame %llu "
                 "(--select %s takes only the evenly spaced frames)",
                 (unsigned long long)number, selection(c, number, c->given->stop, after));
    else if (grows(c))
        snprintf(text, capacity,
                 "the spacing grows from frame to frame, as in logarithmic output (--uneven keeps "
                 "the time of each frame; --select takes evenly spaced frames)");
    else if (c->drift)
        snprintf(text, capacity,
                 "the times are rounded or vary (--dt PS treats the frames as evenly spaced)");
    else
        snprintf(text, capacity,
                 "the frames are unevenly spaced (--uneven keeps the time of each frame; --select "
                 "takes evenly spaced frames)");
}

int format_cause(const struct format_cause *c, struct err *e)
{
    char text[ERR_BYTES / 2], want[48];
    const int digits = c->steps ? 17 : 9;
    const char *what = c->steps ? "step" : "time", *unit = c->steps ? "" : " ps";
    if (gap(c, c->at) > 0.0 || c->drift)
        print_gap(c, text, sizeof text);
    else if (c->joins && c->restarts)
        snprintf(text, sizeof text,
                 "the steps in the header of this file do not continue those of the previous file "
                 "(--dt PS treats both files as one evenly spaced run)");
    else if (c->joins)
        snprintf(text, sizeof text,
                 "this file begins before the end of %.200s, which indicates a restart "
                 "(--drop-overlap keeps the frames of the later file where both overlap)",
                 c->joins);
    else if (gap(c, c->at) == 0.0)
        snprintf(text, sizeof text,
                 "the %s is repeated with other positions, which indicates a restart that overlaps "
                 "the earlier run (--drop-overlap keeps the later part where both overlap)",
                 what);
    else
        snprintf(text, sizeof text,
                 "the file contains a restart that overlaps the run before it (--drop-overlap "
                 "keeps the later part where both overlap)");
    snprintf(want, sizeof want, isnan(c->want) ? "a %s" : "%s %.*g%s", what, digits, c->want, unit);
    if (c->steps)
        return err_bad(e, "expected %s after %.17g, found %.17g: %s", want, c->key[c->at - 1],
                       c->key[c->at], text);
    return err_bad(e, "expected %s after %.9g ps, found %.9g ps: %s", want, c->key[c->at - 1],
                   c->key[c->at], text);
}
