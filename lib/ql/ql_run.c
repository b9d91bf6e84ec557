/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "near/near.h"
#include "ql/ql.h"
#include "stats/analysis.h"
#include "stats/drift.h"
#include "stats/series.h"
#include "stream/scalars.h"

struct ql_run {
    struct run_base base; /* blocks: v [orders][l, q, w], c [orders] */
    struct ql_choice c;
    struct traj_info info;
    size_t columns;         /* numbers per atom */
    uint64_t bonds, lonely; /* sums over steps of neighbours, and of atoms without neighbours */
    struct ql *engine;
    size_t batch;             /* largest number of steps for the engine */
    double *r, *value;        /* as in ql_room() */
    struct frame_writer *out; /* second output with its steps, or NULL */
    struct traj_writer *atoms;
};

/* ---- formulas */

static double factorial(int n)
{
    return n > 1 ? n * factorial(n - 1) : 1.0;
}

static double binomial(int n, int k)
{
    return k < 0 || k > n ? 0.0 : k == 0 ? 1.0 : binomial(n, k - 1) * (n - k + 1) / k;
}

double ql_wigner(int l, int m1, int m2)
{
    const int m[3] = {m1, m2, -m1 - m2};
    double sum = 0.0, square = 1.0 / factorial(3 * l + 1);
    if (abs(m[2]) > l)
        return 0.0;
    for (int t = 0; t <= l; t++)
        sum += (t % 2 ? -1 : 1) * binomial(l, t) * binomial(l, t + m1) * binomial(l, t - m2);
    for (int k = 0; k < 3; k++)
        square *= factorial(l + m[k]) * (factorial(l - m[k]) / factorial(l));
    return (m[2] % 2 ? -1 : 1) * sum * sqrt(square);
}

void ql_tables_init(struct ql_tables *t, const struct ql_choice *c)
{
    memset(t, 0, sizeof *t);
    memset(t->at, -1, sizeof t->at);
    for (int l = 1; l <= QL_MAX; l++) {
        t->c[l] = -sqrt((2.0 * l - 1.0) / (2.0 * l));
        for (int m = 0; m < l; m++) {
            double square = (l - m) * (l + m);
            t->a[l][m] = (2 * l - 1) / sqrt(square);
            t->b[l][m] = sqrt((l - 1 - m) * (l - 1 + m) / square);
        }
    }
    for (; t->n < c->n; t->n++) {
        int l = t->l[t->n] = (int)c->l[t->n];
        t->at[l] = (int)t->values / 2;
        t->values += 2 * ((size_t)l + 1);
        for (int m = 0; m < (2 * l + 1) * (2 * l + 1); m++)
            t->wigner[t->n][m / (2 * l + 1)][m % (2 * l + 1)] =
                ql_wigner(l, m / (2 * l + 1) - l, m % (2 * l + 1) - l);
    }
}

/* ---- the run */

static void close_run(struct run_base *run)
{
    struct ql_run *r = (struct ql_run *)run;
    ql_close(r->engine);
    traj_writer_free(r->atoms);
}

static int open_run(struct run_base *run, const void *choice, struct analysis_input *in,
                    struct err *e)
{
    struct ql_run *r = (struct ql_run *)run;
    r->c = *(const struct ql_choice *)choice;
    r->info = *traj_info(in->traj);
    r->columns = 1 + r->c.n * (1 + r->c.w);
    struct ql_tables t;
    ql_tables_init(&t, &r->c);
    notes_nm(&run->notes, "--rmax", r->c.rmax, 1.0);
    r->engine = ql_open(&r->c, &t, r->info.natoms, run->shared, e);
    if (!r->engine)
        return -1;
    r->batch = ql_room(r->engine, &r->r, &r->value);
    stats_blocks_init_steps(&run->blocks, run->want, r->c.n * (2 + r->c.w), r->c.n);
    run_begin(run, in);
    return 0;
}

