/* SPDX-License-Identifier: MIT */
#include "motion/unwrap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lattice_reduce.h"
#include "base/real.h"
#include "motion/tracks.h"
#include "select/masses.h"
#include "select/molecules.h"

const char *const unwrap_schemes[] = {"tor", "images", NULL};

enum { UNITS_A_TASK = 128 };

/* The largest move of an atom in a step, as a fraction of half the smallest cell width. */
struct far {
    double part;
    uint64_t step; /* first step of the block with this fraction */
    size_t atom;
    bool mate; /* part is the distance to the preceding atom of the molecule */
};

struct unwrap {
    struct unwrap_choice c;
    size_t natoms;
    bool f64, periodic;
    double dt_ps;
    struct pool *pool;
    struct molecules molecules; /* n is 0 for single atoms */
    double *mass;               /* [natoms] of all atoms, or NULL if not needed */
    struct meta *masses;        /* data.masses, unless all masses are equal */
    double *last;               /* [natoms][3]: wrapped positions of the previous step */
    double *now;                /* [natoms][3]: unwrapped positions of the previous step */
    bool rewrap;                /* the images of a cell that may change are removed first */
    bool begun;
    uint64_t steps;
    double centre[3]; /* centre of mass at the first step */
    struct box *cell; /* [cells] reduced cells of the steps of a block */
    double *half;     /* [cells] half the smallest width of each cell, Å */
    size_t cells;
    struct far *task, far; /* [tasks] of a block, and one for the whole run */
    size_t tasks;
    struct box first; /* cell of the first step */
    bool changes;     /* set if the cell changed */
    int given;
    char drift[TRACKS_NOTE];
    char text[512];
    const struct frame_reader *in;
    const struct traj_info *info;
    struct traj_writer *out; /* writer of the segment, or NULL */
    /* members of the present block */
    const struct traj_block *b;
    void *to; /* [room][natoms][3], in the type of the input */
    size_t room;
};

/* ---- a run */

static int take_masses(struct unwrap *u, const struct meta *m, struct err *e)
{
    static const char *const every[] = {"all"};
    struct pair_names names;
    double mass[256];
    int bad = pair_names_open(&names, m, u->natoms, every, meta_get(m, "sys.species") ? 1 : 0, e);
    u->mass = bad ? NULL : malloc((u->natoms + 1) * sizeof *u->mass);
    if (!bad && !u->mass)
        bad = err_memory(e, "masses");
    const char *of = u->c.drift_of;
    bool alike = !bad && (names.nspecies == 1 || (of && !strchr(of, ','))) && !u->c.masses.n;
    if (!bad && !alike)
        bad = masses_find(&u->c.masses, &names, of ? "--drift-of" : "--drift subtract", mass, e);
    if (!bad && !alike &&
        (!(u->masses = meta_new()) || weights_meta(u->masses, "data.masses", names.name,
                                                   (size_t)names.nspecies, mass, NULL) != 0))
        bad = err_memory(e, "META");
    for (int a = 0; !bad && alike && a < names.nspecies; a++)
        mass[a] = 1.0;
    if (!bad && of)
        bad = masses_drift_of(of, &names, mass, e);
    for (size_t i = 0; !bad && i < u->natoms; i++)
        u->mass[i] = mass[names.species[i]];
    pair_names_close(&names);
    return bad;
}

static int open_run(void *run, const void *choice, const struct analysis_input *in, int threads,
                    uint64_t max_mem, struct err *e)
{
    struct unwrap *u = run;
    const struct unwrap_choice *c = choice;
    const struct traj_info *info = u->info = traj_info(in->traj);
    const struct meta *m = in->meta;
    const char *was = meta_get(m, "data.unwrapped");
    (void)max_mem;
    u->c = *c;
    u->in = in->reader;
    u->natoms = info->natoms;
    u->f64 = info->dtype == FRAME_F64;
    u->dt_ps = info->dt_ps;
    u->periodic = info->box.pbc[0] || info->box.pbc[1] || info->box.pbc[2];
    u->rewrap = c->scheme == UNWRAP_TOR && was && strcmp(was, "images") == 0;
    u->pool = pool_new(threads);
    u->last = malloc((3 * u->natoms + 1) * sizeof *u->last);
    u->now = malloc((3 * u->natoms + 1) * sizeof *u->now);
    int bad = !u->pool || !u->last || !u->now ? err_memory(e, "atoms") : 0;
    if (!bad && c->scheme == UNWRAP_IMAGES && !(was && strcmp(was, "images") == 0))
        bad = err_bad(e, "--scheme images: expected positions unwrapped by the image flags of "
                         "their file (traj2bin --unwrap), found other positions");
    if (!bad && c->molecules)
        bad = molecules_open(&u->molecules, "--molecules", c->molecules, m, u->natoms,
                             MOLECULES_APART, 0, e);
    if (!bad && c->subtract)
        bad = (!c->drift_of &&
               tracks_drift(TRACKS_SUBTRACT, u->molecules.n ? u->molecules.n : u->natoms, u->natoms,
                            m, false, u->drift, e) < 0) ||
              take_masses(u, m, e);
    return bad;
}

