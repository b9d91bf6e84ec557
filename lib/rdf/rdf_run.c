/* SPDX-License-Identifier: MIT */
#include "rdf/rdf_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/engine.h"
#include "io/decimal.h"
#include "rdf/exclude.h"
#include "rdf/rdf_slab.h"
#include "select/pair_names.h"
#include "stats/drift.h"
#include "stats/shell.h"

struct rdf_run {
    struct run_base
        base; /* blocks: c [row] counts; v [bins + 1] probability of each bin, summed over
                             steps, and number of steps */
    struct rdf_params p;
    struct pair_names names;
    struct rdf *engine;
    struct exclude exclude; /* list.n is 0 without exclusions */
    bool lecture, free;     /* free: some step had an unsupported cell or no cell */
    size_t bins, row;       /* row: npairs * bins */
    struct rdf_slab slab;
    double *shell; /* [bins]: for `box`, which the ideal gas fills */
    struct box box;
    bool have_box;
    size_t *slot; /* [nslot]: slots of the steps of one push */
    size_t nslot;
    char note[256]; /* one line about the first cell */
};

/* Is there an ideal gas to compare with? */
static bool known(const struct rdf_run *r, const struct box *b)
{
    return r->lecture ? box_volume(b) > 0.0 : shell_known(b);
}

/* rmax relative to half the smallest width in a triclinic cell that changes, to fit every step. */
#define CHANGING 0.9

/* Half the smallest width, reduced if a triclinic cell changes within the first block. */
static double safe_half(const struct traj_block *first, double half)
{
    double min = half;
    for (size_t s = 0; s < first->nsteps; s++)
        min = fmin(min, hist_half(&first->box[s]));
    for (size_t s = 1; s < first->nsteps; s++)
        if (memcmp(first->box[s].h, first->box[0].h, sizeof first->box[s].h) != 0)
            return CHANGING * min;
    return half;
}

/* Sets --rmax in Å. Returns 0, or -1: half or corner without a cell, corner of a triclinic cell. */
static int choose_rmax(struct rdf_run *r, const char *text, const struct box *b,
                       const struct traj_block *first, struct err *e)
{
    double corner = hist_corner(b), *rmax = &r->p.rmax;
    bool none = corner == HUGE_VAL, is_corner = strcmp(text, "corner") == 0,
         is_half = strcmp(text, "half") == 0;
    if ((is_corner || is_half) && none)
        return err_bad(e, "--rmax %s needs a cell, but the input has none (give --rmax in A)",
                       text);
    if (is_corner && !b->ortho)
        return err_bad(e,
                       "--rmax corner: the cell is triclinic; beyond half its smallest width, %.6g "
                       "A, more than one image of an atom is in range",
                       corner);
    if (is_corner || is_half)
        *rmax = is_corner ? corner : b->ortho ? hist_half(b) : safe_half(first, hist_half(b));
    else if (decimal_get_f64(text, strlen(text), DECIMAL_OURS, rmax) != 0)
        return err_bad(e, "--rmax: expected a number, found '%s'", text);
    else
        notes_nm(&r->base.notes, "--rmax", *rmax, fmin(2.5, box_half_width(b) / 4));
    if (!known(r, b))
        snprintf(
            r->note, sizeof r->note, "%s",
            box_volume(b) > 0.0
                ? "the cell is oblique and periodic along fewer than two axes: only counts and n "
                  "are computed, because the ideal-gas counts are known only for orthorhombic cells"
                : "the input has no cell: distances ignore periodic images, and only counts and n "
                  "are computed, because g needs a volume");
    else if (b->ortho && *rmax > corner * (1 + 1e-12))
        snprintf(
            r->note, sizeof r->note,
            "rmax %g A exceeds the largest possible distance, %g A, so the last bins stay empty",
            *rmax, corner);
    return 0;
}

/* Number of pairs of a step in set q, without the excluded pairs. */
static double pairs_of(const struct rdf_run *r, size_t q, bool lecture)
{
    return pair_names_pairs(&r->names, q, lecture) -
           (r->exclude.list.n ? (double)r->exclude.of_set[q] : 0.0);
}