/* Adds the values of the atoms with neighbours to the sums of the block of this step. Returns 0, or
 * -1 and sets e. */
static int add_step(struct ql_run *r, const double *value, struct err *e)
{
    size_t n = 0, orders = r->c.n, nf = 2 + r->c.w;
    struct stats_blocks *b = &r->base.blocks;
    if (stats_blocks_reach(b, r->base.steps + 1) != 0)
        return err_memory(e, "blocks");
    uint64_t *counts = b->c + stats_blocks_index(b, r->base.steps) * orders;
    double *sums = stats_blocks_at(b, r->base.steps++), step[1 + 2 * QL_ORDERS] = {0.0};
    for (const double *v = value; v < value + r->info.natoms * r->columns; v += r->columns) {
        n += v[0] > 0.0;
        for (size_t k = 0; v[0] > 0.0 && k < r->columns; k++)
            step[k] += v[k];
    }
    for (size_t k = 0; k < orders; k++) {
        counts[k] += n;
        sums[k * nf] += r->c.l[k] * (double)n;
        for (size_t f = 1; f < nf; f++)
            sums[k * nf + f] += step[1 + (f - 1) * orders + k];
    }
    r->lonely += r->info.natoms - n;
    r->bonds += (uint64_t)step[0];
    return 0;
}

/* Writes step k of b with the values of its atoms. Returns 0, or -1 and sets e. */
static int put_atoms(const struct ql_run *r, const struct traj_block *b, size_t k,
                     const double *value, struct err *e)
{
    size_t bytes = 3 * r->info.natoms * frame_dtype_size(r->info.dtype);
    const void *pos = (const char *)b->data + k * bytes;
    void *to = traj_room(r->atoms, TRAJ_SCALARS);
    for (size_t i = 0; i < r->info.natoms * r->columns; i++)
        real_set(to, r->info.dtype == FRAME_F64, i, value[i]);
    if (traj_put(r->atoms, b->index + k, b->time[k], &b->box[k], pos, NULL, to) == 0)
        return 0;
    return *e = *frame_writer_error(r->out), -1;
}

/* Copies the positions of the steps from `first` to `last` - 1 of b for the engine. */
static void give(const struct ql_run *r, const struct traj_block *b, size_t first, size_t last)
{
    size_t numbers = 3 * r->info.natoms;
    for (size_t k = first * numbers; k < last * numbers; k++)
        r->r[k - first * numbers] = real_at(b->data, r->info.dtype == FRAME_F64, k);
}

/* Uses the values of the steps from `first` to `last` - 1 of b. Returns 0, or -1 and sets e. */
static int take(struct ql_run *r, const struct traj_block *b, size_t first, size_t last,
                struct err *e)
{
    const double *value = r->value;
    for (size_t k = first; k < last; k++, value += r->info.natoms * r->columns)
        if ((r->atoms && put_atoms(r, b, k, value, e) != 0) || add_step(r, value, e) != 0)
            return -1;
    return 0;
}

/* Computes the values in batches. Many steps are divided into at least two batches, so that a GPU
 * computes one while the values of another one are used and the next one is prepared. */
static int add(struct run_base *run, const struct traj_block *b, bool fresh, struct err *e)
{
    struct ql_run *r = (struct ql_run *)run;
    size_t part = b->nsteps > r->batch / 4 ? (b->nsteps + 1) / 2 : b->nsteps,
           batch = r->batch < part ? r->batch : part, from = 0, first = 0, last = batch, next,
           sorted = 0, done = 0;
    (void)fresh;
    give(r, b, first, last);
    for (; first < b->nsteps && done == first; first = last, last = next) {
        next = last + batch < b->nsteps ? last + batch : b->nsteps;
        sorted = first + ql_sort(r->engine, last - first, &b->box[first], e);
        if (take(r, b, from, first, e) != 0)
            return -1;
        give(r, b, last, next);
        done = first + (sorted > first ? ql_values(r->engine, e) : 0);
        from = first;
    }
    if (take(r, b, from, done, e) != 0)
        return -1;
    if (done == b->nsteps)
        return 0;
    if (done == sorted && e->status == ERR_BAD && !r->c.nearest) /* the cutoff was refused */
        err_set(e, ERR_BAD, "--rmax: %s", e->text);
    return err_frame(e, run->steps);
}

