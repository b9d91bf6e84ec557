/* SPDX-License-Identifier: MIT */
#include "g4/g4_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/engine.h"
#include "g4/g4_lists.h"
#include "g4/g4_result.h"
#include "g4/g4_series.h"
#include "g4/g4_tail.h"
#include "stats/series.h"

#define TAIL_MAX 0.05 /* fraction of G2(0): a larger tail causes a warning */
#define MESH_WORDS                                                                                 \
    "all images (G2 of tapered pairs and an approximate tail: g(r) = 1 beyond, and two atoms go "  \
    "apart as a sample of them does, by a Gaussian)"
#define CUBE_TOL 1e-3 /* of an edge: smaller differences from a cube do not affect G2 */

static const char *const method_names[] = {"factored", "fft", "direct"};

struct g4_run {
    struct run_base base;
    struct g4_choice choice;
    struct g4_params p;
    struct meta *from; /* META of the input */
    double dt, sigma;
    struct pairs pairs;
    struct g4 *engine;
    struct g4_series *series; /* NULL: not requested */
    struct g4_tail *tail;     /* NULL: no mesh */
    struct g4_result result;
    struct g4_report report;
    char taper[512], bonded[512];   /* messages about the cell and about the first frame */
    double sum_of_squares, density; /* that of factors, and its sum over the steps, divided by V */
    uint64_t to;                    /* end of the steps of a part (--shard) */
    bool cube;                      /* META has no cell, or a cubic cell */
};

/* Sets the lags from --lags or --tmax, and the method from both. */
static int run_lags(struct g4_run *r, struct err *e)
{
    const struct g4_choice *c = &r->choice;
    if (c->lags && !isnan(c->tmax))
        return err_set(e, ERR_BAD, "--lags and --tmax both set the number of lags: give only one");
    r->p.lags = (size_t)c->lags;
    if (!isnan(c->tmax)) {
        if (isnan(r->dt))
            return err_set(e, ERR_BAD,
                           "--tmax needs the time between steps, but the input does not state it "
                           "(use --lags)");
        double n = floor(c->tmax / r->dt + 1e-9) + 1;
        if (n > 1e12)
            return err_set(e, ERR_BAD, "--tmax %g ps is %g steps, more than this program handles",
                           c->tmax, n);
        r->p.lags = (size_t)n;
    }
    if (r->p.sum.mesh == SUM_MESH && c->method > G4_FACTORED)
        return err_set(e, ERR_BAD,
                       "--sum %s cannot be used with --method %s, because a mesh gives no values "
                       "of single pairs",
                       c->pairs.sum, method_names[c->method]);
    if (r->p.sum.mesh == SUM_MESH)
        r->p.method = G4_FACTORED;
    else if (c->method >= 0)
        r->p.method = (enum g4_method)c->method;
    else
        r->p.method = r->p.lags == 0 || r->p.lags >= G4_FFT_FROM ? G4_FFT : G4_FACTORED;
    if (r->p.lags == 0 && r->p.method != G4_FFT)
        return err_set(e, ERR_BAD, "--method %s needs --lags or --tmax", method_names[r->p.method]);
    return 0;
}

/* Number of words in data.component. */
static size_t words(const char *s)
{
    size_t n = 0;
    for (; s && *s; s++)
        n += *s != ' ' && (s[1] == ' ' || s[1] == '\0');
    return n;
}

