/* SPDX-License-Identifier: MIT */
#include "formats/format_parts.h"

#include <math.h>
#include <stdlib.h>

struct stamp {
    int64_t step;
    double time, off; /* ps, or NaN if absent */
    int file;
    bool has_step, drop;
};

struct format_parts {
    struct stamp *s;
    size_t n, cap;
    bool steps; /* parts are found by steps, otherwise by times */
};

struct format_parts *format_parts_new(void)
{
    return calloc(1, sizeof(struct format_parts));
}

void format_parts_free(struct format_parts *p)
{
    if (p)
        free(p->s);
    free(p);
}

int format_parts_add(struct format_parts *p, int file, const struct format_frame *f, bool has_step,
                     struct err *e)
{
    if (p->n == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 1024;
        struct stamp *s = realloc(p->s, cap * sizeof *s);
        if (!s)
            return err_memory(e, "the times of all frames");
        p->s = s;
        p->cap = cap;
    }
    p->s[p->n++] = (struct stamp){
        .step = f->step, .time = f->time, .off = f->off, .file = file, .has_step = has_step};
    return 0;
}

/* Chooses steps if all frames have steps and the steps differ. Returns -1 if neither these steps
 * nor times exist. */
static int choose(struct format_parts *p, struct err *e)
{
    bool differ = false, times = true;
    p->steps = true;
    for (size_t k = 0; k < p->n; k++) {
        p->steps = p->steps && p->s[k].has_step;
        differ = differ || p->s[k].step != p->s[0].step;
        times = times && !isnan(p->s[k].time);
    }
    p->steps = p->steps && differ;
    return p->steps || times
               ? 0
               : err_bad(e, "--drop-overlap: expected frames with steps or times, found neither");
}

/* Returns whether a is not earlier than b. */
static bool reaches(const struct format_parts *p, const struct stamp *a, const struct stamp *b)
{
    return p->steps ? a->step >= b->step : a->time >= b->time - a->off - b->off;
}

/* Returns whether frame k begins a part. Rounded times within a file may be equal. */
static bool begins(const struct format_parts *p, size_t k)
{
    const struct stamp *a = &p->s[k - 1], *b = &p->s[k];
    return p->steps || a->file != b->file ? reaches(p, a, b) : b->time < a->time;
}

int format_parts_end(struct format_parts *p, char *const *paths, uint64_t *dropped, struct err *e)
{
    const struct stamp *first = NULL; /* earliest first frame of the later parts */
    *dropped = 0;
    if (choose(p, e) != 0)
        return -1;
    for (size_t k = p->n; k-- > 0;) {
        struct stamp *s = &p->s[k];
        s->drop = first && reaches(p, s, first);
        *dropped += s->drop;
        if (k > 0 && begins(p, k) && (!first || !reaches(p, s, first)))
            first = s;
    }
    if (p->n == 0 || !p->s[0].drop)
        return 0;
    const char *late = paths ? paths[first->file] : "stdin", *all = paths ? paths[0] : "stdin";
    return err_bad(e,
                   "--drop-overlap: %s begins no later than %s and would replace it completely "
                   "(give the files in order of time)",
                   late, all);
}

bool format_parts_drop(const struct format_parts *p, int file, uint64_t frame)
{
    size_t k = 0;
    if (!p)
        return false;
    for (size_t half = p->n; half > 0; half /= 2) /* bisects to the first frame of the file */
        while (k + half <= p->n && p->s[k + half - 1].file < file)
            k += half;
    return p->s[k + frame].drop;
}
