/* SPDX-License-Identifier: MIT */
#include "acf/green_kubo.h"

#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "stats/analysis.h"
#include "stats/blocks.h"
#include "stats/drift.h"
#include "stats/series.h"
#include "stats/zero.h"

#define DECAYED 5.0    /* cut-off in correlation times */
#define LONGER 2.0     /* length of the running integral in cut-off times, */
#define PART 0.25      /* and at most this fraction of the shortest run */
#define ROUNDING 1e-13 /* rounding error of a sine coefficient of a constant series */
#define TYPED 0.01     /* allowed relative difference of --volume from the input */
#define MEANS 3.1      /* normal deviate exceeded with probability 0.001 */
#define ALIASED 0.33   /* for exponential C, aliasing at 0 relative to the last frequency */

/* The components of a run. */
struct run {
    struct acf_series s; /* v [comps][steps], then the temperatures if has_temperature() */
    size_t capacity;
    double *power[2]; /* [steps], mean over components (power[1] excludes the mean) */
};

struct green_kubo {
    struct green_kubo_choice c;
    struct meta *meta; /* META of the first run */
    char (*name)[48];  /* [columns] */
    size_t columns;
    struct flux flux;
    struct flux_unit unit;
    double factor, temperature, volume;
    double heat, capacity; /* sums of the columns of temperature and volume */
    double rows;           /* number of rows in these sums */
    double cell;           /* mean volume of the cells of the runs in Å³, or NaN if a run has no
                            * cell */
    double dt;
    struct run *run;
    size_t runs;
    struct zero zero;
    bool centred;      /* means are subtracted */
    double cutoff;     /* cut-off found */
    char changed[640]; /* for data.changed */
};

struct green_kubo *green_kubo_open(const struct green_kubo_choice *c, struct err *e)
{
    struct green_kubo *g = calloc(1, sizeof *g);
    if (g)
        g->c = *c;
    else
        err_memory(e, "a coefficient");
    return g;
}

void green_kubo_close(struct green_kubo *g)
{
    for (size_t k = 0; g && k < g->runs; k++) {
        free(g->run[k].s.v);
        free(g->run[k].power[0]);
        free(g->run[k].power[1]);
    }
    if (g) {
        meta_free(g->meta);
        free(g->run);
        free(g->name);
    }
    free(g);
}

const struct meta *green_kubo_meta(const struct green_kubo *g)
{
    return g->meta;
}

/* ---- runs */

/* Takes columns, units and META from the first run. Returns 0, or -1 and sets e. */
static int begin(struct green_kubo *g, const struct meta *m, double dt, struct err *e)
{
    if (!(g->name = acf_names(m, &g->columns, e)))
        return -1;
    if (!(dt > 0.0))
        return err_bad(e, "expected evenly spaced steps, found an input without a time step");
    if (!(g->meta = meta_copy(m)))
        return err_memory(e, "META");
    g->dt = dt;
    struct flux_input in = {m, g->name, g->columns};
    return flux_find(&g->flux, (enum flux_property)g->c.property, g->c.columns, &in, e) ||
                   flux_unit_find(&g->unit, &g->flux, g->c.unit, (enum flux_scale)g->c.flux,
                                  g->c.natoms, &in, e)
               ? -1
               : 0;
}

/* Returns true if the result depends on the mean of the temperature column. */
static bool has_temperature(const struct green_kubo *g)
{
    return g->flux.property != FLUX_NONE && isnan(g->c.temperature) && g->flux.temperature >= 0;
}