static void close_run(void *run)
{
    struct unwrap *u = run;
    traj_writer_free(u->out);
    free(u->to);
    molecules_close(&u->molecules);
    free(u->mass);
    meta_free(u->masses);
    free(u->last);
    free(u->now);
    free(u->cell);
    free(u->half);
    free(u->task);
    pool_free(u->pool);
}

/* ---- a block */

static void write_atom(const struct unwrap *u, size_t step, size_t atom, const double r[3])
{
    size_t at = 3 * (step * u->natoms + atom);
    for (size_t a = 0; a < 3; a++)
        real_set(u->to, u->f64, at + a, r[a]);
}

/* Sets r to `from` plus the minimum image of the displacement between two places. Sets `far` if the
 * displacement is long. */
static void follow(const struct unwrap *u, size_t step, size_t atom, const double from[3],
                   const double was[3], const double is[3], double r[3], struct far *far)
{
    double d[3] = {is[0] - was[0], is[1] - was[1], is[2] - was[2]};
    box_image(&u->cell[step], d);
    for (int a = 0; a < 3; a++)
        r[a] = from[a] + d[a];
    double across[3] = {d[0], d[1], d[2]}, part;
    const struct box *b = &u->cell[step];
    /* each axis has a separate width, because a two-dimensional cell is thin only along z */
    if (b->ortho)
        for (int k = 0; k < 3; k++)
            across[k] *= b->pbc[k] ? 2.0 * u->half[step] * b->inv[k][k] : 0.0;
    for (int k = 0; k < 3 && !b->ortho; k++) /* axes without images do not count */
        if (!b->pbc[k]) {
            double s = box_fraction(b, d, k);
            for (int a = 0; a < 3; a++)
                across[a] -= s * b->h[k][a];
        }
    part =
        sqrt(across[0] * across[0] + across[1] * across[1] + across[2] * across[2]) / u->half[step];
    if (part > far->part && !(far->part > 1.0 && step > far->step))
        *far = (struct far){part, step, atom, from != u->now + 3 * atom};
}

/* Unwraps the atoms of a unit, which is an atom or a molecule, in one step. */
static void one_step(const struct unwrap *u, size_t step, size_t unit, struct far *far)
{
    bool whole = u->molecules.n > 0, first = !u->begun && step == 0;
    size_t from = whole ? u->molecules.first[unit] : unit,
           to = whole ? u->molecules.first[unit + 1] : unit + 1, before = 0;
    double at[3] = {0.0, 0.0, 0.0}, w[3], r[3]; /* `at`: wrapped place of the previous atom */
    for (size_t k = from; k < to; k++) {
        size_t i = whole ? u->molecules.atom[k] : k;
        real_vector(u->b->data, u->f64, step * u->natoms + i, w);
        if (u->rewrap)
            box_wrap(&u->b->box[step], w);
        if (k > from && u->periodic)
            follow(u, step, i, u->now + 3 * before, at, w, r, far);
        else if (first || !u->periodic || u->c.scheme == UNWRAP_IMAGES)
            memcpy(r, w, sizeof r);
        else
            follow(u, step, i, u->now + 3 * i, u->last + 3 * i, w, r, far);
        memcpy(u->last + 3 * i, w, sizeof w);
        memcpy(u->now + 3 * i, r, sizeof r);
        memcpy(at, w, sizeof at);
        write_atom(u, step, i, r);
        before = i;
    }
}

static void units(void *ctx, size_t from, size_t to, int thread)
{
    const struct unwrap *u = ctx;
    struct far *far = &u->task[from / UNITS_A_TASK];
    (void)thread;
    *far = (struct far){0};
    for (size_t s = 0; s < u->b->nsteps; s++)
        for (size_t k = from; k < to; k++)
            one_step(u, s, k, far);
}