static int run_params(struct g4_run *r, const struct traj_reader *traj, struct err *e)
{
    const struct traj_info *info = traj_info(traj);
    struct g4_params *p = &r->p;
    p->input = info->type;
    p->dtype = info->dtype;
    p->natoms = info->natoms;
    p->sum.rc2 = HUGE_VAL;
    p->origins = (size_t)r->choice.origins;
    p->blocks = (size_t)r->choice.blocks;
    p->steps_hint = traj_expected(traj);
    p->threads = r->base.shared->threads;
    p->progress = r->choice.progress;
    p->max_mem = (size_t)r->base.shared->max_mem;
    p->devices = r->base.shared->devices;
    p->accumulate_f32 = r->choice.accumulate_f32 == 1;
    bool one = info->type == FRAME_PAIR ? info->ncomp < 2 : r->choice.pairs.component != PAIRS_ALL;
    if (r->choice.separate && one)
        return err_set(
            e, ERR_BAD,
            "--components: expected several components (use --component all), found one");
    if (info->type == FRAME_PAIR) {
        const char *given = pairs_given(&r->choice.pairs),
                   *list = meta_get(r->from, "data.component");
        if (given) {
            return err_set(
                e, ERR_BAD,
                "%s needs positions, but the input holds pairs (give the option to beta-gen)",
                given);
        }
        if (info->ncomp > BETA_NCOMPONENTS || words(list) != info->ncomp)
            return err_set(e, ERR_BAD, "expected %zu names in data.component, found '%.100s'",
                           info->ncomp, list ? list : "");
        p->ncomp = (int)info->ncomp;
        return 0;
    }
    if (pairs_choose(&r->choice.pairs, info, &r->pairs, &r->sigma, e) ||
        pairs_select(&r->choice.pairs, r->from, p->max_mem, &r->pairs, e))
        return -1;
    p->ncomp = r->pairs.ncomp;
    memcpy(p->component, r->pairs.component, sizeof p->component);
    memcpy(p->coef, r->pairs.coef, sizeof p->coef);
    p->sum = r->pairs.sum;
    p->factors = r->pairs.factors;
    r->sum_of_squares = factors_sum_of_squares(p->factors, p->natoms);
    r->pairs.sum.mesh = SUM_MESH_NO; /* S(t) of --series sums over all pairs */
    return 0;
}

/* Chooses the origins of a part (--shard). */
static int run_share(struct g4_run *r, struct analysis_input *in, struct err *e)
{
    struct stats_share *s = &r->p.share;
    if (!r->base.shared->shard.n)
        return 0;
    if (r->p.method == G4_FFT)
        return err_set(e, ERR_BAD,
                       "--shard needs --method factored or direct: fft, the default from %d lags, "
                       "transforms all steps together",
                       G4_FFT_FROM);
    const char *given = r->p.origins ? "--origins" : "--blocks";
    if (r->p.origins || r->p.blocks)
        return err_set(e, ERR_BAD,
                       "--shard and %s cannot be combined: --shard divides a run between the "
                       "automatic blocks of all time origins",
                       given);
    g4_blocks_init(&r->base.blocks, &r->p, r->p.lags);
    run_begin(&r->base, in);
    *s = r->base.share;
    bool ends = g4_lists_may(&r->p) && s->first < s->last;
    size_t window = ends ? g4_window(&r->p) : 1;
    r->p.from = s->first - s->first % window;
    if (ends && r->p.from >= window) /* A of the first steps comes from the window before */
        r->p.from -= window;
    r->to = s->last + (window - s->last % window) % window;
    if (s->first < s->last)
        r->to += r->p.lags - 1;
    r->to += -r->to % G4_BLOCK_MIN; /* whole runs, because kernels sum these in their own order */
    r->to = s->first == s->last ? s->last : r->to < s->total ? r->to : s->total;
    in->first = r->base.first = r->base.steps = r->p.from;
    in->last = r->to;
    return 0;
}

/* A part (--shard) uses lists exactly if the whole run does: its first step decides. */
static int run_first(struct g4_run *r, struct traj_reader *traj, struct err *e)
{
    struct traj_block b;
    if (!r->base.shared->shard.n || !g4_lists_may(&r->p))
        return 0;
    if (traj_first(traj, &b)) {
        *e = *traj_error(traj);
        return -1;
    }
    if (b.nsteps && pairs_check_cells(&r->p.sum, 1, b.box, 0, e))
        return -1;
    if (b.nsteps && g4_push(r->engine, 0, b.data, b.box)) {
        *e = *g4_error(r->engine);
        return -1;
    }
    return 0;
}

/* Opens the tail if a mesh is certain, or possible with this number of atoms (G4_MESH_GAIN). */
static int run_tail_open(struct g4_run *r, struct err *e)
{
    const struct sum *s = &r->p.sum;
    bool few = 2.0 * G4_MESH_GAIN * G4_MESH_ATOM > (double)r->p.natoms;
    if (!g4_lists_may(&r->p) || s->mesh == SUM_MESH_NO || (s->mesh == SUM_MESH_MAY && few))
        return 0;
    r->tail = g4_tail_new(&r->p);
    return r->tail ? 0 : err_memory(e, "the tail of G2");
}

