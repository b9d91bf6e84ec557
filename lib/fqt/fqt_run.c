/* SPDX-License-Identifier: MIT */
#include "fqt/fqt_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/engine.h"
#include "stats/scatter.h"
#include "stats/series.h"

#define PARTS 8         /* largest number of chunks into which a window of lags is divided */
#define PARTS_OF_ALL 24 /* number of chunks for all lags, as errors.h needs this number of blocks */
#define BLOCKS_MIN 32   /* minimum number for blocks of any size */

struct fqt_run {
    struct run_base base; /* blocks: v [lags][rows][nf], c [lags] */
    struct fqt_choice c;
    struct fqt_setup setup;
    bool all;            /* all lags are requested */
    struct uneven times; /* setup.uneven, if the steps are at uneven times */
    struct pair_names names;
    struct waves waves;
    size_t rows, nf; /* nf: number of functions of the result */
    int *column;     /* [nspecies] column of the factors */
    double *f;       /* [waves.n][nspecies] */
    double *own;     /* [rows][nspecies]: mean f² of vectors in the self part, or NULL if all 1 */
    double *q;       /* [rows] */
    size_t *vectors; /* [rows] */
    size_t *marked;  /* [rows] number of vectors in the self part */
    unsigned char *self; /* [waves.n] whether a vector is in the self part */
    struct fqt_engine *engine;
    struct scatter *scatter; /* of squared displacements between atoms, or NULL */
    uint64_t read_to;        /* end of the steps of the part of the run */
    bool reduced;            /* Lennard-Jones units */
    struct err take;
};

static void close_run(struct run_base *run)
{
    struct fqt_run *r = (struct fqt_run *)run;
    fqt_close(r->engine);
    scatter_free(r->scatter);
    uneven_close(&r->times);
    pair_names_close(&r->names);
    waves_free(&r->waves);
    free(r->column);
    free(r->f);
    free(r->own);
    free(r->q);
    free(r->vectors);
    free(r->marked);
    free(r->self);
}

/* ---- choice of functions */

static bool separate(const struct fqt_run *r)
{
    return r->setup.npairs > 0 && r->names.nspecies > 1;
}

/* Reads species, pairs and factors, and counts the functions. Returns 0 or -1. */
static int take_species(struct fqt_run *r, const struct analysis_input *in, struct err *e)
{
    const struct analysis_options *o = r->base.shared;
    if (waves_species(r->c.waves.factors, in->meta, traj_info(in->traj)->natoms, o->pair, o->npairs,
                      &r->names, &r->column, e) != 0)
        return -1;
    r->setup.npairs = o->npairs ? r->names.npairs : 0;
    r->setup.pairs = r->names.pairs;
    r->setup.uneven = meta_get(in->meta, "sys.times") ? &r->times : NULL;
    r->nf = (r->setup.uneven != NULL) + (1 + r->setup.npairs) * (r->c.currents ? 3 : 1) +
            r->c.self + (r->c.self && separate(r) ? (size_t)r->names.nspecies : 0);
    return r->nf <= SERIES_FUNCTIONS
               ? 0
               : err_bad(e, "expected at most %d functions, found %zu (use fewer --pair options)",
                         SERIES_FUNCTIONS, r->nf);
}

/* Chooses the vectors of the cell by rows, with |q| and weights. Returns 0 or -1. */
static int take_waves(struct fqt_run *r, struct err *e)
{
    const struct box *b = &r->setup.box;
    const struct waves_choice *c = &r->c.waves;
    if (waves_check_box(b, 0, "F(q,t) needs waves that fit a periodic cell", e) != 0)
        return -1;
    if (r->c.line
            ? waves_line(&r->waves, b, r->c.direction, c->qmax, e)
            : waves_choose(&r->waves, b, waves_shells(c), c->qstep, c->max, r->setup.max_mem, e))
        return -1;
    if (r->waves.n == 0)
        return err_bad(e, "expected a wave vector below q = %g 1/A, found none (raise --qmax)",
                       c->qmax);
    r->rows = waves_close_up(&r->waves);
    size_t n = r->waves.n, ns = (size_t)r->names.nspecies;
    double *mean = malloc(2 * n * sizeof *mean);
    r->f = malloc(n * ns * sizeof *r->f);
    r->q = calloc(r->rows, sizeof *r->q);
    r->vectors = calloc(r->rows, sizeof *r->vectors);
    if (!mean || !r->f || !r->q || !r->vectors) {
        free(mean);
        return err_memory(e, "wave vectors");
    }
    int rc = waves_factors_weigh(c->factors, &r->names, r->column, &r->waves, r->f, mean, e);
    for (size_t v = 0; rc == 0 && v < n; v++) {
        r->q[r->waves.shell[v]] += r->waves.q[v];
        r->vectors[r->waves.shell[v]]++;
        if (!(mean[2 * v + 1] > 0.0))
            rc = err_bad(e, "all weights are 0 at q = %g 1/A", r->waves.q[v]);
        for (size_t a = 0; a < ns; a++)
            r->f[v * ns + a] /= sqrt((double)r->names.natoms * mean[2 * v + 1]);
    }
    for (size_t k = 0; k < r->rows; k++)
        r->q[k] /= (double)r->vectors[k];
    free(mean);
    return rc;
}

