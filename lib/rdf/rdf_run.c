/* SPDX-License-Identifier: MIT */
#include "rdf/rdf_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/engine.h"
#include "base/real.h"
#include "base/units.h"
#include "io/decimal.h"
#include "motion/tracks.h"
#include "rdf/exclude.h"
#include "rdf/rdf_slab.h"
#include "select/pair_names.h"
#include "stats/drift.h"
#include "stats/shell.h"

struct rdf_run {
    struct run_base
        base; /* blocks, per lag: c [row] counts; v [bins + 1] probability of each bin, summed over
                             steps, and number of steps */
    struct rdf_params p;
    struct pair_names names;
    const uint64_t *lag;  /* [nlags], with 0 for g(r) */
    size_t nlags, npairs; /* npairs: histograms of pairs; other histograms are of displacements */
    /* The window of steps for pairs between two times: window[room] steps, of which `held` are in
     * use, or NULL for g(r) */
    char *window;
    size_t room, held, max, bytes; /* max: largest lag; bytes: size of a step */
    struct tracks tracks;          /* checks the steps */
    struct pool *pool;
    struct box cell; /* cell of the first step */
    /* [p.npairs]: for the engine, and the histogram of displacements that belongs to a histogram of
     * pairs, or the reverse */
    struct species_pair *pairs;
    int *self;
    uint64_t last, read_to; /* end of the time origins, and of the steps, of the part */
    struct rdf *engine;
    struct exclude exclude; /* list.n is 0 without exclusions */
    bool lecture, free;     /* free: a step had no cell or an unsupported cell */
    size_t bins, row;       /* row: p.npairs * bins */
    struct rdf_slab slab;
    double *shell; /* [bins] for the cell `box`, which the ideal gas fills */
    struct box box;
    bool have_box;
    int axes;          /* as in rdf_choice */
    char *flat;        /* [nflat] steps of a block, projected onto the plane of two axes */
    struct box *cells; /* [nflat] */
    size_t nflat;
    size_t *slot; /* [nslot]: slots of the steps of one push */
    size_t nslot;
    char note[256]; /* one line about the first cell */
};

const char *const rdf_axes[] = {"xyz", "yz", "xz", "xy", NULL};

#define THIN 1e-3 /* length of the cell along the normal of a plane, Å, so that corner is in it */

/* With --axes, replaces the positions and cells of b by their projections onto the plane. The
 * normal is then a non-periodic axis, and all atoms have the coordinate 0. Returns 0 or -1. */
static int project(struct rdf_run *r, struct traj_block *b, struct err *e)
{
    int z = r->axes - 1;
    if (z < 0 || !b->nsteps)
        return 0;
    if (b->nsteps > r->nflat) {
        free(r->flat);
        free(r->cells);
        r->flat = malloc(b->nsteps * r->bytes + 1);
        r->cells = malloc(b->nsteps * sizeof *r->cells);
        r->nflat = b->nsteps;
    }
    if (!r->flat || !r->cells)
        return err_memory(e, "a block of positions");
    for (size_t s = 0; s < b->nsteps; s++) {
        const struct box *from = &b->box[s];
        double cell[9];
        int pbc[3];
        bool tilted = false;
        for (int k = 0; k < 9; k++) {
            cell[k] = k == 4 * z ? THIN : from->h[k / 3][k % 3];
            tilted |= k != 4 * z && (k / 3 == z || k % 3 == z) && cell[k] != 0.0;
            pbc[k / 3] = from->pbc[k / 3] && k / 3 != z;
        }
        if (tilted || pbc[0] + pbc[1] + pbc[2] != 2 || box_init(&r->cells[s], cell, pbc) != 0) {
            const char *found = tilted ? "an oblique cell" : "no such periodic axes";
            err_bad(e,
                    "--axes %s: expected a cell that is periodic along these axes, with the third "
                    "vector normal to their plane, found %s",
                    rdf_axes[r->axes], found);
            return err_frame(e, b->index + s);
        }
    }
    memcpy(r->flat, b->data, b->nsteps * r->bytes);
    for (size_t i = 0; i < b->nsteps * r->p.natoms; i++)
        real_set(r->flat, r->p.dtype == FRAME_F64, 3 * i + (size_t)z, 0.0);
    b->data = r->flat;
    b->box = r->cells;
    return 0;
}

