/* SPDX-License-Identifier: MIT */
#include "sq/sq_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/engine.h"
#include "select/pair_names.h"
#include "stats/series.h"
#include "waves/waves_sum.h"

#define RHO_BYTES (16u << 20) /* bytes of density waves kept at a time, if a step has less */

struct sq_run {
    struct run_base base; /* blocks: v [shells][nf], c [shells] */
    struct sq_choice c;
    struct waves_setup setup;
    struct pair_names names;
    struct waves_sum *sum;
    struct waves waves;
    struct box box; /* cell of the waves */
    bool have_box;
    size_t shells, nf; /* nf: number of functions: |q|, S, pairs */
    int *column;       /* [nspecies] column of the factors */
    double *f;         /* [waves.n][nspecies], or NULL if all are 1 */
    double *line;      /* [waves.n][2]: S = line[0] |sum f rho|² + line[1] */
    double *rho;       /* [batch][nspecies][waves.n][2] */
    size_t batch;      /* number of steps */
};

static int open_run(struct run_base *run, const void *choice, struct analysis_input *in,
                    struct err *e)
{
    struct sq_run *r = (struct sq_run *)run;
    const struct analysis_options *o = run->shared;
    const struct traj_info *info = traj_info(in->traj);
    bool separate = o->npairs > 0;
    r->c = *(const struct sq_choice *)choice;
    if (waves_species(r->c.waves.factors, in->meta, info->natoms, o->pair, o->npairs, &r->names,
                      &r->column, e) != 0)
        return -1;
    r->nf = 2 + (separate ? r->names.npairs : 0);
    if (r->nf > SERIES_FUNCTIONS)
        return err_bad(e, "expected at most %d pairs of species, found %zu", SERIES_FUNCTIONS - 2,
                       r->names.npairs);
    r->shells = waves_shells(&r->c.waves);
    stats_blocks_init_steps(&r->base.blocks, r->base.want, r->shells * r->nf, r->shells);
    double need = 8.0 * (double)r->base.blocks.max * (double)r->shells * (double)(r->nf + 1);
    if (err_over(e, need, o->max_mem, "a larger --qstep", "%zu shells", r->shells))
        return -1;
    r->setup = (struct waves_setup){.dtype = info->dtype,
                                    .natoms = info->natoms,
                                    .species = r->names.species,
                                    .nspecies = r->names.nspecies,
                                    .threads = o->threads,
                                    .max_mem = o->max_mem,
                                    .devices = o->devices};
    if (!(r->sum = waves_sum_open(&r->setup, e)))
        return -1;
    run_begin(run, in);
    return 0;
}

static void close_run(struct run_base *run)
{
    struct sq_run *r = (struct sq_run *)run;
    waves_sum_close(r->sum);
    pair_names_close(&r->names);
    waves_free(&r->waves);
    free(r->column);
    free(r->f);
    free(r->line);
    free(r->rho);
}

/* Computes the weights of every vector, and the factors of S. Returns 0 or -1. */
static int weigh(struct sq_run *r, struct err *e)
{
    if (waves_factors_weigh(r->c.waves.factors, &r->names, r->column, &r->waves, r->f, r->line,
                            e) != 0)
        return -1;
    for (size_t v = 0; v < r->waves.n; v++) {
        double *line = r->line + 2 * v, mean = line[0], square = line[1];
        double by = r->c.faber_ziman ? mean * mean : square;
        if (!(by > 1e-12 * square))
            return err_bad(e, "the weights average to 0 at q = %g 1/A: S(q) cannot be normalised",
                           r->waves.q[v]);
        line[0] = 1.0 / ((double)r->names.natoms * by);
        line[1] = r->c.faber_ziman ? 1.0 - square / by : 0.0;
    }
    return 0;
}