static void subtract_drift(struct unwrap *u)
{
    size_t n = u->natoms;
    for (size_t s = 0; s < u->b->nsteps; s++) {
        double sum[3] = {0.0, 0.0, 0.0}, all = 0.0;
        for (size_t i = 0; i < n; i++) {
            for (size_t a = 0; a < 3; a++)
                sum[a] += u->mass[i] * real_at(u->to, u->f64, 3 * (s * n + i) + a);
            all += u->mass[i];
        }
        for (int a = 0; a < 3; a++) {
            if (!u->begun && s == 0)
                u->centre[a] = sum[a] / all;
            sum[a] = sum[a] / all - u->centre[a];
        }
        for (size_t k = 0; k < 3 * n; k++)
            if (u->f64)
                ((double *)u->to)[3 * s * n + k] -= sum[k % 3];
            else
                ((float *)u->to)[3 * s * n + k] -= (float)sum[k % 3];
    }
}

/* Reduces the cells of the steps of the block and reserves memory. Returns 0 or -1. */
static int take_cells(struct unwrap *u, size_t nunits, struct err *e)
{
    const struct traj_block *b = u->b;
    size_t tasks = nunits / UNITS_A_TASK + 1;
    if (b->nsteps > u->cells || tasks > u->tasks) {
        free(u->cell);
        free(u->half);
        free(u->task);
        u->cell = malloc(b->nsteps * sizeof *u->cell);
        u->half = malloc(b->nsteps * sizeof *u->half);
        u->task = calloc(tasks, sizeof *u->task);
        if (!u->cell || !u->half || !u->task)
            return err_memory(e, "cells");
        u->cells = b->nsteps;
        u->tasks = tasks;
    }
    if (!u->begun)
        u->first = b->box[0];
    for (size_t s = 0; s < b->nsteps; s++) {
        if (s && memcmp(&b->box[s], &b->box[s - 1], sizeof *b->box) == 0)
            u->cell[s] = u->cell[s - 1];
        else
            lattice_reduce(&b->box[s], &u->cell[s]);
        u->half[s] = box_half_width(&u->cell[s]);
        u->changes |= memcmp(b->box[s].h, u->first.h, sizeof u->first.h) != 0;
    }
    return 0;
}

/* Writes the interval between frames that would be short enough. */
static void advise(const struct unwrap *u, double part, char *text, size_t size)
{
    double less = UNWRAP_FAR / part * (UNWRAP_FAR / part); /* squared because of diffusion */
    if (u->dt_ps > 0.0)
        snprintf(text, size, "frames should be at most %.2g ps apart, but are %.4g ps apart",
                 less * u->dt_ps, u->dt_ps);
    else
        snprintf(text, size, "the time between frames should be at most %.2g of its present value",
                 less);
}

/* Returns the first move that is too long, or else the largest move. */
static struct far worst(const struct unwrap *u, size_t tasks)
{
    struct far max = {0};
    for (size_t k = 0; k < tasks; k++) {
        const struct far *f = &u->task[k];
        bool both = f->part > 1.0 && max.part > 1.0;
        if (both ? f->step < max.step : f->part > max.part)
            max = *f;
    }
    return max;
}

static int look(struct unwrap *u, size_t tasks, struct err *e)
{
    struct far max = worst(u, tasks);
    char text[128];
    double half = u->half[max.step];
    max.step += u->steps;
    if (max.part > u->far.part)
        u->far = max;
    if (!(max.part > 1.0))
        return 0;
    if (max.mate)
        return err_bad(e,
                       "frame %llu: atom %zu: expected a distance of at most %.4g A (half the "
                       "smallest cell width) from the preceding atom of its molecule, found %.4g A "
                       "(check the list of --molecules)",
                       (unsigned long long)max.step, max.atom, half, max.part * half);
    advise(u, max.part, text, sizeof text);
    return err_bad(e,
                   "frame %llu: atom %zu: expected a displacement of at most %.4g A (half the "
                   "smallest cell width) in one step, found %.4g A, so the image is ambiguous (%s)",
                   (unsigned long long)max.step, max.atom, half, max.part * half, text);
}

