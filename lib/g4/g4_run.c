/* SPDX-License-Identifier: MIT */
#include "g4/g4_policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/engine.h"
#include "g4/g4_result.h"
#include "stats/series.h"

#define TAIL_MAX 0.05 /* fraction of G2(0) above which the tail causes a warning */
#define MESH_WORDS                                                                                 \
    "all images (G2 of tapered pairs and an approximate tail: g(r) = 1 beyond, and two atoms go "  \
    "apart as a sample of them does, by a Gaussian)"

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
    return g4_policy(r, in, e);
}

static int run_add(struct run_base *run, const struct traj_block *b, bool fresh, struct err *e)
{
    struct g4_run *r = (struct g4_run *)run;
    if (run_one_segment(run, fresh, e))
        return -1;
    for (size_t s = 0; r->tail && s < b->nsteps; s++)
        r->density += r->sum_of_squares / box_volume(&b->box[s]);
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

/* Returns the unit of a pair. */
static const char *run_unit(const struct g4_run *r)
{
    const char *unit = r->p.input == FRAME_PAIR ? meta_get(r->from, "data.unit") : NULL;
    return unit ? unit : pair_function_unit(&r->pairs.function);
}

static int run_series(struct run_base *run, const struct analysis_input *in, struct frame_writer *w,
                      struct meta *m, struct err *e)
{
    struct g4_run *r = (struct g4_run *)run;
    if (run_describe(r, m) || meta_set(m, "data.unit", run_unit(r)))
        return err_set(e, ERR_MEMORY, "out of memory");
    r->series = g4_series_open(traj_info(in->traj), &r->pairs, r->p.threads, w, m, e);
    return r->series ? 0 : -1;
}

/* Returns the contribution of the tail to G2(0), from split_tail(). */
static double run_tail(const struct g4_run *r)
{
    const struct sum *s = &r->p.sum;
    double n = (double)r->p.natoms, coef = r->p.coef[0] / beta_coef(r->p.component[0], 1.0, 1.0);
    return n * r->density / (double)(r->base.steps - r->p.from) * split_tail(coef, s->r1, s->r2);
}

static int run_mesh_meta(const struct g4_run *r, struct meta *m)
{
    const struct sum *s = &r->p.sum;
    double tail = run_tail(r);
    return meta_set_f64(m, "data.taper", (double[]){s->r1, s->r2}, 2) |
           meta_setf(m, "data.mesh", "order %d, spacing %.4g Å", s->plan.mesh.order,
                     s->plan.mesh.spacing * s->plan.reach) |
           meta_set_f64(m, "data.mesh.error", &s->plan.error, 1) |
           (r->p.share.total ? 0 : meta_setf(m, "data.mesh.tail", "%.4g", tail));
}

static int run_describe_all(const struct g4_run *r, struct meta *m)
{
    const struct g4_params *p = &r->p;
    int bad = run_describe(r, m) | run_meta(&r->base, r->result.blocks, m);
    bad |= meta_set(m, "data.quantity", "correlation") |
           meta_setf(m, "data.unit", strcmp(run_unit(r), "1") ? "(%s)^2" : "1", run_unit(r)) |
           meta_set(m, "data.functions", "G G2 G3 G4") |
           meta_set(m, "data.label.of",
                    "G:G(t),~total G2:G(t),~pair G3:G(t),~triplet G4:G(t),~quadruplet "
                    "I_G:I(ω),~total I_G2:I(ω),~pair I_G3:I(ω),~triplet I_G4:I(ω),~quadruplet");
    bad |= meta_setf(m, "data.convention",
                     "sums over time origins; unordered pairs p = (i<j), %s, each once: G2 = sum_p "
                     "b_p b_p', G3 and G4 = sums over ordered (p,q) sharing one atom and none, "
                     "G = S S' = G2 + G3 + G4; primes a lag later",
                     r->tail ? MESH_WORDS : pairs_images(m));
    bad |= r->tail ? run_mesh_meta(r, m) : 0;
    bad |= meta_set(m, "data.average",
                    r->choice.separate ? "apart"
                    : p->ncomp > 1     ? "mean"
                                       : "none");
    bad |= meta_set(m, "data.method", g4_methods[p->method]);
    bad |= meta_set(m, "data.dtype", p->dtype == FRAME_F64 ? "f64" : "f32");
    if (p->accumulate_f32) /* single precision in g4_gpu_runs.cu: 21 roundings of 2^-24 */
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

/* Sets lag 0 of sum_i A_i A_i' and of G2, summed over all components. */
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
    const struct split *m = &r->p.sum.plan;
    double atoms, g2, tail = run_tail(r), n = (double)r->p.natoms;
    double coef = fabs(r->p.coef[0] / beta_coef(r->p.component[0], 1.0, 1.0));
    lag0(&r->result, &atoms, &g2);
    double rms = m->rms * coef * sqrt(r->density / (double)(r->base.steps - r->p.from));
    notes_add(
        &r->base.notes, NOTE_TELL,
        "mesh sum: S and A_i include all periodic images. The splines have order %d, and the mesh "
        "points are %.3g Å apart. The expected rms error of A_i is %.2g of its rms value, %.3g",
        m->mesh.order, m->mesh.spacing * m->reach, rms / sqrt(atoms / n), sqrt(atoms / n));
    bool large = tail > TAIL_MAX * g2;
    const char *remedy =
        large ? " (use larger radii, --sum ewald:R1,R2, or --sum ewald:pairs)" : "";
    notes_add(&r->base.notes, large ? NOTE_WARN : NOTE_TELL,
              "mesh sum: G2 includes the pairs within %.4g Å, tapered from %.4g Å on. At larger "
              "distances, a tail for g(r) = 1 contributes %.3g to G2(0) = %.6g (%.2g %%)%s",
              r->p.sum.r2, r->p.sum.r1, tail, g2, 100.0 * tail / g2, remedy);
}

/* Adds the messages about the whole run with META m, except the messages of g4_report.h. */
static void run_notes_end(struct g4_run *r, const struct meta *m)
{
    const struct g4_result *s = &r->result;
    double n = (double)r->p.natoms, listed = s->listed, g2, atoms, prefactor = 3.0;
    if (listed > 0)
        notes_add(&r->base.notes, NOTE_TELL,
                  "neighbour lists: in each window of steps, on average %.4g of %.4g pairs come "
                  "within range at least once",
                  listed, 0.5 * n * (n - 1));
    if (r->tail)
        run_notes(r);
    if (r->series && (listed > 0 || r->tail))
        notes_add(&r->base.notes, NOTE_TELL,
                  "--series summed over all %.4g pairs of each step, so its cost grows as N^2",
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
        return err_bad(
            e, "expected %llu steps, as the end mark (END) states, found %llu: the stream was cut",
            (unsigned long long)r->to, (unsigned long long)r->base.steps);
    if (g4_finish(r->engine, &r->result)) {
        *e = *g4_error(r->engine);
        return -1;
    }
    if (r->tail && g4_tail_put(r->tail, &r->p, &r->result))
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
    const struct g4_result *s = &r->result;
    return bad ? err_set(e, ERR_MEMORY, "out of memory")
               : run_drift(run, m, s->blocks, s->lags, (size_t)s->ncomp, G4_NFUNCTIONS, s->counts,
                           s->sums, e);
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
                                     .size = RUN_SIZE(struct g4_run, base),
                                     .open = run_open,
                                     .add = run_add,
                                     .finish = run_finish,
                                     .put = put,
                                     .second = run_series,
                                     .close = run_close};