/* Marks evenly spaced vectors of each row for the self part. Returns 0 or -1. */
static int mark_self(struct fqt_run *r, struct err *e)
{
    size_t want = (size_t)r->c.self_vectors;
    r->self = calloc(r->waves.n, 1);
    r->marked = calloc(r->rows, sizeof *r->marked);
    size_t *seen = calloc(r->rows, sizeof *seen);
    bool good = r->self && r->marked && seen;
    for (size_t v = 0; good && v < r->waves.n; v++) {
        size_t row = r->waves.shell[v], n = r->vectors[row], k = seen[row]++;
        r->self[v] = n <= want || (k + 1) * want / n > k * want / n;
        r->marked[row] += r->self[v];
    }
    free(seen);
    r->setup.self = r->self;
    size_t ns = (size_t)r->names.nspecies;
    if (good && r->c.waves.factors)
        good = (r->own = calloc(r->rows, ns * sizeof *r->own)) != NULL;
    for (size_t v = 0; r->own && v < r->waves.n; v++)
        for (size_t a = 0, row = r->waves.shell[v]; r->self[v] && a < ns; a++)
            r->own[row * ns + a] += r->f[v * ns + a] * r->f[v * ns + a] / (double)r->marked[row];
    return good ? 0 : err_memory(e, "wave vectors");
}

/* ---- lags, blocks, parts of a run */

static void init_blocks(struct fqt_run *r)
{
    struct stats_blocks *b = &r->base.blocks;
    size_t row = r->setup.lags * r->rows * r->nf;
    if (r->base.want)
        stats_blocks_init(b, r->base.want > 1 ? 4 * r->base.want : 1, row, r->setup.lags);
    else
        stats_blocks_init_levels(b, 1, row, r->setup.lags);
    if (!r->base.want && b->max < BLOCKS_MIN)
        b->max = BLOCKS_MIN;
    if (r->base.want != 1)
        b->s = r->setup.chunk;
}

static double block_bytes(const struct fqt_run *r)
{
    return 8.0 * (double)r->base.blocks.max * (double)(r->setup.lags * (r->rows * r->nf + 1));
}

/* Sets chunks and blocks once the number of lags is known. Returns 0 or -1. */
static int take_lags(struct fqt_run *r, size_t lags, struct err *e)
{
    r->setup.lags = lags;
    r->setup.chunk = fqt_chunk(r->setup.uneven ? r->times.steps : lags, r->setup.parts);
    if (!r->all) /* transforms of a power of two are fastest */
        for (r->setup.chunk = 1; r->setup.chunk * PARTS < lags;)
            r->setup.chunk *= 2;
    init_blocks(r);
    return err_over(e, block_bytes(r), r->setup.max_mem, "fewer --lags or a larger --qstep",
                    "blocks of %zu lags and %zu shells", lags, r->rows);
}

