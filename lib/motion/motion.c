/* SPDX-License-Identifier: MIT */
#include "motion/motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/portable.h"
#include "stats/series.h"

const char *const motion_methods[] = {"auto", "fft", "window", NULL};

#define HELP "fewer --lags, a shorter --tmax or --method window"
#define HELP_PIPE HELP ", or a file instead of a pipe, which can be read in several passes"

/* ---- plan */

/* Finds the lags for this number of steps (0: unknown). Returns 0 or -1. */
static int find_lags(struct motion *m, uint64_t steps, struct err *e)
{
    bool by_time = !isnan(m->c.tmax);
    const char *option = m->c.lags                 ? "--lags"
                         : m->base.shared->shard.n ? "--shard"
                                                   : "--method fft";
    if (m->uneven && (m->c.lags || m->c.method == MOTION_FFT || m->base.shared->shard.n))
        return uneven_refuse(option, e);
    if (steps && m->base.want > steps)
        return err_bad(e, "expected at least one step per block, found %llu blocks and %llu steps",
                       (unsigned long long)m->base.want, (unsigned long long)steps);
    if (m->uneven)
        return 0;
    if (by_time && !(m->t.dt_ps > 0.0))
        return err_bad(e, "--tmax needs a time step, but the input has none (use --lags)");
    double wanted = by_time ? floor(m->c.tmax / m->t.dt_ps * (1 + 1e-9)) + 1 : (double)m->c.lags;
    if (steps && wanted > (double)steps)
        return err_bad(e, "%.0f lags need at least %.0f steps, found %llu", wanted, wanted,
                       (unsigned long long)steps);
    if (wanted > 1e12)
        return err_bad(e, "expected at most 1e12 lags, found %g", wanted);
    m->lags = wanted > 0 ? (size_t)wanted : (size_t)steps;
    return 0;
}

static int choose_functions(struct motion *m, struct err *e)
{
    m->sets = m->t.kinds > 1 && !m->c.tracks.axis ? m->t.kinds + 1 : m->t.kinds;
    m->each = 1 + (m->c.separate ? 3 : 0) + (m->c.fourth ? 1 : 0);
    m->nf = m->uneven + m->sets * m->each;
    if (m->nf > SERIES_FUNCTIONS)
        return err_bad(
            e, "expected at most %d functions, found %zu for %zu kinds of atoms or molecules",
            SERIES_FUNCTIONS, m->nf, m->t.kinds);
    m->scale = calloc(2 * m->t.kinds + 1, sizeof *m->scale);
    m->part = m->scale ? m->scale + m->t.kinds : NULL;
    if (!m->scale)
        return err_memory(e, "functions");
    for (size_t k = 0; k < m->t.kinds; k++) {
        double n = (double)(m->t.first[k + 1] - m->t.first[k]);
        m->scale[k] = 1.0 / n;
        m->part[k] = n / (double)m->t.points;
    }
    return 0;
}

static void choose_blocks(struct motion *m, uint64_t steps)
{
    lags_blocks(&m->base.blocks, m->base.want, m->lags, m->nf);
    stats_blocks_settle(&m->base.blocks, steps);
    stats_blocks_share(&m->base.blocks, steps, m->base.want,
                       m->base.shared->shard.n ? m->base.shared->shard.k : 1,
                       m->base.shared->shard.n ? m->base.shared->shard.n : 1, &m->base.share);
}

/* Chooses the blocks of a run, and their boundaries. Returns 0 or -1. */
static int bound_blocks(struct motion *m, uint64_t steps, struct err *e)
{
    choose_blocks(m, steps);
    free(m->bound);
    m->bound = lags_bounds(&m->base.blocks, steps, m->base.share.want);
    return m->bound ? 0 : err_memory(e, "blocks");
}

