/* SPDX-License-Identifier: MIT */
#include "current/current.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "select/dipole.h"

#define VOLUME_CHANGE 1e-3 /* relative (a smaller change of the mean volume is not reported) */

const char *const current_quantities[] = {"current", "dipole", "both", "point", NULL};

struct current {
    struct current_choice c;
    struct traj_info info;
    struct dipole charge;
    size_t columns; /* number of columns of the output */
    struct pool *pool;
    struct tracks t; /* looks for jumps of the positions if M is requested */
    struct molecules molecules;
    double *q;   /* [natoms] charges of a step */
    double *out; /* [rooms][columns] */
    size_t rooms;
    uint64_t seen;
    double total, volume; /* largest |sum q|, and sum of the volumes of the steps in Å³ */
    char warning[256];
    int warned; /* number of the next warning */
};

static int open_run(void *run, const void *choice, const struct analysis_input *in, int threads,
                    uint64_t max_mem, struct err *e)
{
    struct current *r = run;
    const struct current_choice *c = choice;
    r->c = *c;
    r->info = *traj_info(in->traj);
    r->columns = c->quantity == CURRENT_BOTH ? 6 : 3;
    struct tracks_choice tracks = {
        .drift = TRACKS_KEEP, .wrapped = !c->unwrapped, .max_mem = max_mem};
    int bad = dipole_open(&r->charge, in->meta, e);
    if (!bad && r->charge.unknown && c->quantity == CURRENT_POINT)
        bad = err_bad(e, "expected the charges of the atoms in units of e, found no unit (give "
                         "--charges to traj2bin or xyz2bin)");
    if (!bad && c->molecules)
        bad = molecules_open(&r->molecules, "--molecules", c->molecules, in->meta, r->info.natoms,
                             MOLECULES_APART, 0, e);
    if (!bad &&
        (!(r->q = malloc((r->info.natoms + 1) * sizeof *r->q)) || !(r->pool = pool_new(threads))))
        bad = err_memory(e, "the charges");
    if (!bad && c->quantity != CURRENT_J && !c->molecules)
        bad = tracks_open(&r->t, &tracks, in, r->pool, e);
    return bad;
}

static int set_meta(const void *run, struct meta *m)
{
    const struct current *r = run;
    static const char *const columns[] = {"jx jy jz", "mx my mz", "jx jy jz mx my mz"},
                             *const units[] = {"e*A/ps e*A/ps e*A/ps", "e*A e*A e*A",
                                               "e*A/ps e*A/ps e*A/ps e*A e*A e*A"},
                             *const fluxes[] = {"total total total", NULL,
                                                "total total total - - -"},
                             *const what[] = {"current", "dipole", "current-and-dipole"};
    int k = r->c.quantity;
    if (k == CURRENT_POINT)
        return meta_set(m, "data.quantity", "positions") | meta_set(m, "data.unit", "e*A") |
               meta_set(m, "data.unwrapped", "tor") | meta_set(m, "sys.natoms", "1") |
               meta_set(m, "sys.species", NULL) | meta_set(m, "sys.point", "dipole");
    return meta_set(m, "data.quantity", what[k]) | meta_set(m, "data.columns", columns[k]) |
           meta_set(m, "data.units",
                    !r->charge.unknown  ? units[k]
                    : k == CURRENT_BOTH ? "- - - - - -"
                                        : "- - -") |
           meta_set(m, "data.fluxes", fluxes[k]) |
           meta_set(m, "data.label.of", "jx:J,~x jy:J,~y jz:J,~z mx:M,~x my:M,~y mz:M,~z") |
           (r->molecules.n ? molecules_meta(&r->molecules, m) : 0) |
           meta_set(m, "data.convention",
                    k == CURRENT_J   ? "J = sum over atoms of q v"
                    : k == CURRENT_M ? "M = sum over atoms of q r"
                                     : "J = sum over atoms of q v, M = sum over atoms of q r");
}

/* Reads the charges of a step and checks that they add up to 0. Returns 0, or -1 and sets e. */
static int read_charges(struct current *r, const void *scalars, struct err *e)
{
    double sum = 0.0, all = 0.0;
    for (size_t i = 0; i < r->info.natoms; i++) {
        r->q[i] = dipole_charge(&r->charge, scalars, r->info.dtype == FRAME_F64, i);
        sum += r->q[i];
        all += fabs(r->q[i]);
    }
    for (size_t i = 0; isnan(all) && i < r->info.natoms; i++)
        if (isnan(r->q[i]))
            return err_bad(
                e, "expected a charge for every atom, found none for atom %zu (counted from 0)", i);
    if (!(all > 0.0))
        return err_bad(e, "expected charged atoms, found only charges of 0");
    if (fabs(sum) > DIPOLE_NEUTRAL * all && !r->c.charged)
        return err_bad(e,
                       "expected charges that add up to 0, found a total charge of %.6g "
                       "(--charged-ok accepts it)",
                       sum);
    if (fabs(sum) > DIPOLE_NEUTRAL * all && fabs(sum) > fabs(r->total))
        r->total = sum;
    return 0;
}

static inline __attribute__((always_inline)) void add_up(const double *q, size_t n, const void *x,
                                                         bool f64, double to[3])
{
    double sum[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < 3; a++)
            sum[a] += q[i] * real_at(x, f64, 3 * i + a);
    memcpy(to, sum, sizeof sum);
}