static int begin_lags(struct fqt_run *r, struct analysis_input *in, struct err *e)
{
    const struct traj_info *info = traj_info(in->traj);
    const struct shard *shard = &r->base.shared->shard;
    struct stats_share *share = &r->base.share;
    bool by_time = !r->setup.uneven && !isnan(r->c.tmax);
    if (r->setup.uneven && (r->c.lags || shard->n))
        return uneven_refuse(r->c.lags ? "--lags" : "--shard", e);
    if (by_time && !(info->dt_ps > 0.0))
        return err_bad(e, "--tmax needs a time step, found none (give --lags)");
    double lags = by_time ? floor(r->c.tmax / info->dt_ps * (1 + 1e-9)) + 1 : (double)r->c.lags;
    if (lags > 1e9)
        return err_bad(e, "expected at most 1e9 lags, found %.0f", lags);
    r->all = lags == 0;
    r->setup.parts = r->base.want > 1 ? 4 * r->base.want : r->base.want == 1 ? 4 : PARTS_OF_ALL;
    if (lags == 0 && shard->n)
        lags = (double)shard->total;
    share->last = r->setup.origins = r->read_to = UINT64_MAX;
    if (lags > 0 && take_lags(r, (size_t)lags, e) != 0)
        return -1;
    r->setup.expected = traj_expected(in->traj);
    if (shard->n && shard->total) {
        size_t chunk = r->setup.chunk, reach = (r->setup.lags + chunk - 1) / chunk * chunk;
        run_begin(&r->base, in);
        uint64_t end = (share->last + chunk - 1) / chunk * chunk + reach;
        if (share->last > share->first)
            in->last = end < shard->total ? end : shard->total;
        r->read_to = in->last;
        r->setup.origins = share->last - share->first;
        r->setup.expected = in->last - in->first;
    }
    return 0;
}

/* Adds the sums of a chunk to its block. Returns 0, or -1 if out of memory. */
static int take(void *ctx, uint64_t chunk, size_t origins, size_t lags, const double *sums)
{
    struct fqt_run *r = ctx;
    uint64_t steps = r->base.steps - r->base.share.first;
    if (r->setup.lags == 0) {
        if (take_lags(r, lags, &r->take) != 0)
            return -1;
        stats_blocks_settle(&r->base.blocks, steps);
    }
    uint64_t local = chunk * r->setup.chunk, first = r->base.share.first + local;
    if (stats_blocks_reach(&r->base.blocks, first + origins) != 0)
        return err_memory(&r->take, "blocks");
    double *to = stats_blocks_at(&r->base.blocks, first);
    uint64_t *counts = r->base.blocks.c + stats_blocks_index(&r->base.blocks, first) * lags;
    size_t pairs = r->setup.npairs, ns = (size_t)r->names.nspecies, kinds = r->c.currents ? 3 : 1,
           raw = fqt_functions(&r->setup);
    for (size_t k = 0; k < lags; k++) {
        uint64_t there = steps > k ? steps - k : 0,
                 n = there > local ? (there - local < origins ? there - local : origins) : 0;
        const struct uneven *u = r->setup.uneven;
        if (u)
            n = 0;
        for (size_t p = u ? u->row[k] : 0; u && p < u->row[k + 1]; p++)
            n += u->pair[p].then >= local && u->pair[p].then < local + origins;
        counts[k] += n;
        for (size_t row = 0; row < r->rows; row++, sums += raw) {
            if (u)
                *to++ += (double)n * u->pair[u->row[k]].lag;
            double by = 1.0 / (double)r->vectors[row];
            size_t f = 0;
            for (size_t kind = 0; kind < kinds; kind++)
                for (size_t p = 0; p <= pairs; p++, f++) {
                    const struct species_pair *ab = p ? &r->names.pairs[p - 1] : NULL;
                    double norm =
                        ab ? sqrt((double)r->names.atoms[ab->a] * (double)r->names.atoms[ab->b])
                           : 1.0;
                    to[f] += sums[f] * (by / norm);
                }
            double *self = to + f;
            to += r->nf - (u != NULL);
            if (!r->c.self)
                continue;
            double all = 0.0, marked = (double)r->marked[row];
            for (size_t a = 0; a < ns; a++) {
                all += sums[f + a] * (r->own ? r->own[row * ns + a] : 1.0);
                if (separate(r))
                    self[1 + a] += sums[f + a] / (marked * (double)r->names.atoms[a]);
            }
            *self += all / (marked * (r->own ? 1.0 : (double)r->names.natoms));
        }
    }
    return 0;
}

/* ---- the scatter between atoms */

