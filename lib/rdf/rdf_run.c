/* SPDX-License-Identifier: MIT */
#include "rdf/rdf_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdf/rdf_names.h"
#include "stats/blocks.h"
#include "stats/shell.h"

#define PLACES 64 /* sub-blocks, or 4 a wanted block if that is more */

struct rdf_run {
    struct rdf_params p;
    struct rdf_names names;
    struct rdf *engine;
    bool lecture, free; /* free: some step had no cell */
    size_t blocks;      /* wanted; 0: as the steps come */
    uint64_t steps;     /* so far */
    size_t bins;
    struct stats_blocks sums; /* integers: counts [npairs][bins]; doubles: [bins] probability of a
                                 distance in the bin, summed over steps, and the steps */
    double *shell;            /* [bins]: of `box` */
    struct box box;
    bool have_box;
    size_t *slot; /* [nslot]: of the steps of one push */
    size_t nslot;
    size_t nblocks; /* after finish */
    int status;
    char err[FRAME_ERR_BYTES], note[256];
};

static int fail(struct rdf_run *r, int status, const char *msg)
{
    if (!r->status) {
        snprintf(r->err, sizeof r->err, "%s", msg);
        r->status = status;
    }
    return -1;
}

static int allocate(struct rdf_run *r)
{
    r->shell = calloc(r->bins, sizeof *r->shell);
    return r->shell && stats_blocks_reach(&r->sums, r->sums.most) == 0 ? 0 : -1;
}

struct rdf_run *rdf_run_open(const struct rdf_choice *c, const struct traj_info *info,
                             const struct meta *m, const struct box *box, int *status, char *err,
                             size_t errlen)
{
    struct rdf_run *r = calloc(1, sizeof *r);
    *status = 3;
    snprintf(err, errlen, "out of memory");
    if (!r)
        return NULL;
    r->p = c->engine;
    r->p.dtype = info->dtype;
    r->p.natoms = info->natoms;
    r->p.slots = c->blocks > PLACES / 4 ? 4 * c->blocks : PLACES;
    r->blocks = c->blocks;
    r->lecture = c->lecture;
    *status = 2;
    if (rdf_choose_rmax(c->rmax, box, &r->p.rmax, r->note, sizeof r->note, err, errlen) != 0 ||
        rdf_names_open(&r->names, m, info->natoms, c->names, c->nnames, status, err, errlen) != 0) {
        rdf_run_close(r);
        return NULL;
    }
    r->p.species = r->names.species;
    r->p.nspecies = r->names.nspecies;
    r->p.pairs = r->names.pairs;
    r->p.npairs = r->names.npairs;
    r->bins = r->p.bins;
    size_t row = r->p.npairs * r->bins;
    stats_blocks_init(&r->sums, r->p.slots, r->bins + 1, row);
    double need = (double)r->p.slots * (16.0 * (double)row + 8.0 * (double)r->bins);
    if (r->p.max_mem && need > (double)r->p.max_mem) {
        *status = 3;
        snprintf(err, errlen, "%.1f MiB needed for %zu blocks of %zu bins, %.1f MiB allowed",
                 need / 1048576, r->p.slots, row, (double)r->p.max_mem / 1048576);
        rdf_run_close(r);
        return NULL;
    }
    r->engine = rdf_open(&r->p, status, err, errlen);
    if (r->engine && allocate(r) != 0) {
        *status = 3;
        snprintf(err, errlen, "out of memory for %zu blocks of %zu bins", r->p.slots, row);
    } else if (r->engine) {
        return r;
    }
    rdf_run_close(r);
    return NULL;
}

static int collect(struct rdf_run *r)
{
    if (rdf_collect(r->engine, r->sums.c) == 0)
        return 0;
    return fail(r, rdf_error_status(r->engine), rdf_error(r->engine));
}

/* What an ideal gas would count in this step. 0, or -1: a triclinic cell too small for rmax. */
static int expect_step(struct rdf_run *r, const struct box *b, uint64_t step)
{
    char why[FRAME_ERR_BYTES - 64];
    if (rdf_check_box(b, r->p.rmax, why, sizeof why) != 0) {
        snprintf(r->err, sizeof r->err, "frame %llu: %s", (unsigned long long)step, why);
        return r->status = 2, -1;
    }
    if (!r->have_box || memcmp(b->h, r->box.h, sizeof b->h) != 0) {
        (r->lecture ? shell_lecture : shell_expected)(b, r->bins, r->p.rmax, r->shell);
        r->box = *b;
        r->have_box = true;
        r->free |= !(box_volume(b) > 0.0);
    }
    double *p = stats_blocks_at(&r->sums, step);
    for (size_t k = 0; k < r->bins; k++)
        p[k] += r->shell[k];
    p[r->bins] += 1.0;
    return 0;
}