static int take(struct green_kubo *g, struct run *r, const struct traj_block *b, struct err *e)
{
    const double *x = b->data;
    if (acf_grow(&r->s, &r->capacity, r->s.steps + b->nsteps, g->c.max_mem, "components", e))
        return -1;
    for (size_t t = 0; t < b->nsteps; t++, x += g->columns) {
        flux_row(&g->flux, x, r->s.v + r->s.steps, r->capacity);
        if (has_temperature(g))
            r->s.v[g->flux.comps * r->capacity + r->s.steps] = x[g->flux.temperature];
        r->s.steps++;
        g->heat += g->flux.temperature >= 0 ? x[g->flux.temperature] : NAN;
        double v = g->flux.nvolume ? 1.0 : NAN;
        for (size_t k = 0; k < g->flux.nvolume; k++)
            v *= x[g->flux.volume[k]];
        g->capacity += v;
        g->rows++;
    }
    return 0;
}

/* Takes all blocks of a stream. */
static int take_all(struct green_kubo *g, struct run *r, struct traj_reader *t, struct err *e)
{
    struct traj_block b;
    uint64_t next = 0;
    bool fresh;
    int rc;
    while ((rc = traj_next(t, &b, &fresh)) > 0) {
        if (r->s.steps && b.index != next)
            return err_bad(e,
                           "expected step %llu, found step %llu: correlations must not extend "
                           "across a gap (give each run as a separate file)",
                           (unsigned long long)next, (unsigned long long)b.index);
        if (traj_info(t)->ncomp != g->columns)
            return err_bad(e,
                           "expected a SERI array of %zu columns of type f64, one per name in "
                           "data.columns, found another array",
                           g->columns);
        next = b.index + b.nsteps;
        if (take(g, r, &b, e))
            return -1;
    }
    if (rc < 0) {
        *e = *traj_error(t);
        return -1;
    }
    if (r->s.steps < ZERO_MIN)
        return err_bad(e, "expected at least %d steps, found %zu", ZERO_MIN, r->s.steps);
    acf_pack(&r->s, r->capacity);
    return 0;
}

/* Refuses a run that equals an earlier run, because the error would be too small. */
static int twice(const struct green_kubo *g, const struct run *r, struct err *e)
{
    for (const struct run *q = g->run; q < r; q++)
        if (q->s.steps == r->s.steps &&
            memcmp(q->s.v, r->s.v, r->s.steps * g->flux.comps * sizeof *r->s.v) == 0)
            return err_bad(e, "run %td is a copy of run %td", r - g->run + 1, q - g->run + 1);
    return 0;
}

/* Adds the volume of a run with META m and n rows to a sum. Returns 0, or -1 and sets e. */
static int take_cell(struct green_kubo *g, const struct meta *m, size_t n, struct err *e)
{
    struct box box;
    bool has = meta_get(m, "sys.cell") != NULL;
    if (has && traj_box(m, &box, e))
        return -1;
    g->cell += ((has ? box_volume(&box) : NAN) - g->cell) * ((double)n / g->rows);
    return 0;
}

int green_kubo_add(struct green_kubo *g, struct frame_reader *in, struct err *e)
{
    struct run *more = realloc(g->run, (g->runs + 1) * sizeof *more);
    struct traj_reader *t = more ? traj_open(in, FRAME_SERI, e) : NULL;
    if (!more)
        return err_memory(e, "a run");
    g->run = more;
    if (!t)
        return -1;
    struct run *r = &g->run[g->runs++];
    const struct meta *m = frame_meta(in);
    double dt = traj_info(t)->dt_ps;
    int rc;
    *r = (struct run){0};
    if (analysis_even(m, e) != 0)
        rc = -1;
    else if (g->meta &&
             (meta_system_differs(g->meta, m) || meta_differs(g->meta, m, "data.columns")))
        rc = err_bad(e, "expected runs of the same system with the same columns, found different "
                        "sys.* keys or columns");
    else
        rc = g->meta ? 0 : begin(g, m, dt, e);
    r->s.columns = g->flux.comps + has_temperature(g);
    r->s.dt_ps = dt;
    rc = rc ? -1 : take_all(g, r, t, e);
    rc = rc ? -1 : twice(g, r, e);
    rc = rc ? -1 : take_cell(g, m, r->s.steps, e);
    traj_close(t);
    return rc;
}

/* ---- the value */