/* Allocates memory and opens the engine. Returns 0 or -1. */
static int rdf_begin(struct rdf_run *r, struct err *e)
{
    size_t n;
    r->p.species = r->names.species;
    r->p.nspecies = r->names.nspecies;
    r->p.pairs = r->names.pairs;
    r->p.npairs = r->names.npairs;
    r->bins = r->p.bins;
    r->row = r->p.npairs * r->bins;
    stats_blocks_init_steps(&r->base.blocks, r->base.want, r->bins + 1, r->row);
    r->p.slots = r->base.blocks.max;
    double need = (double)r->p.slots * (16.0 * (double)r->row + 8.0 * (double)r->bins);
    if (err_over(e, need, r->p.max_mem, "fewer --bins or --blocks", "%zu blocks of %zu bins",
                 r->p.slots, r->row))
        return -1;
    r->engine = rdf_open(&r->p, e);
    if (!r->engine)
        return -1;
    r->shell = calloc(r->bins, sizeof *r->shell);
    if (__builtin_mul_overflow(r->p.slots, r->row, &n) || n > SIZE_MAX / 16 || !r->shell)
        return err_set(e, ERR_MEMORY, "out of memory for %zu blocks of %zu bins", r->p.slots,
                       r->row);
    return 0;
}

static void close_run(struct run_base *run)
{
    struct rdf_run *r = (struct rdf_run *)run;
    rdf_close(r->engine);
    pair_names_close(&r->names);
    exclude_close(&r->exclude);
    free(r->shell);
    free(r->slot);
}

/* Applies the options to this input. Returns 0, or -1 and sets e. */
static int choose(struct rdf_run *r, const struct rdf_choice *c, struct analysis_input *in,
                  struct err *e)
{
    const struct analysis_options *o = r->base.shared;
    const struct traj_info *info = traj_info(in->traj);
    struct box box = info->box;
    struct traj_block first;
    if (traj_first(in->traj, &first) != 0) {
        *e = *traj_error(in->traj);
        return -1;
    }
    if (first.nsteps)
        box = first.box[0];
    if (first.nsteps && (rdf_slab_begin(&r->slab, c->thickness, info, &box, first.data, e) != 0 ||
                         rdf_slab_box(&r->slab, first.box, first.data, &box, e) != 0))
        return -1;
    if (r->slab.how == RDF_SLAB_ATOMS)
        notes_add(
            &r->base.notes, NOTE_WARN,
            "the cell is %.4g A wide along a non-periodic axis, but its atoms extend over %.4g A: "
            "at each step, g(r) is normalised to an ideal gas in a layer as wide as the atoms (set "
            "the width "
            "of a slab with --thickness A)",
            r->slab.was, r->slab.is);
    if (r->slab.flat)
        notes_add(
            &r->base.notes, NOTE_WARN,
            "all atoms of the first step lie in one plane, but the periodic axes are not the two "
            "axes of this plane: g(r) is normalised to a volume, not to an area (state the two "
            "axes with --pbc of xyz2bin or traj2bin, such as --pbc xy)");
    if (r->slab.how == RDF_SLAB_PLANE && c->lecture)
        return err_bad(e, "--normalisation lecture: expected atoms in a volume, found atoms in a "
                          "plane (use --normalisation exact)");
    r->p = (struct rdf_params){.bins = c->bins,
                               .algorithm = (enum rdf_algorithm)c->algorithm,
                               .dtype = info->dtype,
                               .natoms = info->natoms,
                               .threads = o->threads,
                               .max_mem = o->max_mem,
                               .devices = o->devices};
    r->lecture = c->lecture;
    return choose_rmax(r, c->rmax, &box, &first, e);
}