/* Measures the mobility of atoms of each species. Returns 0 or -1. */
static int open_scatter(struct fqt_run *r, struct err *e)
{
    size_t n = r->names.natoms, ns = (size_t)r->names.nspecies, at = 0;
    size_t *first = calloc(ns + 1, sizeof *first);
    uint32_t *order = calloc(n + 1, sizeof *order);
    for (size_t a = 0; first && order && a < ns; a++, first[a] = at)
        for (size_t i = 0; i < n; i++)
            if (r->names.species[i] == a)
                order[at++] = (uint32_t)i;
    double need = block_bytes(r) + (first ? scatter_bytes(ns, first, r->setup.lags) : 0.0);
    int rc =
        err_over(e, need, r->setup.max_mem, "fewer --lags", "blocks and the scatter between atoms");
    if (first && order && !rc)
        r->scatter = scatter_open(SCATTER_SQUARE, ns, first, order, r->setup.lags);
    free(first);
    free(order);
    return rc || r->scatter ? rc : err_memory(e, "the scatter between atoms");
}

/* Sets data.scatter for F_s. If the weights depend on q, those of the first row are used. Returns 0
 * or -1. */
static int describe_scatter(const struct fqt_run *r, struct meta *m)
{
    size_t ns = (size_t)r->names.nspecies;
    double *weight = calloc(ns, sizeof *weight);
    char name[SERIES_WORD];
    int bad = !weight;
    for (size_t s = 0; !bad && s <= (separate(r) ? ns : 0); s++) {
        for (size_t a = 0; a < ns; a++)
            weight[a] = s ? s == a + 1 : (double)r->names.atoms[a] * (r->own ? r->own[a] : 1.0);
        snprintf(name, sizeof name, "F_s%s%s", s ? "_" : "", s ? r->names.name[s - 1] : "");
        bad = scatter_meta(r->scatter, name, weight, -1, m) != 0;
    }
    free(weight);
    return bad ? -1 : 0;
}

/* ---- the run */

static int open_run(struct run_base *run, const void *choice, struct analysis_input *in,
                    struct err *e)
{
    struct fqt_run *r = (struct fqt_run *)run;
    const struct analysis_options *o = run->shared;
    const struct traj_info *info = traj_info(in->traj);
    const char *units = meta_get(in->meta, "data.md_units");
    r->reduced = units && strcmp(units, "lj") == 0;
    r->c = *(const struct fqt_choice *)choice;
    r->setup = (struct fqt_setup){.dtype = info->dtype,
                                  .natoms = info->natoms,
                                  .threads = o->threads,
                                  .max_mem = o->max_mem,
                                  .devices = o->devices,
                                  .currents = r->c.currents,
                                  .take = take,
                                  .ctx = r};
    if (traj_first_box(in->traj, &r->setup.box) != 0)
        return *e = *traj_error(in->traj), -1;
    if (take_species(r, in, e) != 0 || take_waves(r, e) != 0 ||
        (r->c.self && mark_self(r, e) != 0) || begin_lags(r, in, e) != 0 ||
        (r->c.self && !o->shard.n && !run->want && !r->setup.uneven && open_scatter(r, e) != 0))
        return -1;
    r->setup.species = r->names.species;
    r->setup.nspecies = r->names.nspecies;
    r->setup.w = &r->waves;
    r->setup.rows = r->rows;
    r->setup.f = r->f;
    r->engine = fqt_open(&r->setup, e);
    char size[32];
    unsigned long long steps = r->setup.expected;
    const char *kept = r->c.self ? "density waves and the positions" : "density waves";
    if (r->engine && r->setup.lags == 0 && steps && !r->setup.uneven)
        notes_add(&run->notes, NOTE_TELL,
                  "the %s of %llu steps need %s of memory, because all lags are computed (use "
                  "--lags or --tmax to keep fewer steps)",
                  kept, steps, err_size(fqt_step_bytes(r->engine) * (double)steps, size));
    return r->engine ? 0 : -1;
}