static bool is_cube(const struct box *b)
{
    double edge = b->h[0][0];
    return b->ortho && fabs(b->h[1][1] - edge) <= CUBE_TOL * edge &&
           fabs(b->h[2][2] - edge) <= CUBE_TOL * edge;
}

static void run_close(struct run_base *run)
{
    struct g4_run *r = (struct g4_run *)run;
    g4_close(r->engine);
    g4_series_free(r->series);
    g4_tail_free(r->tail);
    g4_result_free(&r->result);
    pairs_close(&r->pairs);
    meta_free(r->from);
}

static int run_open(struct run_base *run, const void *choice, struct analysis_input *in,
                    struct err *e)
{
    struct g4_run *r = (struct g4_run *)run;
    if (!(r->from = meta_copy(in->meta)))
        return err_memory(e, "META");
    r->choice = *(const struct g4_choice *)choice;
    run->want = (size_t)r->choice.blocks;
    r->dt = traj_info(in->traj)->dt_ps;
    r->cube = is_cube(&traj_info(in->traj)->box);
    return run_params(r, in->traj, e) || run_lags(r, e) || run_share(r, in, e) ||
                   !(r->engine = g4_open(&r->p, e)) || run_first(r, in->traj, e) ||
                   run_tail_open(r, e)
               ? -1
               : 0;
}

static int run_add(struct run_base *run, const struct traj_block *b, bool fresh, struct err *e)
{
    struct g4_run *r = (struct g4_run *)run;
    if (run_one_segment(run, fresh, e) ||
        (r->p.input == FRAME_POSN &&
         pairs_check_cells(&r->p.sum, b->nsteps, b->box, r->base.steps, e)))
        return -1;
    for (size_t s = 0; r->p.sum.mesh != SUM_MESH_NO && s < b->nsteps; s++)
        r->density += r->sum_of_squares / box_volume(&b->box[s]);
    if (fresh && r->p.input == FRAME_POSN)
        pairs_short_taper(&r->pairs, r->sigma, b->box, r->taper, sizeof r->taper);
    if (r->base.steps == 0 && r->p.input == FRAME_POSN && b->nsteps)
        pairs_bonded_near(&r->pairs, r->sigma, b->data, b->box, 0, r->bonded, sizeof r->bonded);
    if (g4_push(r->engine, b->nsteps, b->data, b->box)) {
        *e = *g4_error(r->engine);
        return -1;
    }
    if (r->tail && g4_tail_add(r->tail, r->base.steps, b->nsteps, b->data, b->box))
        return err_memory(e, "the tail of G2");
    if (r->series && g4_series_add(r->series, b, r->base.steps, e))
        return -1;
    r->base.steps += b->nsteps;
    return 0;
}

/* Describes how beta was computed. */
static int run_describe(const struct g4_run *r, struct meta *m)
{
    return r->p.input == FRAME_PAIR ? pairs_describe_like(r->from, m)
                                    : pairs_describe(&r->choice.pairs, &r->pairs, r->sigma, m);
}

static int run_series(struct run_base *run, const struct analysis_input *in, struct frame_writer *w,
                      struct meta *m, struct err *e)
{
    struct g4_run *r = (struct g4_run *)run;
    if (run_describe(r, m))
        return err_set(e, ERR_MEMORY, "out of memory");
    r->series = g4_series_open(traj_info(in->traj), &r->pairs, r->p.threads, w, m, e);
    return r->series ? 0 : -1;
}

/* Contribution of the tail to G2(0), by mesh_tail. */
static double run_tail(const struct g4_run *r)
{
    const struct sum *s = &r->p.sum;
    double n = (double)r->p.natoms, coef = r->p.coef[0] / beta_coef(r->p.component[0], 1.0, 1.0);
    return n * r->density / (double)(r->base.steps - r->p.from) * mesh_tail(coef, s->r1, s->r2);
}