/* Adds the power of the sine coefficients of v[n] to power[0]. Adds the power for v minus its mean
 * to power[1]. A mean of 1 has only odd sine coefficients, sqrt(2/n) / sin(pi j/2n). The mean is
 * found from the first coefficient, because the average of v depends on the ends of the run even if
 * S(0) is 0. The array x[n] is scratch memory. */
static void sines(const struct run *r, double *v, double *x, fftw_plan plan, double share)
{
    size_t n = r->s.steps;
    memcpy(x, v, n * sizeof *x);
    fftw_execute_r2r(plan, x, x);
    double mean = 0.5 * x[0] * sin(0.5 * UNITS_PI / (double)n), unit = sqrt(2.0 / (double)n);
    for (size_t j = 1; j < n; j++) {
        double y = 0.5 * unit * x[j - 1],
               m = j % 2 ? mean * unit / sin(0.5 * UNITS_PI * (double)j / (double)n) : 0.0;
        r->power[0][j - 1] += share * y * y;
        if (fabs(y - m) > ROUNDING * fabs(mean) * sqrt((double)n))
            r->power[1][j - 1] += share * (y - m) * (y - m);
    }
}

/* Computes the power of the sine coefficients of a run. Returns 0, or -1 and sets e. */
static int transform(struct green_kubo *g, struct run *r, struct err *e)
{
    size_t n = r->s.steps, comps = g->flux.comps;
    if (n > INT32_MAX)
        return err_bad(e, "%zu steps are too many for one FFT", n);
    if (err_over(e, 8.0 * (double)(n * comps) + 40.0 * (double)n, g->c.max_mem, NULL,
                 "a transform of %zu steps", n))
        return -1;
    double *x = fftw_malloc(n * sizeof *x);
    fftw_plan plan = x ? fftw_plan_r2r_1d((int)n, x, x, FFTW_RODFT10, FFTW_ESTIMATE) : NULL;
    for (int k = 0; k < 2; k++)
        r->power[k] = calloc(n, sizeof *r->power[k]);
    int rc = plan && r->power[0] && r->power[1] ? 0 : err_memory(e, "a transform");
    for (size_t c = 0; c < comps && rc == 0; c++)
        sines(r, r->s.v + c * n, x, plan, 1.0 / (double)comps);
    if (plan)
        fftw_destroy_plan(plan);
    fftw_free(x);
    return rc;
}

/* Sets *to to the given number, if any, or else to the mean from META or a column. The value is in
 * `unit`, or is NaN if unknown. A given number must be within the fraction `slack` of the mean. */
static int known(double given, double meant, double unit, double slack, const char *column,
                 const char *option, double *to, struct err *e)
{
    *to = isnan(given) ? meant * unit : given;
    if (fabs(given - meant * unit) > slack * meant * unit)
        return err_bad(e, "%s: expected %.8g, the value in the input, found %.8g (omit the option)",
                       option, meant * unit, given);
    if (*to > 0.0 && isfinite(*to))
        return 0;
    if (isnan(unit) && column)
        return err_bad(e, "column %s: expected a known unit, found none (give the value with %s)",
                       column, option);
    return err_bad(e,
                   "expected %s in the header (META) or in a column, found neither (LAMMPS writes "
                   "the columns temp and vol with thermo_style custom)",
                   option);
}

static int constants(struct green_kubo *g, struct err *e)
{
    const struct flux *f = &g->flux;
    bool cell = !isnan(g->cell);
    g->temperature = g->volume = NAN;
    if (f->property != FLUX_NONE &&
        (known(g->c.temperature, g->heat / g->rows, g->unit.kelvin, INFINITY,
               f->temperature < 0 ? NULL : g->name[f->temperature], "--temperature K",
               &g->temperature, e) ||
         known(g->c.volume, cell ? g->cell : g->capacity / g->rows, cell ? 1.0 : g->unit.a3, TYPED,
               f->nvolume ? g->name[f->volume[0]] : NULL, "--volume A3", &g->volume, e)))
        return -1;
    g->factor = flux_factor(&g->flux, &g->unit, g->temperature, g->volume);
    return 0;
}