int rdf_run_add(struct rdf_run *r, const struct traj_block *b)
{
    size_t step = 3 * r->p.natoms * (r->p.dtype == FRAME_F32 ? sizeof(float) : sizeof(double)),
           done = 0;
    if (b->nsteps > r->nslot) {
        size_t *slot = realloc(r->slot, b->nsteps * sizeof *slot);
        if (!slot)
            return fail(r, 3, "out of memory");
        r->slot = slot;
        r->nslot = b->nsteps;
    }
    while (done < b->nsteps) {
        uint64_t left = r->sums.s * r->p.slots - r->steps;
        if (left == 0) { /* all places are full: neighbours merge, with what the engine counted */
            left = r->steps;
            if (collect(r) != 0 || stats_blocks_reach(&r->sums, 2 * r->steps) != 0)
                return fail(r, 3, "out of memory");
        }
        size_t n = left < b->nsteps - done ? (size_t)left : b->nsteps - done;
        for (size_t k = 0; k < n; k++) {
            r->slot[k] = stats_blocks_index(&r->sums, r->steps + k);
            if (expect_step(r, &b->box[done + k], r->steps + k) != 0)
                return -1;
        }
        if (rdf_push(r->engine, n, (const char *)b->data + done * step, b->box + done, r->slot) !=
            0)
            return fail(r, rdf_error_status(r->engine), rdf_error(r->engine));
        r->steps += n;
        done += n;
    }
    return 0;
}

/* Sub-blocks into the wanted number of blocks. */
static int group(struct rdf_run *r)
{
    uint64_t s = r->sums.s;
    size_t want = r->blocks ? r->blocks : (size_t)((r->steps + s - 1) / s);
    if (want > r->steps) {
        snprintf(r->err, sizeof r->err, "%zu blocks, but only %llu steps", want,
                 (unsigned long long)r->steps);
        return r->status = 2, -1;
    }
    r->nblocks = want;
    return stats_blocks_group(&r->sums, r->steps, want) ? fail(r, 3, "out of memory") : 0;
}

static int set_meta(const struct rdf_run *r, struct meta *m)
{
    int bad = meta_set(m, "data.quantity", "pair-histogram") | meta_set(m, "data.unit", "1") |
              meta_set(m, "data.normalisation", r->lecture ? "lecture" : "exact");
    bad |= meta_setf(m, "data.bins", "%zu", r->bins) | meta_set_f64(m, "data.rmax", &r->p.rmax, 1);
    bad |=
        meta_setf(m, "data.blocks", "%zu", r->nblocks) | meta_set(m, "data.pairs", r->names.list);
    const char *gas = r->free      ? "no cell: plain distances; no ideal-gas expectation"
                      : r->lecture ? "ideal gas: N^2/2 (unlike: N_A N_B) pairs times 4 pi r^2 dr / "
                                     "V at the middle of the bin"
                                   : "ideal gas: N(N-1)/2 (unlike: N_A N_B) pairs times the "
                                     "probability of a distance in the bin for two "
                                     "atoms anywhere in the cell: nearest image along periodic "
                                     "axes, plain difference along others";
    bad |=
        meta_setf(m, "data.convention",
                  "pairs i<j (unlike: each A with each B) with r in [k, k+1) rmax/bins; %s", gas);
    return bad ? -1 : 0;
}

int rdf_run_finish(struct rdf_run *r, struct meta *m)
{
    if (r->steps == 0)
        return fail(r, 2, "at least one step expected, found none");
    if (collect(r) != 0 || group(r) != 0)
        return -1;
    return set_meta(r, m) != 0 ? fail(r, 3, "out of memory") : 0;
}

int rdf_run_put(struct rdf_run *r, struct frame_writer *w)
{
    size_t row = r->p.npairs * r->bins, n = r->nblocks * row;
    struct frame_desc d = {.type = FRAME_HIST,
                           .dtype = FRAME_U64,
                           .ndim = 3,
                           .time = NAN,
                           .flags = FRAME_CRITICAL,
                           .dims = {r->nblocks, r->p.npairs, r->bins}};
    double *expected = calloc(n + r->nblocks, sizeof *expected), *steps = expected + n;
    if (!expected)
        return -1;
    for (size_t b = 0; b < r->nblocks; b++) {
        const double *prob = r->sums.v + b * r->sums.row;
        for (size_t k = 0; k < row; k++)
            expected[b * row + k] =
                rdf_names_pairs(&r->names, k / r->bins, r->lecture) * prob[k % r->bins];
        steps[b] = prob[r->bins];
    }
    int rc = frame_put(w, &d, r->sums.c);
    d.dtype = FRAME_F64;
    rc = rc ? rc : frame_put(w, &d, expected);
    d.ndim = 1;
    d.dims[1] = d.dims[2] = 0;
    rc = rc ? rc : frame_put(w, &d, steps);
    free(expected);
    return rc;
}

const char *rdf_run_error(const struct rdf_run *r)
{
    return r->err;
}

int rdf_run_status(const struct rdf_run *r)
{
    return r->status;
}

const char *rdf_run_note(const struct rdf_run *r)
{
    return r->note[0] ? r->note : NULL;
}

uint64_t rdf_run_pairs(const struct rdf_run *r)
{
    double sum = 0.0;
    for (size_t q = 0; q < r->p.npairs; q++)
        sum += rdf_names_pairs(&r->names, q, false);
    return (uint64_t)(sum * (double)r->steps);
}

void rdf_run_close(struct rdf_run *r)
{
    if (!r)
        return;
    rdf_close(r->engine);
    rdf_names_close(&r->names);
    stats_blocks_free(&r->sums);
    free(r->shell);
    free(r->slot);
    free(r);
}