static int run_mesh_meta(const struct g4_run *r, struct meta *m)
{
    const struct sum *s = &r->p.sum;
    double tail = run_tail(r);
    return meta_set_f64(m, "data.taper", (double[]){s->r1, s->r2}, 2) |
           meta_setf(m, "data.mesh", "order %d, spacing %.4g Å", s->plan.order, s->plan.spacing) |
           meta_set_f64(m, "data.mesh.error", &s->plan.error, 1) |
           (r->p.share.total ? 0 : meta_setf(m, "data.mesh.tail", "%.4g", tail));
}

static int run_describe_all(const struct g4_run *r, struct meta *m)
{
    const struct g4_params *p = &r->p;
    int bad = run_describe(r, m) | run_meta(&r->base, r->result.blocks, m);
    bad |= meta_set(m, "data.quantity", "correlation") | meta_set(m, "data.unit", "1") |
           meta_set(m, "data.functions", "G G2 G3 G4");
    bad |= meta_setf(m, "data.convention",
                     "sums over time origins; unordered pairs p = (i<j), %s, each once: G2 = sum_p "
                     "b_p b_p', G3 and G4 = sums over ordered (p,q) sharing one atom and none, "
                     "G = S S' = G2 + G3 + G4; primes a lag later",
                     r->result.mesh ? MESH_WORDS : pairs_images(m));
    bad |= r->result.mesh ? run_mesh_meta(r, m) : 0;
    bad |= meta_set(m, "data.average",
                    r->choice.separate ? "apart"
                    : p->ncomp > 1     ? "mean"
                                       : "none");
    bad |= meta_set(m, "data.method", method_names[p->method]);
    bad |= meta_set(m, "data.dtype", p->dtype == FRAME_F64 ? "f64" : "f32");
    if (p->accumulate_f32) /* g4_gpu_runs.cu: 21 roundings of 2^-24 */
        bad |=
            meta_set(m, "data.accumulate",
                     "f32, runs of 16 steps: error of G2 below 1.3e-6 of the mean of |b_p b_p'|");
    bad |= meta_setf(m, "data.lags", "%zu", r->result.lags);
    bad |= meta_setf(
        m, "data.steps", "%llu",
        (unsigned long long)(p->share.total ? p->share.last - p->share.first : r->result.steps));
    bad |= p->origins ? meta_setf(m, "data.origins", "%zu", p->origins)
                      : meta_set(m, "data.origins", "all");
    return bad;
}

/* Lag 0 of sum_i A_i A_i' and of G2, over all components. */
static void lag0(const struct g4_result *s, double *atoms, double *g2)
{
    double n = 0.0;
    *atoms = *g2 = 0.0;
    for (size_t b = 0; b < s->blocks; b++) {
        n += (double)s->counts[b * s->lags] * s->ncomp;
        for (int c = 0; c < s->ncomp; c++) {
            const double *v =
                s->sums + (b * s->lags * (size_t)s->ncomp + (size_t)c) * G4_NFUNCTIONS;
            *g2 += v[G4_G2];
            *atoms += v[G4_G3] + 2.0 * v[G4_G2];
        }
    }
    *g2 /= n;
    *atoms /= n;
}

/* Adds the messages about a mesh. */
static void run_notes(struct g4_run *r)
{
    const struct mesh *m = &r->p.sum.plan;
    double atoms, g2, tail = run_tail(r), n = (double)r->p.natoms;
    double coef = fabs(r->p.coef[0] / beta_coef(r->p.component[0], 1.0, 1.0));
    lag0(&r->result, &atoms, &g2);
    double rms = m->rms * coef * sqrt(r->density / (double)(r->base.steps - r->p.from));
    notes_add(
        &r->base.notes, NOTE_TELL,
        "mesh: S and A_i include all images; order %d, one point every %.3g Å; the expected rms "
        "error of A_i is %.2g of its rms value, %.3g",
        m->order, m->spacing, rms / sqrt(atoms / n), sqrt(atoms / n));
    bool large = tail > TAIL_MAX * g2;
    notes_add(&r->base.notes, large ? NOTE_WARN : NOTE_TELL,
              "mesh: G2 covers pairs within %.4g Å, tapered from %.4g Å, plus a tail that assumes "
              "g(r) = 1 beyond; the tail is %.3g of G2(0) = %.6g (%.2g %%), is added to G4 and is "
              "subtracted twice from G3%s",
              r->p.sum.r2, r->p.sum.r1, tail, g2, 100.0 * tail / g2,
              large ? " (use larger radii, --sum ewald:R1,R2, or --sum ewald:pairs)" : "");
}