/* Chooses the transforms of a run. Returns 0 or -1. */
static int choose_transforms(struct motion *m, struct lags_setup *s, struct err *e)
{
    if (bound_blocks(m, m->base.share.total, e) != 0)
        return -1;
    *s = (struct lags_setup){.kind = m->kind,
                             .lags = m->lags,
                             .steps = m->base.share.total,
                             .from = m->base.share.from,
                             .to = m->base.share.to,
                             .bound = m->bound,
                             .series = 3 * m->t.points,
                             .pool = m->pool,
                             .max_mem = m->max_mem};
    return 0;
}

static double result_bytes(const struct motion *m)
{
    return 8.0 * (double)(m->base.share.to - m->base.share.from) * (double)m->lags *
               (double)(m->nf + 1) +
           motion_scatter_bytes(m);
}

/* Computes the number of points that fit into memory per pass over a file of known length. Points
 * are divided where a complex series ends, so that each series is the same as in a single pass.
 * Returns 0 or -1. */
static int plan_passes(struct motion *m, struct analysis_input *in, struct err *e)
{
    struct lags_setup s;
    if (choose_transforms(m, &s, e) != 0)
        return -1;
    if (m->base.shared->shard.n) {
        in->first = m->base.share.first;
        in->last = m->base.share.first == m->base.share.last
                       ? m->base.share.last
                       : lags_end(m->bound, m->base.share.want, m->base.share.to, m->lags);
    }
    double steps = (double)((in->last < s.steps ? in->last : s.steps) - in->first),
           step = (double)tracks_step_bytes(&m->t), one = step / (double)m->t.stored,
           rest = (m->c.separate ? 3.0 : 1.0) * lags_bytes(&s) + result_bytes(m) +
                  tracks_spare_bytes(&m->t),
           all = steps * step, capacity = m->max_mem ? (double)m->max_mem - rest : INFINITY;
    char a[32], b[32];
    m->fit = m->t.points;
    m->passes = 1;
    notes_add(&m->base.notes, NOTE_TELL,
              "%zu series of %.0f steps need %s of memory, and their transforms and sums need %s",
              3 * m->t.stored, steps, err_size(all, a), err_size(rest, b));
    if (all <= capacity)
        return 0;
    if (capacity < 4.0 * one * steps || !frame_is_named(in->reader) || m->c.fourth)
        return err_over(e, all + rest, m->max_mem, frame_is_named(in->reader) ? HELP : HELP_PIPE,
                        "%.0f steps of %zu series, and their transforms", steps, 3 * m->t.stored);
    m->fit = (size_t)(capacity / (one * steps)) / 2 * 2;
    m->passes = (m->t.stored + m->fit - 1) / m->fit + /* no pass crosses `stored` */
                (m->t.points - m->t.stored + m->fit - 1) / m->fit;
    notes_add(&m->base.notes, NOTE_OPTION,
              "--max-mem: all series together need %s. The file is read %zu times, for at most %zu "
              "of the %zu atoms or molecules each time",
              err_size(all + rest, a), m->passes, m->fit, m->t.points);
    return 0;
}

static int plan_window(struct motion *m, struct analysis_input *in, struct err *e)
{
    if (!m->lags && !m->uneven)
        return err_bad(e, "--method window keeps one step per lag and needs the number of lags "
                          "(give --lags or --tmax)");
    if (m->base.shared->shard.n) {
        uint64_t last;
        choose_blocks(m, m->base.shared->shard.total);
        in->first = m->base.share.first;
        last = m->base.share.last + m->lags - 1;
        last += (MOTION_CHUNK - last % MOTION_CHUNK) % MOTION_CHUNK;
        in->last = m->base.share.first == m->base.share.last ? m->base.share.last
                   : last < m->base.share.total              ? last
                                                             : m->base.share.total;
    }
    if (!m->uneven)
        lags_blocks(&m->base.blocks, m->base.want, m->lags, m->nf); /* nothing was added yet */
    m->window = motion_window_open(m, e);
    if (!m->window || m->uneven)
        return m->window ? 0 : -1;
    char a[32];
    notes_add(&m->base.notes, NOTE_TELL, "a window of %zu steps and the sums need %s of memory",
              m->lags, err_size(motion_window_bytes(m), a));
    return 0;
}