/* Returns whether there is an ideal gas to compare with. */
static bool known(const struct rdf_run *r, const struct box *b)
{
    return r->lecture ? box_volume(b) > 0.0 : shell_known(b);
}

/* The value of rmax in units of half the smallest width of a triclinic cell that changes. It makes
 * rmax valid at every step. */
#define CHANGING 0.9

/* Returns half the smallest width, reduced if a triclinic cell changes within the first block. */
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

/* Sets --rmax in Å. Returns 0, or -1 for half or corner without a cell, or for corner in a
 * triclinic cell. */
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
    if (!known(r, b) && box_volume(b) > 0.0)
        snprintf(r->note, sizeof r->note,
                 "the cell is oblique and periodic along fewer than two axes. Only counts and n "
                 "are computed, because the counts of an ideal gas are unknown for such a cell");
    else if (!known(r, b))
        snprintf(r->note, sizeof r->note,
                 "the input has no cell, so distances ignore periodic images. Only counts and n "
                 "are computed, because g needs a volume");
    else if (b->ortho && *rmax > corner * (1 + 1e-12))
        snprintf(
            r->note, sizeof r->note,
            "rmax %g A exceeds the largest possible distance, %g A, so the last bins stay empty",
            *rmax, corner);
    return 0;
}

/* Returns the number of pairs of a step in set q at lag number `lag`, without the excluded pairs.
 * For a histogram of displacements, returns the number of its atoms. */
static double pairs_of(const struct rdf_run *r, size_t q, size_t lag, bool lecture)
{
    int a = q < r->npairs ? 0 : r->names.pairs[r->self[q]].a;
    if (q >= r->npairs)
        return (double)(a == SPECIES_EVERY ? r->names.natoms : r->names.atoms[a]);
    return (r->lag[lag] ? 2.0 : 1.0) * (pair_names_pairs(&r->names, q, lecture) -
                                        (r->exclude.list.n ? (double)r->exclude.of_set[q] : 0.0));
}

/* Adds a histogram of displacements for each pair of equal species. Returns 0 or -1. */
static int add_self(struct rdf_run *r, struct err *e)
{
    r->pairs = calloc(2 * r->npairs, sizeof *r->pairs);
    r->self = calloc(2 * r->npairs, sizeof *r->self);
    if (!r->pairs || !r->self)
        return err_memory(e, "pairs");
    memcpy(r->pairs, r->names.pairs, r->npairs * sizeof *r->pairs);
    for (size_t q = 0; q < r->npairs && r->p.lags; q++)
        if (r->pairs[q].a == r->pairs[q].b) {
            r->pairs[r->p.npairs] = (struct species_pair){SPECIES_NONE, SPECIES_NONE};
            r->self[r->p.npairs] = (int)q;
            r->self[q] = (int)r->p.npairs++;
        }
    r->p.pairs = r->pairs;
    return 0;
}