/* Writes the sum of q x over the atoms, where q is the charge of an atom and x its vector. */
static void weighted(const struct current *r, const void *x, double to[3])
{
    if (r->info.dtype == FRAME_F64)
        add_up(r->q, r->info.natoms, x, true, to);
    else
        add_up(r->q, r->info.natoms, x, false, to);
}

/* Writes the sum of the dipole moments of all molecules at a step. Returns 0, or -1 and sets e. */
static int add_molecules(const struct current *r, const void *x, const void *scalars,
                         const struct box *box, double to[3], struct err *e)
{
    memset(to, 0, 3 * sizeof *to);
    for (size_t k = 0; k < r->molecules.n; k++) {
        double d[3], q = dipole_of(&r->charge, &r->molecules, k, x, scalars,
                                   r->info.dtype == FRAME_F64, box, d);
        if (q != 0.0)
            return err_bad(
                e,
                "--molecules: expected neutral molecules, found a charge of %.6g e in molecule "
                "%zu, counted from 0 (omit --molecules, and use unwrapped positions)",
                q, k);
        for (size_t a = 0; a < 3; a++)
            to[a] += d[a];
    }
    return 0;
}

static int add_block(void *run, const struct traj_block *b, struct frame_writer *w, struct err *e)
{
    struct current *r = run;
    size_t step = 3 * r->info.natoms * frame_dtype_size(r->info.dtype),
           each = r->info.nscalars * r->info.natoms * frame_dtype_size(r->info.dtype);
    bool j = r->c.quantity == CURRENT_J || r->c.quantity == CURRENT_BOTH;
    if (j && !b->velocities && b->nsteps)
        return err_bad(e,
                       "frame %llu: expected velocities (VELO), found none (traj2bin --velocities "
                       "keeps the velocities of a file)",
                       (unsigned long long)r->seen);
    if (r->t.own && tracks_take(&r->t, b, e) != 0)
        return -1;
    if (b->nsteps > r->rooms) {
        free(r->out);
        r->out = malloc(b->nsteps * r->columns * sizeof *r->out);
        r->rooms = r->out ? b->nsteps : 0;
        if (!r->out)
            return err_memory(e, "a block");
    }
    double *to = r->out;
    for (size_t s = 0; s < b->nsteps; s++, r->seen++) {
        const void *x = (const char *)b->data + s * step,
                   *scalars = (const char *)b->scalars + s * each;
        if (read_charges(r, scalars, e) != 0 ||
            (r->molecules.n && add_molecules(r, x, scalars, &b->box[s], to + (j ? 3 : 0), e) != 0))
            return err_frame(e, r->seen);
        if (j) {
            weighted(r, (const char *)b->velocities + s * step, to);
            to += 3;
        }
        if (r->t.own)
            weighted(r, x, to);
        to += r->c.quantity != CURRENT_J ? 3 : 0;
        r->volume += box_volume(&b->box[s]);
    }
    struct frame_desc d = {
        .type = FRAME_SERI, .dtype = FRAME_F64, .ndim = 2, .dims = {b->nsteps, r->columns}};
    if (r->c.quantity == CURRENT_POINT)
        d = (struct frame_desc){
            .type = FRAME_POSN, .dtype = FRAME_F64, .ndim = 3, .dims = {b->nsteps, 1, 3}};
    if (traj_put_block(w, d, b, 0, r->info.dt_ps, r->out))
        return *e = *frame_writer_error(w), -1;
    return 0;
}

static const char *next_warning(void *run)
{
    struct current *r = run;
    double first = box_volume(&r->info.box), mean = r->volume / (double)r->seen;
    for (*r->warning = '\0'; r->warned < 3 && !*r->warning; r->warned++) {
        if (r->warned == 0 && r->total != 0.0)
            snprintf(
                r->warning, sizeof r->warning,
                "the total charge is %.6g, so the result includes the motion of the centre of mass",
                r->total);
        if (r->warned == 1 && r->t.own && r->t.breathes)
            snprintf(r->warning, sizeof r->warning,
                     "the cell changes, but the positions were unwrapped with image flags. Ions "
                     "that have crossed a cell face therefore move with the cell (pipe the input "
                     "through unwrap)");
        if (r->warned == 2 && fabs(mean - first) > VOLUME_CHANGE * first)
            snprintf(r->warning, sizeof r->warning,
                     "the cell changes: the output states the volume of the first step, %.8g A^3, "
                     "but the mean volume is %.8g A^3 (multiply the conductivity by %.5f)",
                     first, mean, first / mean);
    }
    return *r->warning ? r->warning : NULL;
}

static void close_run(void *run)
{
    struct current *r = run;
    if (r->t.own)
        tracks_close(&r->t);
    molecules_close(&r->molecules);
    pool_free(r->pool);
    free(r->q);
    free(r->out);
}

const struct stepwise current_stepwise = {.bound = "the sums",
                                          .type = FRAME_SCAL,
                                          .size = sizeof(struct current),
                                          .open = open_run,
                                          .meta = set_meta,
                                          .add = add_block,
                                          .warning = next_warning,
                                          .close = close_run};