/* Sets the reference positions of a part to the first step of the whole run. Returns 0 or -1. */
static int read_origin(struct motion *m, const struct analysis_input *in, struct err *e)
{
    struct traj_block b;
    if (!m->base.shared->shard.n || in->first == 0)
        return 0;
    if (traj_first(in->traj, &b) != 0)
        return *e = *traj_error(in->traj), -1;
    return b.nsteps ? tracks_origin(&m->t, &b, e) : 0;
}

int motion_open(struct motion *m, enum lags_kind kind, const struct motion_choice *c,
                struct analysis_input *in, struct err *e)
{
    const struct analysis_options *o = m->base.shared;
    uint64_t steps = o->shard.n ? o->shard.total : traj_expected(in->traj);
    const char *units = meta_get(in->meta, "data.md_units");
    m->reduced = units && strcmp(units, "lj") == 0;
    m->c = *c;
    m->kind = kind;
    m->in = in;
    m->max_mem = o->max_mem;
    m->threads = o->threads;
    m->pool = pool_new(o->threads);
    m->c.tracks.max_mem = o->max_mem;
    m->uneven = m->c.tracks.uneven = meta_get(in->meta, "sys.times") != NULL;
    if (!m->pool)
        return err_memory(e, "threads");
    if (tracks_open(&m->t, &m->c.tracks, in, m->pool, e) != 0 || choose_functions(m, e) != 0 ||
        find_lags(m, steps, e) != 0)
        return -1;
    if (*m->t.note)
        notes_add(&m->base.notes, NOTE_WARN, "%s", m->t.note);
    if (c->tracks.molecules && !c->tracks.axis && !c->tracks.masses.n &&
        !meta_get(in->meta, "sys.species")) {
        char hint[96];
        notes_add(&m->base.notes, NOTE_WARN,
                  "atoms have no names, so all atoms of a molecule are given the same mass (%s)",
                  meta_species_hint(traj_info(in->traj)->natoms, hint));
    }
    bool few =
        m->uneven || c->fourth || ((c->lags || !isnan(c->tmax)) && m->lags < MOTION_FFT_FROM);
    if (m->c.method == MOTION_AUTO)
        m->c.method = few ? MOTION_WINDOW : MOTION_FFT;
    m->base.share.total = steps;
    m->t.all = m->c.method == MOTION_WINDOW;
    if (m->c.method == MOTION_WINDOW ? plan_window(m, in, e) : steps && plan_passes(m, in, e))
        return -1;
    if (m->c.method == MOTION_FFT && m->passes > 1)
        tracks_keep(&m->t, 0, m->fit);
    if (read_origin(m, in, e) != 0)
        return -1;
    if (!m->uneven && motion_scatter_bytes(m) > 0.0 && motion_scatter_open(m) != 0)
        return err_memory(e, "the scatter between points");
    m->t.from = m->base.steps = in->first;
    m->last = m->base.shared->shard.n ? m->base.share.last : UINT64_MAX;
    return 0;
}

void motion_close(struct run_base *run)
{
    struct motion *m = (struct motion *)run;
    motion_window_free(m->window);
    uneven_close(&m->times);
    motion_scatter_free(m->scatter);
    tracks_close(&m->t);
    free(m->scale);
    free(m->bound);
    free(m->counts);
    free(m->sums);
    pool_free(m->pool);
}

int motion_add(struct run_base *run, const struct traj_block *b, bool fresh, struct err *e)
{
    struct motion *m = (struct motion *)run;
    (void)fresh;
    if (tracks_take(&m->t, b, e) != 0)
        return -1;
    m->base.steps += b->nsteps;
    if (m->scatter)
        motion_scatter_add(m, b->nsteps);
    return m->uneven   ? motion_window_keep(m, b->nsteps, b->time, e)
           : m->window ? motion_window_add(m, b->nsteps, e)
                       : tracks_store(&m->t, m->max_mem, HELP_PIPE, e);
}