static int open_run(struct run_base *run, const void *choice, struct analysis_input *in,
                    struct err *e)
{
    struct rdf_run *r = (struct rdf_run *)run;
    const struct analysis_options *o = run->shared;
    if (choose(r, choice, in, e) != 0 ||
        pair_names_open(&r->names, in->meta, r->p.natoms, o->pair, o->npairs, e) != 0 ||
        rdf_begin(r, e) != 0 ||
        (o->exclude && exclude_open(&r->exclude, o->exclude, in->meta, &r->p, e) != 0))
        return -1;
    run_begin(run, in);
    if (*r->note)
        notes_add(&run->notes, NOTE_WARN, "%s", r->note);
    return 0;
}

/* Copies the error of the engine. */
static int engine_failed(const struct rdf_run *r, struct err *e)
{
    *e = *rdf_error(r->engine);
    return -1;
}

static int collect(struct rdf_run *r, struct err *e)
{
    if (r->base.blocks.n == 0) /* a part without a step */
        return 0;
    return rdf_collect(r->engine, r->base.blocks.c, r->base.blocks.n) == 0 ? 0
                                                                           : engine_failed(r, e);
}

/* Adds the counts expected for an ideal gas. Returns 0, or -1: cell too small for rmax. */
static int expect_step(struct rdf_run *r, const struct box *b, const void *pos, uint64_t step,
                       struct err *e)
{
    struct box fill;
    if (rdf_slab_box(&r->slab, b, pos, &fill, e) != 0)
        return err_frame(e, step);
    if (!r->have_box || memcmp(&fill, &r->box, sizeof fill) != 0) {
        if (rdf_check_box(b, r->p.rmax, e) != 0)
            return err_frame(e, step);
        (r->slab.how == RDF_SLAB_PLANE ? shell_plane
         : r->lecture                  ? shell_lecture
                                       : shell_expected)(&fill, r->bins, r->p.rmax, r->shell);
        r->box = fill;
        r->have_box = true;
        r->free |= !known(r, &fill);
    }
    double *p = stats_blocks_at(&r->base.blocks, step);
    for (size_t k = 0; k < r->bins; k++)
        p[k] += r->shell[k];
    p[r->bins] += 1.0;
    return 0;
}

/* Provides sub-blocks for steps up to `steps`; counts are collected before sub-blocks merge. */
static int reach(struct rdf_run *r, uint64_t steps, struct err *e)
{
    if (stats_blocks_merges(&r->base.blocks, steps) && collect(r, e) != 0)
        return -1;
    return stats_blocks_reach(&r->base.blocks, steps) == 0 ? 0 : err_memory(e, "blocks");
}

static int add(struct run_base *run, const struct traj_block *b, bool fresh, struct err *e)
{
    struct rdf_run *r = (struct rdf_run *)run;
    (void)fresh;
    size_t step = 3 * r->p.natoms * (r->p.dtype == FRAME_F32 ? sizeof(float) : sizeof(double)),
           done = 0;
    if (b->nsteps > r->nslot) {
        size_t *slot = realloc(r->slot, b->nsteps * sizeof *slot);
        if (!slot)
            return err_set(e, ERR_MEMORY, "out of memory");
        r->slot = slot;
        r->nslot = b->nsteps;
    }
    while (done < b->nsteps) {
        if (reach(r, r->base.steps + 1, e) != 0)
            return -1;
        uint64_t left = r->base.blocks.s * r->base.blocks.max - r->base.steps;
        size_t n = left < b->nsteps - done ? (size_t)left : b->nsteps - done;
        if (reach(r, r->base.steps + n, e) != 0)
            return -1;
        for (size_t k = 0; k < n; k++) {
            r->slot[k] = stats_blocks_index(&r->base.blocks, r->base.steps + k);
            const char *pos = (const char *)b->data + (done + k) * step;
            if (expect_step(r, &b->box[done + k], pos, r->base.steps + k, e) != 0)
                return -1;
            if (r->exclude.list.n)
                exclude_step(&r->exclude, &b->box[done + k], pos,
                             r->base.blocks.c + r->slot[k] * r->row);
        }
        if (rdf_push(r->engine, n, (const char *)b->data + done * step, b->box + done, r->slot) !=
            0)
            return engine_failed(r, e);
        r->base.steps += n;
        done += n;
    }
    return 0;
}