/* Unwraps the steps of b into u->to. Returns 0, or -1 and sets e. */
static int unwrap(struct unwrap *u, const struct traj_block *b, struct err *e)
{
    size_t n = u->molecules.n ? u->molecules.n : u->natoms;
    u->b = b;
    if (b->nsteps == 0)
        return 0;
    if (take_cells(u, n, e) != 0)
        return -1;
    pool_pieces(u->pool, units, u, n, UNITS_A_TASK);
    if (look(u, n / UNITS_A_TASK + (n % UNITS_A_TASK != 0), e) != 0)
        return -1;
    if (u->mass)
        subtract_drift(u);
    u->begun = true;
    u->steps += b->nsteps;
    return 0;
}

static int add_block(void *run, const struct traj_block *b, struct frame_writer *w, struct err *e)
{
    struct unwrap *u = run;
    size_t bytes = u->info->step_bytes;
    if (b->nsteps > u->room) {
        free(u->to);
        u->to = malloc(b->nsteps * bytes);
        u->room = u->to ? b->nsteps : 0;
    }
    if (!u->out)
        u->out = traj_writer_like(w, u->info, u->info->dt_ps);
    if (!u->to || !u->out)
        return err_memory(e, "a block");
    if (unwrap(u, b, e) != 0)
        return -1;
    for (size_t s = 0; s < b->nsteps; s++)
        if (traj_put(u->out, b->index + s, b->time[s], &b->box[s], (char *)u->to + s * bytes,
                     b->velocities ? (const char *)b->velocities + s * bytes : NULL,
                     b->scalars ? (const char *)b->scalars + s * u->info->scalar_bytes : NULL))
            return *e = *frame_writer_error(w), -1;
    return 0;
}

/* Ends a segment. Every segment is a separate trajectory. */
static int end_segment(void *run)
{
    struct unwrap *u = run;
    int bad = u->out ? traj_flush(u->out) : 0;
    traj_writer_free(u->out);
    u->out = NULL;
    u->begun = false;
    return bad;
}

/* ---- META and warnings */

static int set_meta(const void *run, struct meta *m)
{
    const struct unwrap *u = run;
    return meta_copy_keys(m, frame_meta(u->in), "data.") |
                       meta_set(m, "data.unwrapped", unwrap_schemes[u->c.scheme]) |
                       (u->c.subtract || u->rewrap
                            ? meta_set(m, "data.drift", u->c.subtract ? "subtracted" : NULL) |
                                  meta_set(m, "data.drift_of", u->c.drift_of)
                            : 0) |
                       (u->masses ? meta_copy_keys(m, u->masses, "data.") : 0) |
                       (u->molecules.n ? molecules_meta(&u->molecules, m) : 0) ||
                   traj_like_cell(u->info, m)
               ? -1
               : 0;
}

static const char *next_warning(void *run)
{
    struct unwrap *u = run;
    char text[128];
    for (;;)
        switch (u->given++) {
        case 0:
            if (u->far.part <= UNWRAP_FAR)
                break;
            if (u->far.mate) {
                snprintf(u->text, sizeof u->text,
                         "atom %zu, frame %llu: the distance to the preceding atom of its molecule "
                         "is %.2g of half the smallest cell width; larger distances may go "
                         "unnoticed and give wrong images",
                         u->far.atom, (unsigned long long)u->far.step, u->far.part);
                return u->text;
            }
            advise(u, u->far.part, text, sizeof text);
            snprintf(u->text, sizeof u->text,
                     "atom %zu, frame %llu: the move in one step is %.2g of half the smallest cell "
                     "width; larger moves may go unnoticed and give wrong images (%s)",
                     u->far.atom, (unsigned long long)u->far.step, u->far.part, text);
            return u->text;
        case 1:
            if (u->c.scheme != UNWRAP_IMAGES || !u->changes)
                break;
            return "the cell changes: with image flags, atoms that crossed a face of the cell move "
                   "with the cell and appear to diffuse (use --scheme tor)";
        case 2:
            if (u->periodic)
                break;
            return "the cell is not periodic, so no position is wrapped";
        case 3:
            if (!*u->drift)
                break;
            return u->drift;
        default: return NULL;
        }
}

const struct stepwise unwrap_stepwise = {.bound = "displacements",
                                         .type = FRAME_SCAL,
                                         .size = sizeof(struct unwrap),
                                         .open = open_run,
                                         .meta = set_meta,
                                         .add = add_block,
                                         .end = end_segment,
                                         .warning = next_warning,
                                         .close = close_run};