/* Chooses the waves of a cell. Returns 0 or -1. */
static int take_box(struct sq_run *r, const struct box *b, uint64_t step, struct err *e)
{
    unsigned long long frame = step;
    if (waves_check_box(b, frame,
                        "S(q) needs waves that fit a periodic cell (for a body in empty space use "
                        "rdf-cpu and rdf2sq --method debye)",
                        e) != 0)
        return -1;
    if (r->have_box && memcmp(b->h, r->box.h, sizeof b->h) == 0)
        return 0;
    r->have_box = false;
    if (waves_choose(&r->waves, b, r->shells, r->c.waves.qstep, r->c.waves.max, r->setup.max_mem,
                     e) != 0)
        return err_frame(e, frame);
    if (r->waves.n == 0)
        return err_bad(
            e, "frame %llu: expected a wave vector below q = %g 1/A, found none (raise --qmax)",
            frame, (double)r->shells * r->c.waves.qstep);
    size_t n = r->waves.n, ns = (size_t)r->names.nspecies, one = 16 * n * ns;
    free(r->f);
    free(r->line);
    free(r->rho);
    r->batch = one < RHO_BYTES ? RHO_BYTES / one : 1;
    double need = (double)one * (double)r->batch + 8.0 * (double)n * (double)(ns + 2);
    if (r->setup.max_mem && need > (double)r->setup.max_mem)
        r->batch = 1;
    r->f = malloc(n * ns * sizeof *r->f);
    r->line = malloc(n * 2 * sizeof *r->line);
    r->rho = malloc(r->batch * one);
    if (!r->f || !r->line || !r->rho)
        return err_memory(e, "wave vectors");
    if (weigh(r, e) != 0)
        return -1;
    if (waves_sum_waves(r->sum, &r->waves) != 0)
        return *e = *waves_sum_error(r->sum), -1;
    r->box = *b;
    r->have_box = true;
    return 0;
}

/* Adds the products of the waves of a step to its shells. */
static void add_step(struct sq_run *r, const double *rho, uint64_t step)
{
    size_t n = r->waves.n, ns = (size_t)r->names.nspecies;
    double *sums = stats_blocks_at(&r->base.blocks, step), natoms = (double)r->names.natoms;
    uint64_t *counts = r->base.blocks.c + stats_blocks_index(&r->base.blocks, step) * r->shells;
    for (size_t v = 0; v < n; v++) {
        const double *at = rho + 2 * v, *f = r->f + v * ns;
        double *to = sums + r->waves.shell[v] * r->nf, re = 0.0, im = 0.0;
        for (size_t a = 0; a < ns; a++) {
            re += f[a] * at[2 * n * a];
            im += f[a] * at[2 * n * a + 1];
        }
        counts[r->waves.shell[v]]++;
        to[0] += r->waves.q[v];
        to[1] += r->line[2 * v] * (re * re + im * im) + r->line[2 * v + 1];
        for (size_t k = 0; k + 2 < r->nf; k++) {
            struct species_pair p = r->names.pairs[k];
            const double *a = at + 2 * n * (size_t)p.a, *b = at + 2 * n * (size_t)p.b;
            double product = a[0] * b[0] + a[1] * b[1], na = (double)r->names.atoms[p.a],
                   nb = (double)r->names.atoms[p.b];
            to[2 + k] += r->c.faber_ziman
                             ? 1.0 + (product - (p.a == p.b ? na : 0.0)) * natoms / (na * nb)
                             : product / sqrt(na * nb);
        }
    }
}