/* ---- sums by transforms */

/* Points of one kind, along one axis or along all three axes. */
struct group {
    const struct tracks *t;
    size_t first;
    int axis; /* -1 for all axes */
};

static void fill(void *ctx, size_t k, uint64_t from, uint64_t to, double *x)
{
    const struct group *g = ctx;
    tracks_series(g->t, g->axis < 0 ? 3 * g->first + k : 3 * (g->first + k) + (size_t)g->axis, from,
                  to, x);
}

/* Adds points [lo, hi) of t, kind by kind, and begins and ends the sums of each kind. */
static void add_points(struct motion *m, const struct tracks *t, struct lags **l, size_t lo,
                       size_t hi)
{
    int axes = m->c.separate ? 3 : 1;
    for (size_t k = 0; k < t->kinds; k++) {
        size_t first = t->first[k] > lo ? t->first[k] : lo,
               last = t->first[k + 1] < hi ? t->first[k + 1] : hi;
        for (int a = 0; a < axes && first < last; a++) {
            struct group g = {.t = t, .first = first, .axis = m->c.separate ? a : -1};
            size_t series = (last - first) * (m->c.separate ? 1 : 3),
                   col = motion_column(m, motion_set(m, k), m->c.separate ? 1 + (size_t)a : 0);
            if (first == t->first[k])
                lags_begin(l[a]);
            lags_add(l[a], series, fill, &g);
            if (last == t->first[k + 1])
                lags_put(l[a], m->scale[k], m->sums + col, m->nf);
        }
    }
}

/* Returns the end of the points that fit into memory, where a complex series of their kind ends. */
static size_t pass_end(const struct motion *m, size_t lo)
{
    size_t hi = lo + m->fit, k = 0;
    if (m->passes < 2 || hi >= m->t.points)
        hi = m->t.points;
    if (m->passes > 1 && lo < m->t.stored && hi > m->t.stored)
        hi = m->t.stored;
    if (hi == m->t.points)
        return hi;
    while (m->t.first[k + 1] <= hi)
        k++;
    return hi - (hi > m->t.first[k] ? (hi - m->t.first[k]) % 2 : 0);
}

static int read_again(struct motion *m, struct lags **l, size_t lo, size_t hi, struct err *e)
{
    struct frame_reader_opts opts = {.threads = m->threads, .window = frame_window(m->in->reader)};
    struct frame_reader *r = frame_open(frame_name(m->in->reader), &opts);
    enum frame_type type = m->c.tracks.velocities ? FRAME_VELO
                           : m->c.tracks.axis     ? FRAME_SCAL
                                                  : FRAME_POSN;
    struct analysis_input in = {.reader = r, .traj = r ? traj_open(r, type, e) : NULL};
    struct tracks_choice c = m->c.tracks;
    struct tracks t = {0};
    struct traj_block b;
    int rc = -1;
    c.wrapped = false; /* the first pass has tested this */
    in.meta = r ? frame_meta(r) : NULL;
    if (!r)
        err_memory(e, "a reader");
    else if (in.traj && tracks_open(&t, &c, &in, m->pool, e) == 0 &&
             tracks_begin_as(&t, &m->t, e) == 0) {
        tracks_keep(&t, lo, hi);
        traj_slice(in.traj, m->in->first, m->in->last);
        while ((rc = traj_next(in.traj, &b, NULL)) > 0)
            if (tracks_take(&t, &b, e) != 0 || tracks_store(&t, m->max_mem, NULL, e) != 0)
                break;
        if (rc < 0)
            *e = *traj_error(in.traj);
        else if (rc == 0 && t.steps != m->t.steps)
            rc = err_bad(e, "expected %llu steps as in the first pass, found %llu",
                         (unsigned long long)m->t.steps, (unsigned long long)t.steps);
        if (rc == 0)
            add_points(m, &t, l, lo, hi);
    }
    if (t.own)
        tracks_close(&t);
    traj_close(in.traj);
    frame_close_reader(r);
    portable_trim();
    return rc == 0 ? 0 : -1;
}

