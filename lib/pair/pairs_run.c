/* SPDX-License-Identifier: MIT */
#include "pair/pairs_run.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)1 << 20) /* size of a PAIR frame, which is hashed in the cache */

struct pairs_run {
    struct pairs_choice choice;
    struct pairs p;
    double sigma, dt;
    struct pairs_team *team;
    size_t npairs, step_bytes; /* properties of the output */
    size_t cap;                /* steps per output block */
    char *out;
    uint64_t seen;
    char warning[512], bonded[512];
    int warned; /* number of warnings returned */
};

static int reserve(struct pairs_run *r, int threads, uint64_t max_mem, struct err *e)
{
    size_t n = r->p.natoms, team, bytes;
    if (n < 2)
        return err_bad(e, "expected at least 2 atoms, found %zu", n);
    team = pairs_team_bytes(&r->p, PAIRS_TABLES, threads);
    if (team == SIZE_MAX)
        return err_set(e, ERR_MEMORY, "%zu atoms have too many pairs for this machine", n);
    r->npairs = n * (n - 1) / 2;
    r->step_bytes = r->npairs * (size_t)r->p.ncomp * frame_dtype_size(r->p.dtype);
    r->cap = r->step_bytes >= BLOCK_BYTES ? 1 : (BLOCK_BYTES - 1) / r->step_bytes + 1;
    bytes = r->cap * r->step_bytes + team;
    if (err_over(e, (double)bytes, max_mem, "fewer components or --threads",
                 "the pairs of %zu atoms", n))
        return -1;
    r->out = malloc(r->cap * r->step_bytes);
    r->team = pairs_team_new(&r->p, PAIRS_TABLES, threads);
    if (!r->out || !r->team)
        return err_set(e, ERR_MEMORY, "out of memory for %zu pairs", r->npairs);
    return 0;
}

static int open_run(void *run, const void *choice, const struct analysis_input *in, int threads,
                    uint64_t max_mem, struct err *e)
{
    struct pairs_run *r = run;
    const struct pairs_run_choice *given = choice;
    const struct pairs_choice *c = &given->pairs;
    const struct traj_info *info = traj_info(in->traj);
    r->choice = *c;
    r->dt = info->dt_ps;
    struct traj_info made = *info; /* has the dtype of beta, which sets the error of the sum */
    if (given->dtype >= 0)
        made.dtype = given->dtype ? FRAME_F64 : FRAME_F32;
    int bad = pairs_choose(c, &made, &r->p, &r->sigma, e);
    r->p.source = info->dtype;
    if (!bad && r->p.sum.mesh == SUM_MESH)
        bad = err_bad(e,
                      "--sum %s: a mesh gives sums over the partners of an atom, not single pairs "
                      "(use --sum ewald)",
                      c->sum);
    return bad || pairs_select(c, in->meta, (size_t)max_mem, &r->p, e) ||
                   reserve(r, threads, max_mem, e)
               ? -1
               : 0;
}

static int set_meta(const void *run, struct meta *m)
{
    const struct pairs_run *r = run;
    static const char *const forms[] = {" 1", " x, y, z of r_B - r_A for the column A-B",
                                        &BETA_WORDS[1]};
    int bad = pairs_describe(&r->choice, &r->p, r->sigma, m);
    const struct pair_function *f = &r->p.function;
    bad |= meta_set(m, "data.quantity", "pair-anisotropy") |
           meta_set(m, "data.unit", pair_function_unit(f));
    if (f->cells && !f->did)
        return bad | meta_setf(m, "data.convention",
                               "values of unordered pairs i<j, row by row; q f(r)/r^%d with f of "
                               "data.function and q =%s; %s",
                               f->rank, forms[f->rank], pairs_images(m));
    return bad |
           meta_setf(m, "data.convention",
                     "beta of unordered pairs i<j, row by row; prefactor sigma^3 q(r)/r^5 with "
                     "q =%s; r = r_i - r_j, %s",
                     &BETA_WORDS[1], pairs_images(m));
}

/* Copies a table to its position in the output block. */
static void keep(void *ctx, size_t s, const void *table)
{
    struct pairs_run *r = ctx;
    memcpy(r->out + s * r->step_bytes, table, r->step_bytes);
}

static int add_block(void *run, const struct traj_block *b, struct frame_writer *w, struct err *e)
{
    struct pairs_run *r = run;
    size_t in = 3 * r->p.natoms * frame_dtype_size(r->p.source);
    if (!r->seen) {
        if (sum_check(&r->p.sum, b->box, e))
            return err_frame(e, 0);
        pairs_short_taper(&r->p, r->sigma, b->box, r->warning, sizeof r->warning);
        pairs_bonded_near(&r->p, r->sigma, b->data, b->box, 0, r->bonded, sizeof r->bonded);
    }
    for (size_t s = 0; s < b->nsteps; s += r->cap) {
        size_t n = b->nsteps - s < r->cap ? b->nsteps - s : r->cap;
        struct pairs_steps steps = {n, b->box + s, (const char *)b->data + s * in, r->seen};
        struct frame_desc d = {.type = FRAME_PAIR,
                               .dtype = r->p.dtype,
                               .ndim = 3,
                               .dims = {n, (uint64_t)r->p.ncomp, r->npairs}};
        if (pairs_team_tables(r->team, &steps, keep, r, e))
            return -1;
        if (traj_put_block(w, d, b, s, r->dt, r->out))
            return *e = *frame_writer_error(w), -1;
        r->seen += n;
    }
    return 0;
}

static const char *next_warning(void *run)
{
    struct pairs_run *r = run;
    while (r->warned < 2) {
        const char *text = r->warned++ ? r->bonded : r->warning;
        if (*text)
            return text;
    }
    return NULL;
}

static void close_run(void *run)
{
    struct pairs_run *r = run;
    pairs_team_free(r->team);
    pairs_close(&r->p);
    free(r->out);
}

const struct stepwise pairs_stepwise = {.bound = "the pipe",
                                        .type = FRAME_POSN,
                                        .size = sizeof(struct pairs_run),
                                        .open = open_run,
                                        .meta = set_meta,
                                        .add = add_block,
                                        .warning = next_warning,
                                        .close = close_run};
