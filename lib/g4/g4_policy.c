/* SPDX-License-Identifier: MIT */
#include "g4/g4_policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "g4/g4_lists.h"
#include "g4/g4_result.h"

#define CUBE_TOL 1e-3 /* fraction of an edge (smaller deviations from a cube do not affect G2) */

const char *const g4_methods[] = {"factored", "fft", "direct", NULL};

/* Sets the lags from --lags or --tmax, and the method from --sum, --method or the lags. */
static int choose_lags(struct g4_run *r, struct err *e)
{
    const struct g4_choice *c = &r->choice;
    if (c->lags && !isnan(c->tmax))
        return err_bad(e, "--lags and --tmax both set the number of lags: give only one");
    r->p.lags = (size_t)c->lags;
    if (!isnan(c->tmax)) {
        if (isnan(r->dt))
            return err_bad(e, "--tmax needs the time between steps, but the input does not state "
                              "it (use --lags)");
        double n = floor(c->tmax / r->dt + 1e-9) + 1;
        if (n > 1e12)
            return err_bad(e, "--tmax %g ps is %g steps, more than this program handles", c->tmax,
                           n);
        r->p.lags = (size_t)n;
    }
    if (r->p.sum.mesh == SUM_MESH && c->method > G4_FACTORED)
        return err_bad(e,
                       "--sum %s cannot be used with --method %s, because a mesh gives no values "
                       "for single pairs",
                       c->pairs.sum, g4_methods[c->method]);
    if (r->p.sum.mesh == SUM_MESH)
        r->p.method = G4_FACTORED;
    else if (c->method >= 0)
        r->p.method = (enum g4_method)c->method;
    else
        r->p.method = r->p.lags == 0 || r->p.lags >= G4_FFT_FROM ? G4_FFT : G4_FACTORED;
    if (r->p.lags == 0 && r->p.method != G4_FFT)
        return err_bad(e, "--method %s needs --lags or --tmax", g4_methods[r->p.method]);
    return 0;
}

/* Returns the number of words in data.component. */
static size_t words(const char *s)
{
    size_t n = 0;
    for (; s && *s; s++)
        n += *s != ' ' && (s[1] == ' ' || s[1] == '\0');
    return n;
}

static int choose_pairs(struct g4_run *r, const struct traj_reader *traj, struct err *e)
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
        return err_bad(
            e, "--components: expected several components, found one (use --component all)");
    if (info->type == FRAME_PAIR) {
        const char *given = pairs_given(&r->choice.pairs),
                   *list = meta_get(r->from, "data.component");
        if (given) {
            return err_bad(
                e, "%s needs positions, but the input has pair tables (give %s to beta-gen)", given,
                given);
        }
        const char *found = list ? list : "none";
        if (info->ncomp > BETA_NCOMPONENTS || words(list) != info->ncomp)
            return err_bad(e, "expected %zu names in data.component, found %.100s", info->ncomp,
                           found);
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

/* Chooses the origins of a part of the run (--shard). */
static int choose_share(struct g4_run *r, struct analysis_input *in, struct err *e)
{
    struct stats_share *s = &r->p.share;
    if (!r->base.shared->shard.n)
        return 0;
    if (r->p.method == G4_FFT)
        return err_bad(e,
                       "--shard cannot be used with --method fft, the default for %d or more lags "
                       "(use --method factored with --lags)",
                       G4_FFT_FROM);
    const char *given = r->p.origins ? "--origins" : "--blocks";
    if (r->p.origins || r->p.blocks)
        return err_bad(
            e, "--shard needs the automatic choice of blocks and cannot be combined with %s",
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
    r->to += -r->to % G4_BLOCK_MIN; /* whole runs, each of which a kernel sums in its own order */
    r->to = s->first == s->last ? s->last : r->to < s->total ? r->to : s->total;
    in->first = r->base.first = r->base.steps = r->p.from;
    in->last = r->to;
    return 0;
}

/* Opens the engine and the tail with the first step, from which they decide whether to use a mesh
 * and lists. A part of a run (--shard) uses the same methods as the whole run. A whole run also
 * gets warnings about the cell and about bonded atoms. */
static int open_first(struct g4_run *r, struct traj_reader *traj, struct err *e)
{
    struct traj_block b = {0};
    bool part = r->base.shared->shard.n > 0;
    if (r->p.input == FRAME_POSN && (!part || g4_lists_may(&r->p)) && traj_first(traj, &b))
        return *e = *traj_error(traj), -1;
    bool any = b.nsteps > 0;
    if (any && sum_check(&r->p.sum, b.box, e))
        return err_frame(e, 0);
    if (!(r->engine = g4_open(&r->p, any ? b.data : NULL, any ? b.box : NULL, e)))
        return -1;
    if (any && !part) {
        pairs_short_taper(&r->pairs, r->sigma, b.box, r->taper, sizeof r->taper);
        pairs_bonded_near(&r->pairs, r->sigma, b.data, b.box, 0, r->bonded, sizeof r->bonded);
    }
    return r->p.sum.mesh == SUM_MESH && !(r->tail = g4_tail_new(&r->p))
               ? err_memory(e, "the tail of G2")
               : 0;
}

static bool is_cube(const struct box *b)
{
    double edge = b->h[0][0];
    return b->ortho && fabs(b->h[1][1] - edge) <= CUBE_TOL * edge &&
           fabs(b->h[2][2] - edge) <= CUBE_TOL * edge;
}

int g4_policy(struct g4_run *r, struct analysis_input *in, struct err *e)
{
    r->dt = traj_info(in->traj)->dt_ps;
    if (analysis_even(in->meta, e) != 0)
        return -1;
    r->cube = is_cube(&traj_info(in->traj)->box);
    return choose_pairs(r, in->traj, e) || choose_lags(r, e) || choose_share(r, in, e) ||
                   open_first(r, in->traj, e)
               ? -1
               : 0;
}