/* Extrapolates the spectrum, with or without the means of the runs. Returns 0, or -1 and sets e. */
static int extrapolate(const struct green_kubo *g, bool centred, struct zero *z, struct err *e)
{
    struct zero_run *run = calloc(g->runs, sizeof *run);
    for (size_t k = 0; run && k < g->runs; k++)
        run[k] = (struct zero_run){g->run[k].power[centred], g->run[k].s.steps,
                                   (double)g->flux.comps, centred};
    int rc = run ? zero_frequency(run, g->runs, z, e) : err_memory(e, "the runs");
    free(run);
    return rc;
}

/* Checks that the means are 0, as symmetry requires. Their squares, divided by the squared errors,
 * follow a chi-squared distribution, whose cube root is normal (Wilson and Hilferty, Proc Natl Acad
 * Sci 17 (1931) 684). */
static bool means_vanish(const struct green_kubo *g, const struct zero *z)
{
    double sum = 0.0, dof = (double)(g->runs * g->flux.comps), w = 2.0 / (9.0 * dof);
    for (size_t k = 0; k < g->runs; k++)
        for (size_t c = 0; c < g->flux.comps; c++) {
            const double *v = g->run[k].s.v + c * g->run[k].s.steps;
            double total = 0.0;
            for (size_t t = 0; t < g->run[k].s.steps; t++)
                total += v[t];
            sum += total * total / (double)g->run[k].s.steps;
        }
    sum /= fmax(z->value, 0.0) + 2.0 * z->se;
    return cbrt(sum / dof) - (1.0 - w) < MEANS * sqrt(w);
}

/* Finds S(0), and decides whether to subtract means of runs. Returns 0, or -1 and sets e. */
static int spectrum(struct green_kubo *g, struct green_kubo_value *v, struct err *e)
{
    bool symmetric = g->flux.property != FLUX_NONE && g->flux.property != FLUX_BULK_VISCOSITY;
    g->centred = true;
    if (extrapolate(g, true, &g->zero, e))
        return -1;
    v->means = symmetric && !means_vanish(g, &g->zero);
    g->centred = !symmetric || v->means;
    if (!g->centred && extrapolate(g, false, &g->zero, e))
        return -1;
    for (size_t k = 0; k < g->runs && g->centred; k++)
        for (size_t c = 0; c < g->flux.comps; c++)
            acf_centre(g->run[k].s.v + c * g->run[k].s.steps, g->run[k].s.steps);
    return 0;
}

static int by_spectrum(struct green_kubo *g, struct green_kubo_value *v, struct err *e)
{
    const struct zero *z = &g->zero;
    const char *unit = g->unit.lj ? "tau" : "ps";
    double half = 0.5 * g->dt * g->factor, longest = 0.0, shortest = INFINITY;
    for (size_t k = 0; k < g->runs; k++) {
        longest = fmax(longest, g->dt * (double)g->run[k].s.steps);
        shortest = fmin(shortest, g->dt * (double)g->run[k].s.steps);
    }
    if (z->enough > 0.0)
        return err_bad(e,
                       "expected runs of at least %.3g %s, found at most %.3g %s: the correlation "
                       "time is about %.2g %s (use longer runs, or limit the time integral with "
                       "--cutoff; more runs of this length do not help)",
                       z->enough * g->dt, unit, longest, unit, z->time * g->dt, unit);
    v->value = half * z->value;
    v->se = half * z->se;
    v->cutoff = fmin(DECAYED * z->time * g->dt, PART * shortest);
    v->coarse = ALIASED * half * z->last > 0.5 * v->se;
    return 0;
}

/* ---- the running integral */

/* Blocks of all runs together. */
struct corr {
    size_t lags, blocks;
    uint64_t *counts;     /* [blocks][lags] */
    double *sums;         /* [blocks][lags][comps] */
    char *runs;           /* "79 40" */
    struct acf_params *p; /* [runs] */
    struct acf_pair pair[FLUX_COMPS];
};