/* Allocates memory and opens the engine. Returns 0 or -1. */
static int rdf_begin(struct rdf_run *r, struct err *e)
{
    size_t n;
    r->p.species = r->names.species;
    r->p.nspecies = r->names.nspecies;
    r->p.npairs = r->npairs = r->names.npairs;
    r->p.lags = r->window != NULL;
    if (add_self(r, e) != 0)
        return -1;
    r->bins = r->p.bins;
    r->row = r->p.npairs * r->bins;
    stats_blocks_init_steps(&r->base.blocks, r->base.want, r->nlags * (r->bins + 1),
                            r->nlags * r->row);
    r->p.slots = r->base.blocks.max * r->nlags;
    double need = (double)r->p.slots * (16.0 * (double)r->row + 8.0 * (double)r->bins);
    if (err_over(e, need, r->p.max_mem, "fewer --bins or --blocks", "%zu blocks of %zu bins",
                 r->base.blocks.max, r->nlags * r->row))
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
    tracks_close(&r->tracks);
    pool_free(r->pool);
    free(r->window);
    free(r->self);
    free(r->pairs);
    free(r->shell);
    free(r->flat);
    free(r->cells);
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
    r->p = (struct rdf_params){.bins = c->bins,
                               .algorithm = (enum rdf_algorithm)c->algorithm,
                               .dtype = info->dtype,
                               .natoms = info->natoms,
                               .threads = o->threads,
                               .max_mem = o->max_mem,
                               .devices = o->devices};
    r->lecture = c->lecture;
    r->bytes = 3 * info->natoms * frame_dtype_size(info->dtype);
    r->axes = c->axes;
    if (project(r, &first, e) != 0)
        return -1;
    if (first.nsteps)
        box = first.box[0];
    r->cell = box;
    if (first.nsteps && (rdf_slab_begin(&r->slab, c->thickness, info, &box, first.data, e) != 0 ||
                         rdf_slab_box(&r->slab, first.box, first.data, &box, e) != 0))
        return -1;
    if (r->slab.how == RDF_SLAB_ATOMS)
        notes_add(
            &r->base.notes, NOTE_WARN,
            "along a non-periodic axis, the cell is %.4g A wide, but the atoms extend over %.4g A. "
            "g(r) is normalised to the layer of atoms (set the width of a slab with --thickness A)",
            r->slab.was, r->slab.is);
    if (r->slab.flat)
        notes_add(&r->base.notes, NOTE_WARN,
                  "all atoms of the first step lie in one plane, but the periodic axes do not. "
                  "g(r) is normalised to a volume instead of an area (convert the file with the "
                  "two axes of the plane, such as --pbc xy)");
    if (r->slab.how == RDF_SLAB_PLANE && c->lecture)
        return err_bad(e, "--normalisation lecture: expected a three-dimensional sample, found all "
                          "atoms in one plane (use --normalisation exact)");
    return choose_rmax(r, c->rmax, &box, &first, e);
}

/* Opens the window for --lag. Returns 0, or -1 and sets e. */
static int open_window(struct rdf_run *r, const struct rdf_choice *c,
                       const struct analysis_input *in, struct err *e)
{
    size_t limit = r->base.shared->max_mem;
    struct tracks_choice t = {.drift = TRACKS_KEEP, .wrapped = !c->unwrapped, .max_mem = limit};
    if (analysis_even(in->meta, e) != 0)
        return -1;
    r->max = (size_t)c->lag[c->nlags - 1];
    /* there is room for more steps, so that steps move to the front of the window less often */
    r->room = r->max + r->max / 4 + ((size_t)4 << 20) / (r->bytes + 1) + 1;
    if (err_over(e, (double)r->room * (double)r->bytes, limit, "a smaller --lag",
                 "a window of %zu steps of %zu atoms", r->room, r->p.natoms))
        return -1;
    r->pool = pool_new(r->p.threads);
    if (!(r->window = malloc(r->room * r->bytes + 1)))
        return err_memory(e, "a window of steps");
    return tracks_open(&r->tracks, &t, in, r->pool, e);
}

static int open_run(struct run_base *run, const void *choice, struct analysis_input *in,
                    struct err *e)
{
    struct rdf_run *r = (struct rdf_run *)run;
    const struct rdf_choice *c = choice;
    const struct analysis_options *o = run->shared;
    if (choose(r, choice, in, e) != 0 ||
        pair_names_open(&r->names, in->meta, r->p.natoms, o->pair, o->npairs, e) != 0 ||
        (c->nlags && open_window(r, c, in, e) != 0))
        return -1;
    static const uint64_t same_time = 0;
    r->lag = c->nlags ? c->lag : &same_time;
    r->nlags = c->nlags ? c->nlags : 1;
    if (rdf_begin(r, e) != 0 || ((o->exclude || c->nlags) &&
                                 exclude_open(&r->exclude, o->exclude, in->meta, &r->p, e) != 0))
        return -1;
    run_begin(run, in);
    r->last = r->read_to = in->last;
    if (run->share.last > run->share.first && run->share.last < run->share.total) {
        uint64_t end = r->last + r->max;
        r->read_to = in->last = end < run->share.total ? end : run->share.total;
    }
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
    if (r->base.blocks.n == 0) /* this part of the run has no step */
        return 0;
    return rdf_collect(r->engine, r->base.blocks.c, r->base.blocks.n * r->nlags) == 0
               ? 0
               : engine_failed(r, e);
}