static int transform(struct motion *m, struct err *e)
{
    struct lags_setup s;
    struct lags *l[3] = {NULL, NULL, NULL};
    int axes = m->c.separate ? 3 : 1, bad = choose_transforms(m, &s, e);
    m->nblocks = s.to - s.from;
    double all = (double)m->t.steps * (double)tracks_step_bytes(&m->t) + result_bytes(m);
    if (!bad && !m->passes && /* in a pipe, the length was unknown before */
        err_over(e, all + axes * lags_bytes(&s), m->max_mem, HELP_PIPE,
                 "%llu steps of %zu series, and their transforms", (unsigned long long)m->t.steps,
                 3 * m->t.points))
        return -1;
    m->counts = calloc(m->nblocks * m->lags + 1, sizeof *m->counts);
    m->sums = calloc(m->nblocks * m->lags + 1, m->nf * sizeof *m->sums);
    if (!bad && (!m->counts || !m->sums))
        bad = err_memory(e, "the result");
    for (int a = 0; a < axes && !bad; a++)
        bad = !(l[a] = lags_open(&s, e));
    if (!bad && m->nblocks) {
        stats_blocks_origins(s.bound + s.from, s.to - s.from, s.steps, s.lags, m->counts);
        for (size_t lo = 0, hi; lo < m->t.points && !bad; lo = hi) {
            hi = pass_end(m, lo);
            if (lo == 0) {
                add_points(m, &m->t, l, lo, hi);
                tracks_forget(&m->t);
                portable_trim();
            } else
                bad = read_again(m, l, lo, hi, e);
        }
    }
    for (int a = 0; a < axes; a++)
        lags_close(l[a]);
    return bad ? -1 : 0;
}

/* ---- the end */

/* Computes the sums over axes and kinds. */
static void add_up(struct motion *m)
{
    for (size_t i = 0; i < m->nblocks * m->lags; i++) {
        double *row = m->sums + i * m->nf;
        for (size_t k = 0; k < m->t.kinds; k++) {
            double *of = row + motion_column(m, motion_set(m, k), 0);
            if (m->c.separate)
                of[0] = (of[1] + of[2]) + of[3];
            for (size_t p = 0; m->sets > m->t.kinds && p < m->each; p++)
                row[m->uneven + p] += m->part[k] * of[p];
        }
    }
}

static int name_functions(const struct motion *m, const char *name, struct meta *meta,
                          struct err *e)
{
    static const char *const axes[] = {"", "_x", "_y", "_z"};
    char text[SERIES_FUNCTIONS * (SERIES_WORD + 1)] = "", word[64];
    size_t n = m->uneven ? (size_t)sprintf(text, "t_ps") : 0;
    for (size_t s = 0; s < m->sets; s++)
        for (size_t p = 0; p < m->each; p++) {
            bool fourth = m->c.fourth && p + 1 == m->each;
            const char *kind = m->c.tracks.axis ? m->t.name[motion_set(m, s)]
                               : s              ? m->t.name[s - 1]
                                                : "";
            snprintf(word, sizeof word, "%s%s%s%s", fourth ? "alpha2" : name,
                     *kind && *name ? "_" : "", kind, fourth ? "" : axes[p]);
            if (strlen(word) >= SERIES_WORD)
                return err_bad(e, "expected a column name of at most %d letters, found %s",
                               SERIES_WORD - 1, word);
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? " " : "", word);
        }
    return meta_set(meta, "data.functions", text) ||
                   (m->scatter && motion_scatter_meta(m, text, meta)) ||
                   (m->uneven && m->kind == LAGS_SQUARE && motion_scatter_points(m, text, meta))
               ? err_memory(e, "META")
               : 0;
}

