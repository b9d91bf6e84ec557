/* SPDX-License-Identifier: MIT */
#include "g4/g4_series.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_VALUES ((size_t)1 << 17) /* values per array: 1 MiB */

struct g4_series {
    struct frame_writer *w;
    struct pairs_team *team; /* NULL if the input is PAIR */
    enum frame_dtype dtype;  /* number type of the input */
    size_t natoms, ncomp, step_bytes;
    size_t cap, have; /* steps per array, and steps in it so far */
    double *v;        /* [cap][ncomp] */
    uint64_t index;   /* index of the first step */
    double time;
};

/* Puts S_ in front of each name in data.component. */
static int put_meta(struct meta *m)
{
    const char *list = meta_get(m, "data.component");
    char columns[256] = "", *to = columns;
    for (const char *p = list ? list : ""; *p && to < columns + sizeof columns - 4; p++) {
        if (*p != ' ' && (p == list || p[-1] == ' '))
            to = stpcpy(to, "S_");
        *to++ = *p;
    }
    *to = '\0';
    return meta_set(m, "data.columns", columns) | meta_set(m, "data.quantity", "series") |
           meta_set(m, "data.label.of", "S:Σb") |
           meta_setf(m, "data.convention", "S = sum_p b_p over unordered pairs p = (i<j), %s",
                     pairs_images(m));
}

struct g4_series *g4_series_open(const struct traj_info *info, const struct pairs *p, int threads,
                                 struct frame_writer *w, struct meta *m, struct err *e)
{
    struct g4_series *s = calloc(1, sizeof *s);
    int posn = info->type == FRAME_POSN;
    if (s) {
        size_t n = info->natoms;
        s->w = w;
        s->dtype = info->dtype;
        s->natoms = n;
        s->ncomp = posn ? (size_t)p->ncomp : info->ncomp;
        s->step_bytes =
            (posn ? 3 * n : s->ncomp * (n * (n - 1) / 2)) * frame_dtype_size(info->dtype);
        s->cap = BLOCK_VALUES / s->ncomp;
        s->v = malloc(s->cap * s->ncomp * sizeof *s->v);
        s->team = posn ? pairs_team_new(p, PAIRS_SUMS, threads) : NULL;
    }
    if (!s || !s->v || (posn && !s->team) || put_meta(m))
        err_set(e, ERR_MEMORY, "out of memory");
    else if (frame_put_meta(w, m))
        *e = *frame_writer_error(w);
    else
        return s;
    g4_series_free(s);
    return NULL;
}

static int put(struct g4_series *s, struct err *e)
{
    struct frame_desc d = {.type = FRAME_SERI,
                           .dtype = FRAME_F64,
                           .ndim = 2,
                           .dims = {s->have, s->ncomp},
                           .index = s->index,
                           .time = s->time,
                           .flags = FRAME_CRITICAL};
    if (s->have && frame_put(s->w, &d, s->v)) {
        *e = *frame_writer_error(s->w);
        return -1;
    }
    s->have = 0;
    return 0;
}

int g4_series_add(struct g4_series *s, const struct traj_block *b, uint64_t frame, struct err *e)
{
    size_t es = frame_dtype_size(s->dtype);
    for (size_t k = 0, n; k < b->nsteps; k += n) {
        const char *data = (const char *)b->data + k * s->step_bytes;
        double *to = s->v + s->have * s->ncomp;
        n = b->nsteps - k < s->cap - s->have ? b->nsteps - k : s->cap - s->have;
        if (s->have == 0) {
            s->index = b->index + k;
            s->time = b->time[k];
        }
        struct pairs_steps steps = {n, b->box + k, data, frame + k};
        if (s->team && pairs_team_sums(s->team, &steps, to, e))
            return -1;
        for (size_t i = 0; !s->team && i < n * s->ncomp; i++)
            to[i] = SIMD_PICK(pairs_sum)(s->dtype, s->natoms,
                                         data + i * (s->natoms * (s->natoms - 1) / 2) * es);
        s->have += n;
        if (s->have == s->cap && put(s, e))
            return -1;
    }
    return 0;
}

int g4_series_end(struct g4_series *s, struct err *e)
{
    if (put(s, e))
        return -1;
    if (frame_end(s->w, FRAME_COMPLETE, NULL, NULL) == 0)
        return 0;
    *e = *frame_writer_error(s->w);
    return -1;
}

void g4_series_free(struct g4_series *s)
{
    if (!s)
        return;
    pairs_team_free(s->team);
    free(s->v);
    free(s);
}
