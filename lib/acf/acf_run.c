/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acf/acf.h"
#include "acf/acf_invariant.h"
#include "acf/acf_jumps.h"
#include "stats/drift.h"
#include "stats/series.h"

const char *const acf_means[] = {"keep", "subtract", NULL};

#define ACF_FAR 0.4 /* in quanta (larger changes may be half a quantum and are reported) */

struct acf_run {
    struct run_base base;
    struct acf_choice c;
    const struct analysis_input *in;
    struct meta *meta; /* META of the first segment */
    struct acf_series s;
    size_t columns; /* number of columns of the input (`s` has the correlated columns) */
    struct acf_invariant invariant;
    size_t capacity; /* capacity in steps. Until the end of the input, s.v is [columns][capacity] */
    struct analysis_track track;
    struct acf_pair *pair; /* [columns] or [ACF_MAX_PAIRS] */
    double *quantum;       /* [columns] of --modulo, or NULL */
    size_t many;           /* number of pairs in an average of more than ACF_MAX_PAIRS pairs, or
                            * else 0 */
    struct acf_params p;
    uint64_t *counts; /* [blocks][lags] */
    double *sums;     /* [blocks][lags][pairs] */
};

static void close_run(struct run_base *run)
{
    struct acf_run *r = (struct acf_run *)run;
    free(r->s.v);
    free(r->s.name);
    free(r->pair);
    free(r->quantum);
    meta_free(r->meta);
    free(r->counts);
    free(r->sums);
}

/* Chooses the pairs to correlate. Returns their number, or -1 and sets e. */
static int choose(struct acf_run *r, struct err *e)
{
    if (!(r->s.name = acf_names(r->meta, &r->columns, e)))
        return -1;
    r->s.columns = r->columns;
    size_t max =
        r->c.average && !r->c.invariant && r->columns > ACF_MAX_PAIRS ? r->columns : ACF_MAX_PAIRS;
    if (!(r->pair = calloc(max, sizeof *r->pair)))
        return err_memory(e, "the pairs");
    if (!r->c.invariant)
        return acf_pairs(&r->s, r->c.pairs, r->pair, max, e);
    if (acf_invariant_find(&r->invariant, r->c.invariant, &r->s, e))
        return -1;
    return acf_invariant_columns(&r->invariant, &r->s, r->pair, e);
}

/* Reads the quanta of --modulo. Returns 0, or -1 and sets e. */
static int read_quanta(struct acf_run *r, const char *p, struct err *e)
{
    size_t n = 1;
    for (const char *s = p; *s; s++)
        n += *s == ',';
    if (n != 1 && n != r->s.columns)
        return err_bad(e,
                       "--modulo: expected one number, or one per column (%zu), found %zu numbers",
                       r->s.columns, n);
    if (!(r->quantum = calloc(r->s.columns, sizeof *r->quantum)))
        return err_memory(e, "the quanta");
    for (size_t c = 0; c < r->s.columns; c++) {
        char *end;
        double q = r->quantum[c] = strtod(p, &end);
        if (end == p || (*end && *end != ',') || !(q > 0.0) || !isfinite(q))
            return err_bad(e, "--modulo: expected positive numbers, found '%.60s'", p);
        p = n > 1 ? end + 1 : p;
    }
    return 0;
}

static int open_run(struct run_base *run, const void *choice, struct analysis_input *in,
                    struct err *e)
{
    struct acf_run *r = (struct acf_run *)run;
    if (!(r->meta = meta_copy(in->meta)))
        return err_memory(e, "META");
    r->c = *(const struct acf_choice *)choice;
    r->in = in;
    r->s.dt_ps = traj_info(in->traj)->dt_ps;
    r->p = (struct acf_params){.blocks = run->want,
                               .subtract = r->c.subtract,
                               .threads = run->shared->threads,
                               .max_mem = run->shared->max_mem};
    int n = analysis_even(in->meta, e) ? -1 : choose(r, e);
    if (n < 0 || (r->c.modulo && read_quanta(r, r->c.modulo, e)))
        return -1;
    r->p.pair = r->pair;
    r->p.npairs = (size_t)n;
    r->many = n > ACF_MAX_PAIRS ? (size_t)n : 0;
    r->p.row = r->many ? 1 : 0;
    return 0;
}