/* Adds the messages about the whole run with META m, apart from those of g4_report.h. */
static void run_notes_end(struct g4_run *r, const struct meta *m)
{
    const struct g4_result *s = &r->result;
    double n = (double)r->p.natoms, listed = s->listed, g2, atoms, prefactor = 3.0;
    run_drift(&r->base, m, s->blocks, s->lags, (size_t)s->ncomp, G4_NFUNCTIONS, s->counts, s->sums);
    if (listed > 0)
        notes_add(
            &r->base.notes, NOTE_TELL,
            "neighbour lists: on average, %.4g of %.4g pairs are in range in a window of steps",
            listed, 0.5 * n * (n - 1));
    if (s->mesh)
        run_notes(r);
    if (r->series && (listed > 0 || s->mesh))
        notes_add(&r->base.notes, NOTE_TELL,
                  "--series summed over all %.4g pairs of each step; its cost grows as N^2",
                  0.5 * n * (n - 1));
    lag0(s, &atoms, &g2);
    if (!*r->bonded && !r->p.factors && !meta_get(m, "data.within") &&
        meta_get_f64(m, "data.prefactor", &prefactor, 1) == 1)
        pairs_bonded_g2(g2 * 9.0 / (prefactor * prefactor * n), r->bonded, sizeof r->bonded);
    if (*r->taper)
        notes_add(&r->base.notes, NOTE_WARN, "%s", r->taper);
    if (*r->bonded)
        notes_add(&r->base.notes, NOTE_WARN, "%s", r->bonded);
}

static void run_engine(struct g4_run *r)
{
    notes_add(&r->base.notes, NOTE_ENGINE, "%s, %d threads", engine_name(),
              r->base.shared->threads);
    r->base.notes.bound = r->p.method == G4_FFT      ? "transforms"
                          : r->p.method == G4_DIRECT ? "pairs of pairs"
                                                     : "lag products";
}

static int run_finish(struct run_base *run, struct meta *m, struct err *e)
{
    struct g4_run *r = (struct g4_run *)run;
    if (r->p.share.total && r->base.steps != r->to)
        return err_set(e, ERR_BAD,
                       "expected %llu steps, as END states, found %llu: the stream was cut",
                       (unsigned long long)r->to, (unsigned long long)r->base.steps);
    if (g4_finish(r->engine, &r->result)) {
        *e = *g4_error(r->engine);
        return -1;
    }
    if (r->result.mesh && g4_tail_put(r->tail, &r->p, &r->result))
        return err_memory(e, "the tail of G2");
    if (r->p.share.total) { /* frame-merge gives the messages about the whole run */
        run_engine(r);
        return run_describe_all(r, m) ? err_memory(e, "META") : 0;
    }
    int bad =
        run_describe_all(r, m) ||
        g4_report_make(&r->report, &r->base.notes, &r->result, r->dt, r->p.blocks == 0,
                       r->cube || sum_row(&r->p.sum)->sphere, meta_get(m, "data.component")) ||
        g4_report_meta(&r->report, m);
    run_notes_end(r, m);
    run_engine(r);
    return bad ? err_set(e, ERR_MEMORY, "out of memory") : 0;
}

static int put(struct run_base *run, struct frame_writer *w, struct err *e)
{
    struct g4_run *r = (struct g4_run *)run;
    const struct g4_result *s = &r->result;
    if (run_put(run, w, s->blocks, s->lags, (size_t)s->ncomp, G4_NFUNCTIONS, s->counts, s->sums, e))
        return -1;
    return r->series ? g4_series_end(r->series, e) : 0;
}

const struct analysis g4_analysis = {.want = ANALYSIS_POSITIONS | ANALYSIS_PAIRS,
                                     .size = sizeof(struct g4_run),
                                     .open = run_open,
                                     .add = run_add,
                                     .finish = run_finish,
                                     .put = put,
                                     .second = run_series,
                                     .close = run_close};