/* Adds the counts expected for an ideal gas at lag number `lag`. Returns 0, or -1 if the cell is
 * too small for rmax. */
static int expect_step(struct rdf_run *r, size_t lag, const struct box *b, const void *pos,
                       uint64_t step, struct err *e)
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
    double *p = stats_blocks_at(&r->base.blocks, step) + lag * (r->bins + 1);
    for (size_t k = 0; k < r->bins; k++)
        p[k] += r->shell[k];
    p[r->bins] += 1.0;
    return 0;
}

/* Provides sub-blocks for steps up to `steps`. Counts are collected before sub-blocks merge. */
static int reach(struct rdf_run *r, uint64_t steps, struct err *e)
{
    if (stats_blocks_merges(&r->base.blocks, steps) && collect(r, e) != 0)
        return -1;
    return stats_blocks_reach(&r->base.blocks, steps) == 0 ? 0 : err_memory(e, "blocks");
}

/* The next n steps, which follow the earlier steps of a window in memory. */
struct steps {
    struct rdf_run *r;
    const char *pos;
    const struct box *box;
    size_t n;
};

/* Finds the time origins [from, from + n) of a lag for which these steps are the later ones. */
struct origins {
    size_t n;
    uint64_t from;
    const char *early, *late;
    const struct box *box;
};

static struct origins origins_of(const struct steps *s, size_t lag)
{
    const struct rdf_run *r = s->r;
    uint64_t k = r->lag[lag], now = r->base.steps, end = now + s->n;
    struct origins o = {.from = now > r->base.first + k ? now - k : r->base.first};
    end = end > k ? end - k : 0;
    end = end < r->last ? end : r->last;
    if (o.from >= end)
        return o;
    o.n = (size_t)(end - o.from);
    o.late = s->pos + (o.from + k - now) * r->bytes;
    o.early = o.late - k * r->bytes;
    o.box = s->box + (o.from + k - now);
    return o;
}

static size_t slot_of(const struct rdf_run *r, uint64_t origin, size_t lag)
{
    return stats_blocks_index(&r->base.blocks, origin) * r->nlags + lag;
}

/* Counts, for one lag, the pairs that the engine does not count. */
static void count_rest(void *ctx, size_t lag, int thread)
{
    const struct steps *s = ctx;
    struct rdf_run *r = s->r;
    struct origins o = origins_of(s, lag);
    (void)thread;
    for (size_t k = 0; k < o.n; k++) {
        const char *early = o.early + k * r->bytes;
        uint64_t *counts = r->base.blocks.c + slot_of(r, o.from + k, lag) * r->row;
        if (r->p.lags)
            exclude_between(&r->exclude, r->self, &o.box[k], early, o.late + k * r->bytes, counts);
        if (!r->lag[lag] && r->exclude.list.n)
            exclude_step(&r->exclude, &o.box[k], early, counts);
    }
}

/* Counts the pairs of the steps for every lag. Returns 0 or -1. */
static int count_steps(struct rdf_run *r, struct steps *s, struct err *e)
{
    for (size_t lag = 0; lag < r->nlags; lag++) {
        struct origins o = origins_of(s, lag);
        for (size_t k = 0; k < o.n; k++) {
            r->slot[k] = slot_of(r, o.from + k, lag);
            if (expect_step(r, lag, &o.box[k], o.early + k * r->bytes, o.from + k, e) != 0)
                return -1;
        }
        if (o.n && rdf_push(r->engine, o.n, o.early, r->lag[lag] ? o.late : NULL, o.box, r->slot))
            return engine_failed(r, e);
    }
    if (r->p.lags || r->exclude.list.n)
        pool_run(r->pool, count_rest, s, r->nlags);
    return 0;
}