static int add(struct run_base *run, const struct traj_block *b, bool fresh, struct err *e)
{
    struct fqt_run *r = (struct fqt_run *)run;
    unsigned long long frame = run->steps;
    if (run_one_segment(run, fresh, e) != 0)
        return -1;
    if (r->c.currents && !b->velocities)
        return err_bad(e,
                       "frame %llu: expected velocities for --currents, found none (use traj2bin "
                       "--velocities or md-cpu --velocities)",
                       frame);
    for (size_t s = 0; s < b->nsteps; s++)
        if (memcmp(b->box[s].h, r->setup.box.h, sizeof r->setup.box.h) != 0)
            return err_bad(e,
                           "frame %llu: expected the cell of the first frame, found a different "
                           "cell; F(q,t) needs the same wave vectors at all times",
                           frame + s);
    for (size_t s = 0; r->setup.uneven && s < b->nsteps; s++)
        if (uneven_add(&r->times, b->time[s], e) != 0)
            return -1;
    run->steps += b->nsteps;
    for (size_t s = 0; r->scatter && s < b->nsteps; s++)
        scatter_add(r->scatter,
                    (const char *)b->data +
                        3 * s * r->names.natoms * (r->setup.dtype == FRAME_F64 ? 8 : 4),
                    r->setup.dtype == FRAME_F64, NULL, &r->setup.box);
    if (fqt_add(r->engine, b->nsteps, b->data, b->velocities) == 0)
        return 0;
    *e = r->take.status ? r->take : *fqt_error(r->engine);
    return -1;
}

/* Sets the names of the functions and of their spectra. Returns 0 or -1. */
static int name_functions(const struct fqt_run *r, struct meta *m)
{
    static const char *const kind[][2] = {{"F", "S"}, {"C_L", "C_L"}, {"C_T", "C_T"}};
    size_t capacity = (size_t)SERIES_FUNCTIONS * (SERIES_WORD + 1) + 64, n[2] = {0, 0};
    char *list[2] = {calloc(1, capacity), calloc(1, capacity)}, word[SERIES_WORD];
    int bad = !list[0] || !list[1];
    if (!bad && r->setup.uneven)
        n[0] = (size_t)sprintf(list[0], "t_ps");
    for (size_t s = 0; !bad && s < 2; s++) {
        for (size_t k = 0; k < (r->c.currents ? 3 : 1); k++)
            for (size_t p = 0; p <= r->setup.npairs; p++) {
                if (p && series_word(r->names.list, p - 1, word, sizeof word) != 1)
                    break;
                n[s] += (size_t)snprintf(list[s] + n[s], capacity - n[s], "%s%s%s%s",
                                         n[s] ? " " : "", kind[k][s], p ? "_" : "", p ? word : "");
            }
        for (int a = -1; r->c.self && a < (separate(r) ? r->names.nspecies : 0); a++)
            n[s] += (size_t)snprintf(list[s] + n[s], capacity - n[s], " %s_s%s%s", kind[0][s],
                                     a < 0 ? "" : "_", a < 0 ? "" : r->names.name[a]);
    }
    bad = bad || meta_set(m, "data.functions", list[0]) || meta_set(m, "data.spectra", list[1]);
    free(list[0]);
    free(list[1]);
    return bad ? -1 : 0;
}

/* Sets the unit of the currents, which differs from the unit of the densities. Returns 0 or -1. */
static int describe_units(const struct fqt_run *r, struct meta *m)
{
    const char *list = meta_get(m, "data.functions"), *sep = "";
    char text[SERIES_FUNCTIONS * (SERIES_WORD + 14)] = "", word[SERIES_WORD];
    size_t n = 0;
    for (size_t k = 0; series_word(list, k, word, sizeof word) == 1; k++, sep = n ? " " : "")
        if (word[0] == 'C' && word[1] == '_')
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s:%s", sep, word,
                                  r->reduced ? "epsilon/m" : "(A/ps)^2");
    return n ? meta_set(m, "data.unit.of", text) : 0;
}

/* Sets the second axis: |q| and number of vectors of every row. Returns 0 or -1. */
static int describe_axis(const struct fqt_run *r, struct meta *m)
{
    char *text = malloc(r->rows * 24 + 1), *p = text;
    if (!text)
        return -1;
    for (size_t k = 0; k < r->rows; k++)
        p += sprintf(p, "%s%zu", k ? " " : "", r->vectors[k]);
    int bad = meta_set(m, "data.axis2", "q_A-1") |
              meta_set_f64(m, "data.axis2.values", r->q, r->rows) |
              meta_set(m, "data.axis2.vectors", text);
    free(text);
    return bad;
}