static int add(struct run_base *run, const struct traj_block *b, bool fresh, struct err *e)
{
    struct sq_run *r = (struct sq_run *)run;
    (void)fresh;
    size_t step = 3 * r->names.natoms * (r->setup.dtype == FRAME_F32 ? 4 : 8);
    size_t n;
    for (size_t done = 0; done < b->nsteps; done += n) {
        if (take_box(r, &b->box[done], r->base.steps, e) != 0)
            return -1;
        size_t rho = 2 * r->waves.n * (size_t)r->names.nspecies;
        for (n = 1; n < r->batch && done + n < b->nsteps &&
                    memcmp(&b->box[done + n], &b->box[done], sizeof *b->box) == 0;)
            n++;
        if (waves_sum_steps(r->sum, n, (const char *)b->data + done * step, NULL, b->box + done,
                            r->rho) != 0)
            return *e = *waves_sum_error(r->sum), -1;
        for (size_t k = 0; k < n; k++, r->base.steps++) {
            if (stats_blocks_reach(&r->base.blocks, r->base.steps + 1) != 0)
                return err_memory(e, "blocks");
            add_step(r, r->rho + k * rho, r->base.steps);
        }
    }
    return 0;
}

static int set_meta(const struct sq_run *r, struct meta *m)
{
    bool separate = r->nf > 2, fz = r->c.faber_ziman;
    size_t capacity = 8 + r->names.npairs * 40, n = 0;
    char *list = calloc(1, capacity), word[SERIES_WORD];
    if (!list)
        return -1;
    n = (size_t)snprintf(list, capacity, "q S");
    for (size_t k = 0; k + 2 < r->nf && series_word(r->names.list, k, word, sizeof word) == 1; k++)
        n += (size_t)snprintf(list + n, capacity - n, " S_%s", word);
    int bad =
        run_meta(&r->base, r->base.blocks.n, m) | meta_set(m, "data.quantity", "structure-factor") |
        meta_set(m, "data.unit", "1") | meta_set(m, "data.functions", list) |
        meta_set(m, "data.label.of", "S:S(q)") | meta_set(m, "data.axis", "q_A-1") |
        meta_set(m, "data.axis.counts", "vectors") |
        meta_set_f64(m, "data.qstep", &r->c.waves.qstep, 1) |
        meta_setf(m, "data.shells", "%zu", r->shells) |
        meta_setf(m, "data.vectors", "%llu", (unsigned long long)r->c.waves.max) |
        meta_set(m, "data.pairs", separate ? r->names.list : NULL) |
        (r->c.waves.factors ? waves_factors_describe(r->c.waves.factors, &r->names, r->column, m)
                            : 0);
    bad |= meta_setf(m, "data.convention", "%s; rho_A = sum exp(i q r), one of q and -q counted",
                     fz ? "Faber-Ziman: S = 1 + (|sum f rho|^2/N - <f^2>)/<f>^2, S_AB = 1 + (Re "
                          "rho_A rho_B*/N - x_A [A=B])/(x_A x_B)"
                        : "Ashcroft-Langreth: S = |sum f rho|^2/(N <f^2>), S_AB = Re rho_A "
                          "rho_B*/sqrt(N_A N_B)");
    free(list);
    return bad ? -1 : 0;
}

static int finish(struct run_base *run, struct meta *m, struct err *e)
{
    struct sq_run *r = (struct sq_run *)run;
    const struct stats_blocks *b = &run->blocks;
    if (run_take(run, run->steps, e) != 0)
        return -1;
    if (set_meta(r, m) != 0)
        return err_memory(e, "the result");
    notes_add(&run->notes, NOTE_ENGINE, "%s, %zu of %llu wave vectors", engine_name(), r->waves.n,
              (unsigned long long)r->waves.all);
    return run_drift(run, m, b->n, r->shells, 1, r->nf, b->c, b->v, e);
}

static int put(struct run_base *run, struct frame_writer *w, struct err *e)
{
    const struct sq_run *r = (struct sq_run *)run;
    const struct stats_blocks *b = &run->blocks;
    return run_put(run, w, b->n, r->shells, 1, r->nf, b->c, b->v, e);
}

const struct analysis sq_analysis = {.want = ANALYSIS_POSITIONS,
                                     .size = RUN_SIZE(struct sq_run, base),
                                     .open = open_run,
                                     .add = add,
                                     .finish = finish,
                                     .put = put,
                                     .close = close_run};
