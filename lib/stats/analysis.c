/* SPDX-License-Identifier: MIT */
#include "stats/analysis.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/units.h"

enum frame_type analysis_type(unsigned want)
{
    return want & ANALYSIS_SERIES       ? FRAME_SERI
           : want & ANALYSIS_VELOCITIES ? FRAME_VELO
           : want == ANALYSIS_POSITIONS ? FRAME_POSN
           : want == ANALYSIS_PAIRS     ? FRAME_PAIR
                                        : FRAME_META;
}

void notes_add(struct notes *n, enum note_kind kind, const char *fmt, ...)
{
    va_list ap;
    if (n->n == NOTES_MOST)
        return;
    struct note *to = &n->note[n->n++];
    to->kind = kind;
    va_start(ap, fmt);
    vsnprintf(to->text, sizeof to->text, fmt, ap);
    va_end(ap);
}

void notes_nm(struct notes *n, const char *option, double value, double least)
{
    if (value < least)
        notes_add(n, NOTE_OPTION, UNITS_NM, option, value, 10.0 * value);
}