static void corr_free(struct corr *c)
{
    free(c->counts);
    free(c->sums);
    free(c->runs);
    free(c->p);
}

/* Sets the number of blocks, and the lags up to the time `ps`. Returns 0, or -1 and sets e. */
static int corr_plan(const struct green_kubo *g, struct corr *c, double ps, struct err *e)
{
    double lags = floor(ps / g->dt * (1.0 + 1e-9)) + 1.0;
    char *at = c->runs = calloc(g->runs + 1, 24);
    if (!c->runs || !(c->p = calloc(g->runs, sizeof *c->p)))
        return err_memory(e, "the runs");
    for (size_t k = 0; k < g->flux.comps; k++)
        c->pair[k] = (struct acf_pair){k, k};
    for (size_t k = 0; k < g->runs; k++)
        if (lags > (double)g->run[k].s.steps)
            return err_bad(e,
                           "run %zu: --cutoff or --tmax needs a run of at least %g ps, found %zu "
                           "steps of %g ps",
                           k + 1, ps, g->run[k].s.steps, g->dt);
    c->lags = (size_t)lags;
    for (size_t k = 0; k < g->runs; k++) {
        struct acf_params *p = &c->p[k];
        *p = (struct acf_params){.lags = c->lags,
                                 .pair = c->pair,
                                 .npairs = g->flux.comps,
                                 .threads = g->c.threads,
                                 .max_mem = g->c.max_mem};
        acf_blocks(&g->run[k].s, p);
        c->blocks += p->blocks;
        at += sprintf(at, "%s%zu", k ? " " : "", p->blocks);
    }
    return 0;
}

/* Returns the variance of the mean of run k, which lowers C(t) if means are subtracted. */
static double lost(const struct green_kubo *g, size_t k)
{
    return g->centred ? fmax(g->zero.value, 0.0) / (double)g->run[k].s.steps : 0.0;
}

static int corr_make(struct green_kubo *g, struct corr *c, double ps, struct err *e)
{
    size_t at = 0, row = c->lags;
    if (corr_plan(g, c, ps, e))
        return -1;
    row = c->lags * g->flux.comps;
    c->counts = calloc(c->blocks * c->lags, sizeof *c->counts);
    c->sums = calloc(c->blocks * row, sizeof *c->sums);
    if (!c->counts || !c->sums)
        return err_memory(e, "the running integral");
    for (size_t k = 0; k < g->runs; at += c->p[k++].blocks)
        if (acf_compute(&g->run[k].s, &c->p[k], c->counts + at * c->lags, c->sums + at * row, e))
            return -1;
    for (size_t k = 0, b = 0; k < g->runs; k++)
        for (size_t end = b + c->p[k].blocks; b < end; b++)
            for (size_t i = 0; i < row; i++)
                c->sums[b * row + i] =
                    g->factor * (c->sums[b * row + i] +
                                 lost(g, k) * (double)c->counts[b * c->lags + i / g->flux.comps]);
    return 0;
}

/* Computes the integral up to the last lag and its error. Scratch memory: dev[3][blocks]. */
static void integrate(const struct green_kubo *g, const struct corr *c, const struct errors *how,
                      double *dev, struct green_kubo_value *v)
{
    double *y = dev + c->blocks, *n = y + c->blocks, *all = n + c->blocks;
    size_t comps = g->flux.comps;
    v->value = 0.0;
    memset(all, 0, c->blocks * sizeof *all);
    for (size_t l = 0; l < c->lags; l++) {
        double w = g->dt * (l == 0 || l + 1 == c->lags ? 0.5 : 1.0);
        for (size_t b = 0; b < c->blocks; b++) {
            y[b] = 0.0;
            n[b] = (double)c->counts[b * c->lags + l];
            for (size_t k = 0; k < comps; k++)
                y[b] += c->sums[(b * c->lags + l) * comps + k] / (double)comps;
        }
        v->value += w * stats_ratio(c->blocks, y, n, NULL, dev, 1);
        for (size_t b = 0; b < c->blocks; b++)
            all[b] += w * dev[b];
    }
    v->se = errors_of(how, all, 1, n).se;
}