static int set_meta(const struct fqt_run *r, struct meta *m)
{
    const struct waves_choice *c = &r->c.waves;
    const int32_t *d = r->c.direction;
    bool line = r->c.line;
    return run_meta(&r->base, r->base.blocks.n, m) |
                   meta_set(m, "data.quantity", "density-correlation") |
                   meta_set(m, "data.unit", "1") |
                   meta_set(m, "data.label.of",
                            "F:F(q,t) F_s:Fₛ(q,t) C_L:C∥(q,t) C_T:C⊥(q,t) S:S(q,ω) S_s:Sₛ(q,ω)") |
                   (name_functions(r, m) || describe_units(r, m)) | describe_axis(r, m) |
                   (line ? meta_setf(m, "data.direction", "%d %d %d", d[0], d[1], d[2])
                         : meta_set_f64(m, "data.qstep", &c->qstep, 1) |
                               meta_setf(m, "data.vectors", "%llu", (unsigned long long)c->max)) |
                   (r->c.self ? meta_setf(m, "data.self.vectors", "%llu",
                                          (unsigned long long)r->c.self_vectors)
                              : 0) |
                   (c->factors ? waves_factors_describe(c->factors, &r->names, r->column, m) : 0) |
                   meta_setf(m, "data.lags", "%zu", r->setup.lags) |
                   (r->setup.uneven ? uneven_meta(&r->times, m) : 0) |
                   (r->scatter ? describe_scatter(r, m) : 0) |
                   meta_set(m, "data.pairs", r->setup.npairs ? r->names.list : NULL) |
                   meta_set(m, "data.convention",
                            "F = Re <rho*(0) rho(t)>/(N <f^2>), rho = sum f exp(i q r), F_AB over "
                            "sqrt(N_A N_B); C_L, C_T of the current; F_s of single atoms, "
                            "weighted by f^2/<f^2>")
               ? -1
               : 0;
}

static int finish(struct run_base *run, struct meta *m, struct err *e)
{
    struct fqt_run *r = (struct fqt_run *)run;
    bool whole = run->shared->shard.n == 0;
    uint64_t end = run->steps;
    if (r->setup.uneven &&
        uneven_rows(&r->times, r->c.tmax, fqt_step_bytes(r->engine) * (double)run->steps,
                    r->setup.max_mem, e) != 0)
        return -1;
    if (fqt_finish(r->engine) != 0)
        return *e = r->take.status ? r->take : *fqt_error(r->engine), -1;
    if (end && end < r->setup.lags && whole && !r->setup.uneven)
        return err_bad(e, "%zu lags need at least %zu steps, found %llu", r->setup.lags,
                       r->setup.lags, (unsigned long long)end);
    if (run->want > 1 && r->setup.lags && whole &&
        stats_blocks_taken(&run->blocks, end) < run->want)
        return err_bad(e,
                       "expected enough steps for %zu blocks of at least %zu time origins each, "
                       "found %llu steps (use fewer --blocks or --lags)",
                       run->want, r->setup.chunk, (unsigned long long)end);
    if (run_take(run, !whole && end == r->read_to ? run->share.last : end, e) != 0)
        return -1;
    if (set_meta(r, m) != 0)
        return err_memory(e, "the result");
    notes_add(&run->notes, NOTE_ENGINE, "%s: used %zu of %llu wave vectors, for %zu values of q",
              engine_name(), r->waves.n, (unsigned long long)r->waves.all, r->rows);
    return r->setup.uneven ? 0
                           : run_drift(run, m, run->blocks.n, r->setup.lags, r->rows, r->nf,
                                       run->blocks.c, run->blocks.v, e);
}

static int put(struct run_base *run, struct frame_writer *w, struct err *e)
{
    const struct fqt_run *r = (struct fqt_run *)run;
    const struct stats_blocks *b = &run->blocks;
    return run_put(run, w, b->n, r->setup.lags, r->rows, r->nf, b->c, b->v, e);
}

const struct analysis fqt_analysis = {.want = ANALYSIS_POSITIONS,
                                      .size = RUN_SIZE(struct fqt_run, base),
                                      .open = open_run,
                                      .add = add,
                                      .finish = finish,
                                      .put = put,
                                      .close = close_run};