static int finish(struct run_base *run, struct meta *m, struct err *e)
{
    struct ql_run *r = (struct ql_run *)run;
    const struct ql_choice *c = &r->c;
    const struct stats_blocks *b = &run->blocks;
    double nearest = (double)c->nearest,
           atoms = (double)(run->steps - run->first) * (double)r->info.natoms;
    if (run_take(run, run->steps, e) != 0)
        return -1;
    if (run_meta(run, b->n, m) | meta_set(m, "data.quantity", "bond-order") |
        meta_set(m, "data.unit", "1") | meta_set_f64(m, "data.orders", c->l, c->n) |
        meta_set_f64(m, c->nearest ? "data.nearest" : "data.rmax", c->nearest ? &nearest : &c->rmax,
                     1) |
        meta_set(m, "data.functions", c->w ? "l q w" : "l q") | meta_set(m, "data.axis", "l") |
        meta_set(m, "data.axis.counts", "atoms") | meta_set(m, "data.label.of", "q:qₗ w:wₗ") |
        meta_set(m, "data.convention",
                 c->averaged ? "q_l and w_l of q_lm averaged over an atom and its neighbours"
                             : "q_l and w_l of q_lm, the mean of Y_lm over the bonds of an atom"))
        return err_memory(e, "the result");
    if (r->lonely)
        notes_add(
            &run->notes, NOTE_WARN,
            "%llu of %.0f values (one per atom and step) are excluded from the means: the atom has "
            "no neighbour closer than %g Å in that step (increase --rmax, or use --nearest)",
            (unsigned long long)r->lonely, atoms, r->c.rmax);
    notes_add(&run->notes, NOTE_ENGINE, "%.4g neighbours per atom", (double)r->bonds / atoms);
    return run_drift(run, m, b->n, c->n, 1, 2 + c->w, b->c, b->v, e);
}

static int second(struct run_base *run, const struct analysis_input *in, struct frame_writer *w,
                  struct meta *m, struct err *e)
{
    struct ql_run *r = (struct ql_run *)run;
    struct traj_info info = r->info;
    char name[SCALARS_NAME];
    (void)in;
    int bad = meta_set(m, "data.scalars", "neighbours:1");
    for (size_t k = 0; !bad && k < r->columns - 1; k++) {
        snprintf(name, sizeof name, "%c%g", k < r->c.n ? 'q' : 'w', r->c.l[k % r->c.n]);
        bad = scalars_add(m, name, "1", e);
    }
    info.nscalars = r->columns;
    r->out = w;
    r->atoms = traj_writer_like(w, &info, info.dt_ps);
    if (bad || !r->atoms)
        return err_memory(e, "the values of the atoms");
    return frame_put_meta(w, m) ? (*e = *frame_writer_error(w), -1) : 0;
}

static int put(struct run_base *run, struct frame_writer *w, struct err *e)
{
    const struct ql_run *r = (struct ql_run *)run;
    const struct stats_blocks *b = &run->blocks;
    if (r->out && (traj_flush(r->atoms) || frame_end(r->out, FRAME_COMPLETE, NULL, NULL)))
        return *e = *frame_writer_error(r->out), -1;
    return run_put(run, w, b->n, r->c.n, 1, 2 + r->c.w, b->c, b->v, e);
}

const struct analysis ql_analysis = {.want = ANALYSIS_POSITIONS,
                                     .size = RUN_SIZE(struct ql_run, base),
                                     .open = open_run,
                                     .add = add,
                                     .finish = finish,
                                     .put = put,
                                     .second = second,
                                     .close = close_run};