static int describe(const struct motion *m, struct meta *meta)
{
    const struct tracks_choice *c = &m->c.tracks;
    const char *drift = m->t.subtracts ? "subtracted" : "kept";
    return run_meta(&m->base, m->nblocks, meta) |
           meta_set(meta, "data.method", motion_methods[m->c.method]) |
           meta_set(meta, "data.integral", m->c.integral ? "trapezoid" : NULL) |
           (m->uneven ? uneven_meta(&m->times, meta) : 0) | meta_set(meta, "data.drift", drift) |
           tracks_meta(&m->t, meta) |
           meta_set(meta, "data.points", c->molecules ? "molecules" : "atoms") |
           meta_setf(meta, "data.npoints", "%zu", m->t.points) |
           meta_setf(meta, "data.lags", "%zu", m->lags) |
           meta_setf(meta, "data.steps", "%llu",
                     (unsigned long long)(m->base.shared->shard.n
                                              ? m->base.share.last - m->base.share.first
                                              : m->base.share.total));
}

static int window_end(struct motion *m, struct err *e)
{
    struct lags_setup s = {
        .lags = m->lags, .steps = m->base.share.total, .from = m->base.share.from};
    if (stats_blocks_reach(&m->base.blocks, m->base.share.total) != 0)
        return err_memory(e, "blocks");
    m->nblocks = m->base.share.to - m->base.share.from;
    s.to = m->base.share.to;
    s.bound = m->bound = lags_bounds(&m->base.blocks, m->base.share.total, m->base.share.want);
    m->counts = calloc(m->nblocks * m->lags + 1, sizeof *m->counts);
    if (!m->bound || !m->counts || stats_blocks_take(&m->base.blocks, &m->base.share) != 0)
        return err_memory(e, "the result");
    stats_blocks_origins(s.bound + s.from, s.to - s.from, s.steps, s.lags, m->counts);
    m->sums = m->base.blocks.v;
    m->base.blocks.v = NULL;
    return 0;
}

/* Correlates all pairs of steps at uneven times. Returns 0 or -1. */
static int pair_steps(struct motion *m, struct err *e)
{
    uint64_t steps = m->base.share.total;
    if (uneven_rows(&m->times, m->c.tmax, motion_window_kept(m), m->max_mem, e) != 0)
        return -1;
    size_t lags = m->times.lags;
    m->lags = lags < steps ? lags : (size_t)steps; /* for the lengths of the blocks */
    int bad = bound_blocks(m, steps, e);
    m->lags = lags;
    return bad ? -1 : motion_window_pairs(m, e);
}

int motion_finish(struct motion *m, const char *name, struct meta *meta, struct err *e)
{
    uint64_t wanted = m->in->last < m->base.share.total ? m->in->last : m->base.share.total;
    if (!m->base.shared->shard.n)
        m->base.share.total = m->base.steps;
    else if (m->base.steps != wanted)
        return err_bad(e, "expected %llu steps, as the end mark (END) states, found only %llu",
                       (unsigned long long)wanted, (unsigned long long)m->base.steps);
    if (m->base.share.total == 0)
        return err_bad(e, "expected at least one step, found none");
    if (find_lags(m, m->base.share.total, e) != 0 ||
        (m->uneven   ? pair_steps(m, e) != 0
         : m->window ? motion_window_add(m, 0, e) != 0 /* the incomplete last chunk */
                     : false))
        return -1;
    if (m->window && !m->uneven && !m->base.shared->shard.n)
        stats_blocks_share(&m->base.blocks, m->base.share.total, m->base.want, 1, 1,
                           &m->base.share);
    if (!m->uneven && (m->window ? window_end(m, e) : transform(m, e)))
        return -1;
    add_up(m);
    m->base.notes.bound = m->window ? "lag products" : "transforms";
    return name_functions(m, name, meta, e) || (describe(m, meta) && err_memory(e, "META")) ? -1
                                                                                            : 0;
}

int motion_put(struct run_base *run, struct frame_writer *w, struct err *e)
{
    const struct motion *m = (struct motion *)run;
    return run_put(run, w, m->nblocks, m->lags, 1, m->nf, m->counts, m->sums, e);
}