static int by_cutoff(struct green_kubo *g, struct green_kubo_value *v, struct err *e)
{
    struct corr c = {0};
    struct errors how = {0};
    double *dev = NULL;
    int rc = corr_make(g, &c, g->c.cutoff, e);
    if (!rc &&
        (errors_init(&how, 1, c.blocks, c.runs) || !(dev = calloc(4 * c.blocks, sizeof *dev))))
        rc = err_memory(e, "errors");
    if (!rc && c.lags < 2)
        rc = err_bad(e, "--cutoff: expected at least one time step, %g ps, found a shorter time",
                     g->dt);
    if (!rc)
        integrate(g, &c, &how, dev, v);
    v->cutoff = (double)(c.lags - 1) * g->dt;
    errors_free(&how);
    free(dev);
    corr_free(&c);
    return rc;
}

/* Writes the names of the columns of component c, or of all components if c is their number. */
static void flux_name(const struct green_kubo *g, size_t c, char *text, size_t size)
{
    size_t n = 0;
    for (size_t k = 0; k < g->flux.ncols && n < size; k++)
        if (c == g->flux.comps || (g->flux.plain ? k == c : g->flux.weight[c][k] != 0.0))
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "," : "", g->name[g->flux.at[k]]);
}

/* Warns in v->changed and g->changed if the mean of a component, the mean square or the mean
 * temperature changed during run k. The probability of a chance result is multiplied by the number
 * of tests of all runs. */
static int changes(struct green_kubo *g, size_t k, struct green_kubo_value *v, struct err *e)
{
    size_t n = g->run[k].s.steps, comps = g->flux.comps;
    double *square = calloc(n, sizeof *square);
    struct drift mean, d, heat = {.chance = 1.0};
    char text[600], what[256], of[200];
    if (!square)
        return err_memory(e, "a test");
    for (size_t t = 0; t < n; t++)
        for (size_t c = 0; c < comps; c++)
            square[t] += pow(g->run[k].s.v[c * n + t], 2.0) / (double)comps;
    drift_means(&mean, n, comps, g->run[k].s.v, NULL);
    drift_find(&d, n, square, NULL, true);
    bool squares = d.chance < mean.chance;
    d = squares ? d : mean;
    flux_name(g, squares ? comps : d.row, of, sizeof of);
    if (has_temperature(g))
        drift_find(&heat, n, g->run[k].s.v + comps * n, NULL, false);
    if (heat.chance < d.chance) {
        d = heat;
        squares = false;
        snprintf(of, sizeof of, "%s", g->name[g->flux.temperature]);
    }
    snprintf(what, sizeof what, "the mean %s%s", squares ? "square of " : "of ", of);
    d.chance *= (has_temperature(g) ? 3.0 : 2.0) * (double)g->runs;
    if (drift_print(&d, what, text, sizeof text)) {
        snprintf(g->changed, sizeof g->changed, "run %zu: %s", k + 1, text);
        snprintf(
            v->changed, sizeof v->changed,
            "no error is printed, because in run %zu %s changes from %.5g in the first %.0f %% "
            "of the run to %.5g in the rest (if the run began before equilibrium, omit the "
            "beginning with --from)",
            k + 1, what, d.before, 100.0 * d.part, d.after);
    }
    free(square);
    return 0;
}