static int add(struct run_base *run, const struct traj_block *b, bool fresh, struct err *e)
{
    struct acf_run *r = (struct acf_run *)run;
    struct acf_series *s = &r->s;
    const double *x = b->data;
    if (fresh && meta_differs(r->meta, frame_meta(r->in->reader), "data.columns"))
        return err_bad(e, "expected the same columns (data.columns) in all segments of the time "
                          "series, found different columns");
    if (traj_info(r->in->traj)->ncomp != r->columns)
        return err_bad(e,
                       "expected a SERI array of %zu columns of type f64, one per name in "
                       "data.columns, found another array",
                       r->columns);
    if (analysis_follows(&r->track, b, s->dt_ps, e) ||
        acf_grow(s, &r->capacity, s->steps + b->nsteps, r->p.max_mem, "columns", e))
        return -1;
    double derived[2 * ACF_DERIVED * ACF_INVARIANTS];
    for (size_t t = 0; t < b->nsteps; t++, s->steps++, x += r->columns) {
        if (r->invariant.nsets)
            acf_invariant_row(&r->invariant, x, derived);
        for (size_t c = 0; c < s->columns; c++)
            s->v[c * r->capacity + s->steps] = r->invariant.nsets ? derived[c] : x[c];
    }
    return 0;
}

/* Determines lags and blocks after the last step. Returns 0, or -1 and sets e. */
static int resolve(struct acf_run *r, struct err *e)
{
    struct acf_series *s = &r->s;
    bool by_time = !isnan(r->c.tmax);
    if (!isnan(r->c.response) && !(s->dt_ps > 0.0))
        return err_bad(e, "--response needs a time step, but the input has none");
    if (by_time && !(s->dt_ps > 0.0))
        return err_bad(e, "--tmax needs a time step, but the input has none (use --lags)");
    double wanted = by_time ? floor(r->c.tmax / s->dt_ps * (1 + 1e-9)) + 1 : (double)r->c.lags;
    if (wanted > (double)s->steps)
        return err_bad(e, "%.0f lags need at least %.0f steps, found %zu", wanted,
                       wanted + r->c.derivative, s->steps + r->c.derivative);
    r->p.lags = wanted > 0 ? (size_t)wanted : s->steps;
    if (r->p.blocks > s->steps)
        return err_bad(e,
                       "expected at least one step per block, found %zu blocks and only %zu steps",
                       r->p.blocks, s->steps);
    if (!r->p.blocks)
        acf_blocks(s, &r->p);
    return 0;
}

/* Returns whether column c is correlated. */
static bool uses(const struct acf_run *r, size_t c)
{
    for (size_t k = 0; k < (r->many ? r->many : r->p.npairs); k++)
        if (r->pair[k].a == c || r->pair[k].b == c)
            return true;
    return false;
}

/* Warns if the means of the correlated columns changed during the run. Returns 0, or -1 and sets
 * e. */
static int warn_means(struct acf_run *r, struct meta *m, struct err *e)
{
    struct drift d;
    char what[80], text[512];
    bool *use = calloc(r->s.columns, sizeof *use);
    if (!use)
        return err_memory(e, "a test");
    for (size_t c = 0; c < r->s.columns; c++)
        use[c] = uses(r, c);
    drift_means(&d, r->s.steps, r->s.columns, r->s.v, use);
    free(use);
    d.chance *= 2.0; /* the correlation functions are also tested */
    snprintf(what, sizeof what, "the mean of %s", r->s.name[d.row]);
    (void)drift_print(&d, what, text, sizeof text);
    return run_changed(&r->base, m, text, e);
}

/* Warns of jumps in the correlated column with the most jumps. */
static void warn_jumps(struct acf_run *r)
{
    struct acf_jumps one, max = {0};
    size_t at = 0;
    char text[400];
    for (size_t c = 0; c < r->s.columns; c++) {
        if (uses(r, c) && acf_jumps(r->s.v + c * r->s.steps, r->s.steps, &one) && one.n > max.n) {
            max = one;
            at = c;
        }
    }
    if (!max.n)
        return;
    acf_jumps_text(&max, r->s.name[at], text, sizeof text);
    bool known = r->quantum || r->invariant.nsets;
    const char *remedy = known ? "" : ", or use --modulo to undo jumps by multiples of one value";
    notes_add(&r->base.notes, NOTE_WARN, "%s%s", text, remedy);
}

/* Places each value of column c at the multiple of quantum q nearest to the previous value, and
 * warns if a change is ambiguous. */
static void undo(struct acf_run *r, size_t c, double q)
{
    double *v = r->s.v + c * r->s.steps, shift = 0.0, far = 0.0;
    size_t moved = 0, at = 0;
    for (size_t t = 1; t < r->s.steps; t++) {
        double d = v[t] + shift - v[t - 1], n = rint(d / q);
        moved += n != 0.0;
        shift -= n * q;
        v[t] += shift;
        if (fabs(d - n * q) > far) {
            far = fabs(d - n * q);
            at = t;
        }
    }
    notes_add(&r->base.notes, far > ACF_FAR * q ? NOTE_WARN : NOTE_TELL,
              "%s: %zu jumps by multiples of %g were undone; the largest other change is %.4g, at "
              "row %zu (counted from 0)%s",
              r->s.name[c], moved, q, far, at,
              far > ACF_FAR * q ? ", so some jumps are ambiguous (use rows closer in time)" : "");
}