/* Checks that the steps of a block can follow the earlier steps. Returns 0, or -1 and sets e. */
static int check_block(struct rdf_run *r, const struct traj_block *b, bool fresh, struct err *e)
{
    if (run_one_segment(&r->base, fresh, e) != 0)
        return -1;
    for (size_t s = 0; s < b->nsteps; s++)
        if (memcmp(b->box[s].h, r->cell.h, sizeof r->cell.h) != 0)
            return err_bad(e,
                           "frame %llu: expected the cell of the first frame, found a different "
                           "cell; --lag needs one cell for the positions at both times",
                           (unsigned long long)r->base.steps + s);
    return tracks_take(&r->tracks, b, e);
}

/* Appends the steps to the window, or as many of them as fit. */
static void append(struct rdf_run *r, struct steps *s)
{
    if (r->held == r->room) {
        memmove(r->window, r->window + (r->held - r->max) * r->bytes, r->max * r->bytes);
        r->held = r->max;
    }
    char *to = r->window + r->held * r->bytes;
    s->n = s->n < r->room - r->held ? s->n : r->room - r->held;
    memcpy(to, s->pos, s->n * r->bytes);
    r->held += s->n;
    s->pos = to;
}

static int add(struct run_base *run, const struct traj_block *b, bool fresh, struct err *e)
{
    struct rdf_run *r = (struct rdf_run *)run;
    struct traj_block flat = *b;
    struct steps s = {.r = r};
    size_t done = 0;
    if (project(r, &flat, e) != 0)
        return -1;
    b = &flat;
    if (r->p.lags && check_block(r, b, fresh, e) != 0)
        return -1;
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
        s.n = left < b->nsteps - done ? (size_t)left : b->nsteps - done;
        s.box = b->box + done;
        s.pos = (const char *)b->data + done * r->bytes;
        if (r->p.lags)
            append(r, &s);
        if (reach(r, r->base.steps + s.n, e) != 0 || count_steps(r, &s, e) != 0)
            return -1;
        r->base.steps += s.n;
        done += s.n;
    }
    return 0;
}

/* Sets the keys of van Hove functions. Returns 0 or -1. */
static int lags_meta(const struct rdf_run *r, struct meta *m)
{
    int bad = meta_set(m, "data.lags", "") | meta_set(m, "data.self", "");
    for (size_t k = 0; !bad && k < r->nlags; k++)
        bad = meta_setf(m, "data.lags", "%s%s%llu", meta_get(m, "data.lags"), k ? " " : "",
                        (unsigned long long)r->lag[k]);
    for (size_t q = r->npairs; !bad && q < r->p.npairs; q++) {
        int a = r->names.pairs[r->self[q]].a;
        bad = meta_setf(m, "data.self", "%s%s%s", meta_get(m, "data.self"),
                        q > r->npairs ? " " : "", a == SPECIES_EVERY ? "all" : r->names.name[a]);
    }
    return bad | meta_set(m, "data.axis2", isnan(r->tracks.dt_ps) ? "lag" : "t_ps") |
           meta_setf(m, "data.unit.of", "G_s:A^-%d", r->slab.how == RDF_SLAB_PLANE ? 2 : 3) |
           meta_set(m, "data.label.of",
                    "g:G_d(r,t)/ρ n:n(r,t) G_s:Gₛ(r,t) count_s:atoms n_s:fraction~within~r");
}