int green_kubo_solve(struct green_kubo *g, struct green_kubo_value *v, struct err *e)
{
    *v = (struct green_kubo_value){.unit = g->unit, .comps = g->flux.comps, .runs = g->runs};
    if (constants(g, e))
        return -1;
    for (size_t k = 0; k < g->runs; k++) {
        const struct acf_series *s = &g->run[k].s;
        for (size_t c = 0; c < g->flux.comps && !v->jumps.n; c++)
            if (acf_jumps(s->v + c * s->steps, s->steps, &v->jumps))
                v->jumping = c;
        if ((!*v->changed && changes(g, k, v, e)) || transform(g, &g->run[k], e))
            return -1;
        v->ps += g->dt * (double)g->run[k].s.steps;
    }
    v->temperature = g->temperature;
    v->volume = g->volume;
    if (spectrum(g, v, e) || (isnan(g->c.cutoff) ? by_spectrum(g, v, e) : by_cutoff(g, v, e)))
        return -1;
    if (*v->changed) /* a start far from equilibrium can dominate both the integral and its error */
        v->se = NAN;
    g->cutoff = v->cutoff;
    return 0;
}

/* Returns the length of the running integral in ps. */
static double span(const struct green_kubo *g)
{
    double max = INFINITY, ps = isnan(g->c.tmax) ? LONGER * g->cutoff : g->c.tmax;
    for (size_t k = 0; k < g->runs; k++)
        max = fmin(max, PART * g->dt * (double)g->run[k].s.steps);
    return isnan(g->c.tmax) ? fmin(ps, max) : ps;
}

int green_kubo_put(struct green_kubo *g, struct frame_writer *w, struct meta *m, struct err *e)
{
    struct corr c = {0};
    char name[32];
    static const char *const label[] = {
        "none:⟨J(0)J(t)⟩ int_none:∫⟨J(0)J(t)⟩dt", "viscosity:η(t)~integrand int_viscosity:η",
        "bulk_viscosity:ζ(t)~integrand int_bulk_viscosity:ζ",
        "conductivity:σ(t)~integrand int_conductivity:σ",
        "thermal_conductivity:λ(t)~integrand int_thermal_conductivity:λ"};
    snprintf(name, sizeof name, "%s", flux_properties[g->c.property]);
    for (char *p = name; (p = strchr(p, '-'));)
        *p = '_';
    int rc = corr_make(g, &c, span(g), e);
    if (!rc &&
        (meta_set(m, "data.quantity", "correlation") | meta_set(m, "data.functions", name) |
         meta_set(m, "data.label.of", label[g->c.property]) |
         meta_set(m, "data.integral", "trapezoid") |
         meta_set(m, "data.mean", g->centred ? "subtract" : "keep") |
         meta_setf(m, "data.lags", "%zu", c.lags) | meta_setf(m, "data.blocks", "%zu", c.blocks) |
         meta_set(m, "data.errors", "blocking") |
         (*g->changed ? meta_set(m, "data.changed", g->changed) : 0) |
         meta_set(m, "data.runs", g->runs > 1 ? c.runs : NULL) |
         meta_set(m, "data.flux_unit", g->unit.out ? g->unit.in : g->c.unit) |
         meta_set(m, "data.flux_columns", g->c.columns) |
         meta_set(m, "data.flux_scale",
                  g->unit.scale == FLUX_UNKNOWN ? NULL : flux_scales[g->unit.scale]) |
         (isnan(g->c.temperature) ? 0 : meta_set_f64(m, "data.temperature", &g->c.temperature, 1)) |
         (isnan(g->c.volume) ? 0 : meta_set_f64(m, "data.volume", &g->c.volume, 1)) |
         meta_setf(m, "data.unit", "%s%s", g->unit.out ? g->unit.out : g->unit.square,
                   g->unit.out ? "/ps" : "") |
         meta_set(m, "data.convention", "factor <J(0) J(t)>, whose integral is the coefficient")))
        rc = err_memory(e, "META");
    if (!rc && (frame_put_meta(w, m) ||
                series_put_corr(w, c.blocks, c.lags, g->flux.comps, 1, c.counts, c.sums) ||
                frame_end(w, FRAME_COMPLETE, NULL, NULL)))
        rc = (*e = *frame_writer_error(w), -1);
    corr_free(&c);
    return rc;
}