/* Replaces each column by the differences of successive values over the time step. */
static void differentiate(struct acf_series *s)
{
    size_t n = s->steps--;
    for (size_t c = 0; c < s->columns; c++)
        for (size_t t = 0; t + 1 < n; t++)
            s->v[c * s->steps + t] = (s->v[c * n + t + 1] - s->v[c * n + t]) / s->dt_ps;
}

/* Prepares the series after the last step. Returns 0, or -1 and sets e. */
static int prepare(struct acf_run *r, struct err *e)
{
    struct acf_series *s = &r->s;
    size_t min = r->c.derivative ? 2 : 1;
    if (s->steps < min)
        return err_bad(e, "expected %zu or more steps, found %zu", min, s->steps);
    if (r->c.derivative && !(s->dt_ps > 0.0))
        return err_bad(e, "--derivative needs a time step, but the input has none");
    acf_pack(s, r->capacity);
    for (size_t c = 0; r->quantum && c < s->columns; c++)
        undo(r, c, r->quantum[c]);
    warn_jumps(r);
    if (r->c.derivative)
        differentiate(s);
    return 0;
}

static void name_function(const struct acf_run *r, size_t k, char *name, size_t size)
{
    struct acf_pair q = r->pair[k];
    if (r->invariant.nsets)
        snprintf(name, size, "%s", r->invariant.f[k].name);
    else
        snprintf(name, size, q.a == q.b ? "%s" : "%s-%s", r->s.name[q.a], r->s.name[q.b]);
}

/* Finds the unit in data.units that all columns of function k share. Returns false if there is
 * none. */
static bool unit_of(const struct acf_run *r, size_t k, char unit[SERIES_WORD])
{
    const char *list = meta_get(r->meta, "data.units");
    char other[SERIES_WORD];
    size_t last = r->c.average || r->invariant.nsets ? r->p.npairs : k + 1;
    if (!list || r->c.unit || series_word(list, r->pair[k].a, unit, SERIES_WORD) != 1)
        return false;
    for (; k < last; k++)
        if (series_word(list, r->pair[k].a, other, sizeof other) != 1 || strcmp(other, unit) != 0 ||
            series_word(list, r->pair[k].b, other, sizeof other) != 1 || strcmp(other, unit) != 0)
            return false;
    return strcmp(unit, "-") != 0;
}

/* Describes the functions in META. Returns 0, or -1 and sets e. */
static int describe(const struct acf_run *r, struct meta *m, struct err *e)
{
    char text[ACF_MAX_PAIRS * 2 * SERIES_NAME], name[2 * SERIES_NAME], word[SERIES_WORD],
        units[ACF_MAX_PAIRS * 2 * (SERIES_NAME + SERIES_WORD)] = "";
    const char *average = r->c.average, *per = r->c.derivative ? "/ps" : "";
    size_t u = 0;
    size_t n = 0, nfunctions = r->invariant.nsets ? r->invariant.nfunctions
                               : r->many          ? 0
                                                  : r->p.npairs;
    for (size_t k = 0; k < nfunctions; k++) {
        name_function(r, k, name, sizeof name);
        if (strlen(name) >= SERIES_WORD)
            return err_bad(e, "expected column names of at most %d letters, found a longer name",
                           SERIES_WORD - 1);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", k ? " " : "", name);
        if (!r->invariant.nsets && (!average || k == 0) && unit_of(r, k, word))
            u += (size_t)snprintf(units + u, sizeof units - u, "%s%s:(%s%s)^2", u ? " " : "",
                                  average ? average : name, word, per);
    }
    const char *unit = meta_get(r->meta, "data.unit");
    if (r->c.unit                ? meta_set(m, "data.unit", r->c.unit)
        : !unit                  ? 0
        : strcmp(unit, "1") != 0 ? meta_setf(m, "data.unit", "(%s%s)^2", unit, per)
        : r->c.derivative        ? meta_set(m, "data.unit", "(1/ps)^2")
                                 : 0)
        return err_memory(e, "META");
    int bad =
        meta_set(m, "data.quantity", "correlation") |
        meta_set(m, "data.functions", average ? average : text) |
        meta_set(m, "data.component", average && !r->many ? text : NULL) |
        meta_set(m, "data.mean", acf_means[r->c.subtract]) |
        meta_set(m, "data.invariant", r->c.invariant) |
        meta_set(m, "data.unit.of", u ? units : NULL) |
        meta_set(m, "data.derivative", r->c.derivative ? "difference" : NULL) |
        meta_set(m, "data.modulo", r->c.modulo) |
        meta_set(m, "data.integral", r->c.integral ? "trapezoid" : NULL) |
        (isnan(r->c.response) ? meta_set(m, "data.response", NULL)
                              : meta_set_f64(m, "data.response", &r->c.response, 1)) |
        (isnan(r->c.scale) || r->c.scale == 1.0 ? meta_set(m, "data.scale", NULL)
                                                : meta_set_f64(m, "data.scale", &r->c.scale, 1)) |
        meta_setf(m, "data.lags", "%zu", r->p.lags) | run_meta(&r->base, r->p.blocks, m) |
        meta_set(m, "data.convention",
                 r->c.derivative
                     ? r->c.subtract ? "C_ab(t) = <(da/dt - mean da/dt)(0) (db/dt - mean db/dt)(t)>"
                                     : "C_ab(t) = <da/dt(0) db/dt(t)>"
                 : r->c.subtract ? "C_ab(t) = <(a - mean a)(0) (b - mean b)(t)>"
                                 : "C_ab(t) = <a(0) b(t)>");
    return bad ? err_memory(e, "META") : 0;
}

