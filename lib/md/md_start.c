/* SPDX-License-Identifier: MIT */
#include "md/md_start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"

void md_kept_free(struct md_kept *kept, size_t n)
{
    for (size_t k = 0; kept && k < n; k++) {
        free(kept[k].frames);
        free(kept[k].thermo);
        free(kept[k].own[0]);
        free(kept[k].own[1]);
    }
    free(kept);
}

void md_start_free(struct md_start_state *b)
{
    free(b->r);
    free(b->v);
    md_kept_free(b->kept, b->nkept);
    memset(b, 0, sizeof *b);
}

int md_start_room(const struct md_params *p, struct md_start_state *b, struct err *e)
{
    size_t n, bytes;
    bool over = __builtin_mul_overflow(p->natoms, p->replicas, &n) ||
                __builtin_mul_overflow(n, 3 * sizeof *b->r, &bytes);
    if (p->max_mem && (over || bytes > p->max_mem / 2))
        return err_over(e, 2.0 * 24.0 * (double)p->natoms * (double)p->replicas, p->max_mem, NULL,
                        "the state of %zu atoms", p->natoms);
    b->r = over ? NULL : malloc(bytes);
    b->v = over ? NULL : malloc(bytes);
    if (b->r == NULL || b->v == NULL)
        return err_set(e, ERR_MEMORY, "out of memory for %zu atoms", p->natoms);
    return 0;
}

int md_start_new(struct md_setup *s, struct md_params *p, struct md_start_state *b, struct err *e)
{
    if (md_setup_params(s, p, e) != 0 || md_check(p, NULL, NULL, e) != 0 ||
        md_start_room(p, b, e) != 0)
        return -1;
    for (size_t k = 0; k < p->replicas; k++)
        if (md_init(p, (enum md_start)s->start, s->seed + k, b->r + 3 * p->natoms * k,
                    b->v + 3 * p->natoms * k, e) != 0)
            return -1;
    p->separate = md_init_spacing(p, (enum md_start)s->start);
    return 0;
}

int md_start_box(struct md_setup *s, const struct box *box, struct err *e)
{
    int periodic = box->pbc[0] + box->pbc[1] + box->pbc[2];
    bool given = !isnan(s->cell[0]), there = box_volume(box) != 0.0;
    if (!there && given)
        return 0;
    if (!there)
        return err_bad(e, "expected a cell, found none in the stream (give --cell)");
    if (given)
        return err_bad(e, "--cell cannot be used with a stream that has its own cell");
    if (!box->ortho)
        return err_bad(e, "expected a cell with right angles, found a triclinic one");
    if (periodic != 0 && periodic != 3)
        return err_bad(e,
                       "expected a cell that is periodic along all three axes or along none, found "
                       "%d periodic axes",
                       periodic);
    for (int k = 0; k < 3; k++)
        s->cell[k] = box->h[k][k];
    if (s->boundary < 0)
        s->boundary = periodic ? MD_PERIODIC : MD_MIRROR;
    return 0;
}

static int md_start_last(struct traj_reader *t, struct md_setup *s, struct md_params *p,
                         struct md_start_state *b, struct err *e)
{
    const struct traj_info *i = traj_info(t);
    struct traj_block block;
    struct box box = i->box;
    size_t n = 3 * i->natoms;
    bool any = false;
    int got;
    s->atoms = i->natoms;
    p->natoms = i->natoms;
    p->replicas = s->replicas;
    if (traj_expected(t) > 1)
        traj_seek(t, traj_expected(t) - 1);
    if (md_start_room(p, b, e) != 0)
        return -1;
    while ((got = traj_next(t, &block, NULL)) > 0) {
        size_t at = n * (block.nsteps - 1);
        for (size_t k = 0; k < n; k++)
            b->r[k] = real_at(block.data, i->dtype == FRAME_F64, at + k);
        box = block.box[block.nsteps - 1];
        any = true;
    }
    if (got < 0) {
        *e = *traj_error(t);
        return -1;
    }
    if (!any)
        return err_bad(e, "expected at least one step to start from, found none");
    if (isnan(s->sigma) && isfinite(i->sigma))
        s->sigma = i->sigma;
    return md_start_box(s, &box, e);
}

int md_start_stream(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                    struct md_start_state *b, struct err *e)
{
    if (s->atoms || !isnan(s->density) || s->start >= 0)
        return err_bad(e, "--atoms, --density and --start apply only to a new system, not to a "
                          "system read from a file");
    struct traj_reader *t = traj_open(in, FRAME_POSN, e);
    if (t == NULL)
        return -1;
    int bad = md_start_last(t, s, p, b, e);
    traj_close(t);
    if (bad || md_setup_params(s, p, e) != 0)
        return -1;
    struct pool *pool = pool_new(p->threads); /* NULL for one thread */
    for (size_t k = 0; k < p->replicas; k++) {
        if (k > 0)
            memcpy(b->r + 3 * p->natoms * k, b->r, 3 * p->natoms * sizeof *b->r);
        md_init_velocities(p, s->seed + k, b->v + 3 * p->natoms * k, pool);
    }
    pool_free(pool);
    return 0;
}