static int set_meta(const struct rdf_run *r, struct meta *m)
{
    int bad = run_meta(&r->base, r->base.blocks.n, m) |
              meta_set(m, "data.quantity", r->p.lags ? "van-hove" : "pair-histogram") |
              meta_set(m, "data.unit", "1") | (r->p.lags ? lags_meta(r, m) : 0) |
              meta_set(m, "data.normalisation", r->lecture ? "lecture" : "exact");
    bad |= meta_setf(m, "data.bins", "%zu", r->bins) | meta_set_f64(m, "data.rmax", &r->p.rmax, 1);
    bad |= meta_set(m, "data.pairs", r->names.list);
    bad |= meta_set(m, "data.axes", r->axes ? rdf_axes[r->axes] : NULL);
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
    bad |= meta_setf(m, "data.convention",
                     "pairs i<j (unlike: each A with each B) with r in [k, k+1) rmax/bins; %s%s",
                     r->p.lags ? "at lags above 0 twice, with either atom earlier; " : "", gas);
    return bad ? -1 : 0;
}

static int finish(struct run_base *run, struct meta *m, struct err *e)
{
    struct rdf_run *r = (struct rdf_run *)run;
    char drift[512] = "";
    bool whole = run->shared->shard.n == 0;
    if (whole && r->p.lags && run->steps <= r->max)
        return err_bad(e, "--lag %zu: expected more than %zu steps, found %llu", r->max, r->max,
                       (unsigned long long)run->steps);
    if (collect(r, e) != 0 ||
        run_take(run, !whole && run->steps == r->read_to ? run->share.last : run->steps, e) != 0)
        return -1;
    if (set_meta(r, m) != 0)
        return err_set(e, ERR_MEMORY, "out of memory");
    if (whole)
        (void)drift_hist(m, r->base.blocks.n, r->p.npairs, r->bins, r->base.blocks.c,
                         r->base.blocks.v + r->bins, r->base.blocks.row, drift, sizeof drift);
    if (run_changed(run, m, drift, e) != 0)
        return -1;
    double sum = 0.0;
    for (size_t k = 0; k < r->npairs * r->nlags; k++)
        sum += pairs_of(r, k % r->npairs, k / r->npairs, false);
    notes_add(&r->base.notes, NOTE_ENGINE, "%s, %.3g pairs", engine_name(),
              (double)(uint64_t)(sum * (double)(r->base.steps - r->base.share.first)));
    return 0;
}

/* Returns the volume of the shell of a bin or, for atoms in a plane, its area. */
static double shell_volume(const struct rdf_run *r, size_t bin)
{
    double dr = r->p.rmax / (double)r->bins, in = dr * (double)bin, out = dr * (double)(bin + 1);
    return UNITS_PI * (r->slab.how == RDF_SLAB_PLANE
                           ? out * out - in * in
                           : 4.0 / 3.0 * (out * out * out - in * in * in));
}

static int rdf_put(struct run_base *run, struct frame_writer *w, struct err *e)
{
    const struct rdf_run *r = (struct rdf_run *)run;
    const struct stats_blocks *s = &r->base.blocks;
    size_t sets = r->nlags * r->p.npairs, n = s->n * r->nlags * r->row;
    struct frame_desc d = {.type = FRAME_HIST,
                           .dtype = FRAME_U64,
                           .ndim = 3,
                           .time = NAN,
                           .flags = FRAME_CRITICAL,
                           .dims = {s->n, sets, r->bins}};
    double *out = calloc(n + 1, sizeof *out);
    if (!out)
        return err_memory(e, "the result");
    int rc = frame_put(w, &d, s->c);
    for (size_t k = 0; k < n; k++) {
        size_t q = k / r->bins % r->p.npairs, bin = k % r->bins;
        const double *v = s->v + k / r->row * (r->bins + 1);
        out[k] = pairs_of(r, q, k / r->row % r->nlags, r->lecture) *
                 (q < r->npairs ? v[bin] : shell_volume(r, bin) * v[r->bins]);
    }
    d.dtype = FRAME_F64;
    rc = rc ? rc : frame_put(w, &d, out);
    for (size_t k = 0; k < s->n * r->nlags; k++)
        out[k] = s->v[k * (r->bins + 1) + r->bins];
    d.ndim = r->p.lags ? 2 : 1;
    d.dims[1] = r->p.lags ? r->nlags : 0;
    d.dims[2] = 0;
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