/* Computes the mean over more pairs than there can be functions, group by group and in order. */
static int average_many(struct acf_run *r, struct err *e)
{
    struct acf_params p = r->p;
    size_t cells = p.blocks * p.lags;
    double *some = calloc(cells, ACF_MAX_PAIRS * sizeof *some);
    int rc = some ? 0 : err_memory(e, "the result");
    for (size_t at = 0; at < r->many && !rc; at += p.npairs) {
        p.pair = r->pair + at;
        p.npairs = r->many - at < ACF_MAX_PAIRS ? r->many - at : ACF_MAX_PAIRS;
        p.subtract = r->p.subtract && at == 0; /* subtract the means only once */
        rc = acf_compute(&r->s, &p, r->counts, some, e);
        for (size_t k = 0; k < cells && !rc; k++)
            for (size_t i = 0; i < p.npairs; i++)
                r->sums[k] += some[k * p.npairs + i] / (double)r->many;
    }
    r->p.npairs = 1;
    free(some);
    return rc;
}

static int finish(struct run_base *run, struct meta *m, struct err *e)
{
    struct acf_run *r = (struct acf_run *)run;
    struct acf_params *p = &r->p;
    if (prepare(r, e) || resolve(r, e) || describe(r, m, e) || warn_means(r, m, e))
        return -1;
    r->counts = calloc(p->blocks * p->lags, sizeof *r->counts);
    r->sums = calloc(p->blocks * p->lags, (r->many ? 1 : p->npairs) * sizeof *r->sums);
    if (!r->counts || !r->sums)
        return err_memory(e, "the result");
    if (r->many ? average_many(r, e) : acf_compute(&r->s, p, r->counts, r->sums, e))
        return -1;
    for (size_t k = 0; !isnan(r->c.scale) && k < p->blocks * p->lags * p->npairs; k++)
        r->sums[k] *= r->c.scale;
    if (r->invariant.nsets) /* in place, because there are fewer functions than pairs */
        for (size_t k = 0; k < p->blocks * p->lags; k++) {
            double f[ACF_INVARIANTS];
            acf_invariant_sum(&r->invariant, r->sums + k * p->npairs, f);
            memcpy(r->sums + k * r->invariant.nfunctions, f, r->invariant.nfunctions * sizeof *f);
        }
    size_t n = r->invariant.nsets ? r->invariant.nfunctions : p->npairs;
    return meta_get(m, "data.changed") ? 0
                                       : run_drift(run, m, p->blocks, p->lags, r->c.average ? n : 1,
                                                   r->c.average ? 1 : n, r->counts, r->sums, e);
}

static int put(struct run_base *run, struct frame_writer *w, struct err *e)
{
    const struct acf_run *r = (struct acf_run *)run;
    size_t n = r->invariant.nsets ? r->invariant.nfunctions : r->p.npairs;
    return run_put(run, w, r->p.blocks, r->p.lags, r->c.average ? n : 1, r->c.average ? 1 : n,
                   r->counts, r->sums, e);
}

const struct analysis acf_analysis = {.want = ANALYSIS_SERIES,
                                      .size = RUN_SIZE(struct acf_run, base),
                                      .open = open_run,
                                      .add = add,
                                      .finish = finish,
                                      .put = put,
                                      .close = close_run};