static int set_meta(const struct rdf_run *r, struct meta *m)
{
    int bad = run_meta(&r->base, r->base.blocks.n, m) |
              meta_set(m, "data.quantity", "pair-histogram") | meta_set(m, "data.unit", "1") |
              meta_set(m, "data.normalisation", r->lecture ? "lecture" : "exact");
    bad |= meta_setf(m, "data.bins", "%zu", r->bins) | meta_set_f64(m, "data.rmax", &r->p.rmax, 1);
    bad |= meta_set(m, "data.pairs", r->names.list);
    bad |= r->slab.how == RDF_SLAB_GIVEN
               ? meta_set_f64(m, "data.thickness", &r->slab.given, 1)
               : meta_set(m, "data.thickness", rdf_slab_names[r->slab.how]);
    if (r->exclude.list.n)
        bad |= pair_list_meta(&r->exclude.list, m, "data.excluded");
    const char *gas =
        r->free ? box_volume(&r->box) > 0.0
                      ? "oblique cell, periodic along fewer than two axes; no ideal-gas expectation"
                      : "no cell: plain distances; no ideal-gas expectation"
        : r->slab.how == RDF_SLAB_PLANE
            ? "ideal gas in a plane: N(N-1)/2 (unlike: N_A N_B) pairs times the probability of a "
              "distance in the bin for two atoms anywhere in the area of the cell"
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

static int finish(struct run_base *run, struct meta *m, struct err *e)
{
    struct rdf_run *r = (struct rdf_run *)run;
    char drift[512];
    if (collect(r, e) != 0 || run_take(run, run->steps, e) != 0)
        return -1;
    if (set_meta(r, m) != 0)
        return err_set(e, ERR_MEMORY, "out of memory");
    if (!run->shared->shard.n &&
        drift_hist(m, r->base.blocks.n, r->p.npairs, r->bins, r->base.blocks.c,
                   r->base.blocks.v + r->bins, r->base.blocks.row, drift, sizeof drift))
        notes_add(&r->base.notes, NOTE_WARN, "%s", drift);
    double sum = 0.0;
    for (size_t q = 0; q < r->p.npairs; q++)
        sum += pairs_of(r, q, false);
    notes_add(&r->base.notes, NOTE_ENGINE, "%s, %.3g pairs", engine_name(),
              (double)(uint64_t)(sum * (double)(r->base.steps - r->base.share.first)));
    return 0;
}

static int rdf_put(struct run_base *run, struct frame_writer *w, struct err *e)
{
    const struct rdf_run *r = (struct rdf_run *)run;
    const struct stats_blocks *s = &r->base.blocks;
    struct frame_desc d = {.type = FRAME_HIST,
                           .dtype = FRAME_U64,
                           .ndim = 3,
                           .time = NAN,
                           .flags = FRAME_CRITICAL,
                           .dims = {s->n, r->p.npairs, r->bins}};
    double *out = calloc(s->n * r->row + 1, sizeof *out);
    if (!out)
        return err_memory(e, "the result");
    int rc = frame_put(w, &d, s->c);
    for (size_t k = 0; k < s->n * r->row; k++)
        out[k] = pairs_of(r, k / r->bins % r->p.npairs, r->lecture) *
                 s->v[k / r->row * s->row + k % r->bins];
    d.dtype = FRAME_F64;
    rc = rc ? rc : frame_put(w, &d, out);
    for (size_t k = 0; k < s->n; k++)
        out[k] = s->v[k * s->row + r->bins];
    d.ndim = 1;
    d.dims[1] = d.dims[2] = 0;
    rc = rc ? rc : frame_put(w, &d, out);
    free(out);
    return rc || run_end(run, w) ? (*e = *frame_writer_error(w), -1) : 0;
}

const struct analysis rdf_analysis = {.want = ANALYSIS_POSITIONS,
                                      .size = RUN_SIZE(struct rdf_run, base),
                                      .open = open_run,
                                      .add = add,
                                      .finish = finish,
                                      .put = rdf_put,
                                      .close = close_run};
