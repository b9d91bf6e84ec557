/* SPDX-License-Identifier: MIT */
/* The thread team and the neighbour lists of the CPU engine. Atoms are sorted into columns along z
 * in serpentine order, with z alternately ascending and descending, so that consecutive atoms are
 * close together and a cluster of 4 is compact (Páll and Hess 2013). */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/portable.h"
#include "md/md_cpu.h"

/* ---- team */

/* Waits within a step are shorter than it takes to sleep and wake up. A thread therefore polls for
 * some tens of microseconds, then yields the processor for some hundreds of microseconds, and then
 * sleeps. */
#define MD_SPINS 1000
#define MD_YIELDS 1000

struct md_call {
    struct md *m;
    void (*part)(struct md *m, int t);
};

static void md_task(void *ctx, size_t k, int thread)
{
    struct md_call *c = ctx;
    (void)thread;
    c->part(c->m, (int)k);
}

void md_team(struct md *m, void (*part)(struct md *m, int t))
{
    struct md_call c = {m, part};
    if (m->threads == 1)
        part(m, 0);
    else
        pool_run(m->pool, md_task, &c, (size_t)m->threads);
}

void md_barrier(struct md *m)
{
    if (m->threads == 1)
        return;
    int turn = __atomic_load_n(&m->turn, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&m->waiting, 1, __ATOMIC_ACQ_REL) == m->threads) {
        __atomic_store_n(&m->waiting, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&m->turn, turn + 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&m->asleep, __ATOMIC_SEQ_CST) > 0)
            portable_wake(&m->turn, m->threads);
        return;
    }
    for (int spin = 0; __atomic_load_n(&m->turn, __ATOMIC_ACQUIRE) == turn; spin++)
        if (spin < MD_SPINS) {
#ifdef __x86_64__
            __builtin_ia32_pause();
#endif
        } else if (spin < MD_SPINS + MD_YIELDS) {
            sched_yield();
        } else {
            __atomic_add_fetch(&m->asleep, 1, __ATOMIC_SEQ_CST);
            portable_wait(&m->turn, turn);
            __atomic_sub_fetch(&m->asleep, 1, __ATOMIC_SEQ_CST);
        }
}

/* ---- space */

/* The width of a column in units of the edge of the cube that a cluster fills. Values from 1.0 to
 * 1.2 were fastest. */
#define MD_COLUMN 1.1

void md_space_shape(struct md *m)
{
    double volume = m->p.box[0] * m->p.box[1] * m->p.box[2];
    double width = MD_COLUMN * cbrt(volume / (double)m->n * MD_CLUSTER);
    double max = fmax(1.0, sqrt((double)m->n)); /* for a gas: no more columns than atoms */
    struct md_space *s = &m->space;
    for (int k = 0; k < 2; k++)
        s->ncol[k] = (int)fmax(1.0, fmin(rint(m->p.box[k] / width), max));
    double columns = (double)s->ncol[0] * s->ncol[1];
    s->nz = (int)fmax(1.0, fmin(ceil(2.0 * (double)m->n / columns), 4096.0));
    s->natoms = m->n;
    s->periodic = m->p.boundary == MD_PERIODIC;
    s->bits = s->periodic ? 32 : 30;
    for (int k = 0; k < 3; k++)
        s->ratio[k] = m->rows.fixed.ratio[k];
}

/* Upper limit of a coarse difference divided by 2^15, for which the sum of three squares is below
 * 2^31. */
#define MD_COARSE 0.57
/* Units by which a coarse distance may exceed the true distance. This is sqrt(3) times the error
 * per axis, plus the rounding of positions. The error per axis is MD_COARSE for the two ends, 0.5
 * for the product and 0.5 for the weight. */
#define MD_COARSE_ERROR 3.0

void md_space_reach(struct md *m, double reach, double near)
{
    struct md_space *s = &m->space;
    double unit = reach * m->rows.fixed.pos_scale[0] * 1.00001; /* exceeds the rounding of r2 */
    s->rl2 = (float)(unit * unit);
    const double *box = m->p.box;
    double max = fmax(fmax(box[0], box[1]), box[2]), edge = s->periodic ? 65536.0 : 32768.0;
    for (int k = 0; k < 3; k++)
        s->weight[k] = (int16_t)rint(MD_COARSE * 32768.0 * box[k] / max);
    const double r[2] = {reach, near};
    int32_t *limit[2] = {&s->reach, &s->near};
    for (int k = 0; k < 2; k++) {
        double units = r[k] * edge * MD_COARSE / max + MD_COARSE_ERROR;
        *limit[k] = (int32_t)fmin(ceil(units * units), INT32_MAX);
    }
}

/* Returns the index of the part that contains a position. The edge has n equal parts. */
static inline int md_part(const struct md *m, int32_t x, int n)
{
    if (m->p.boundary == MD_PERIODIC)
        return (int)((uint64_t)(uint32_t)x * (uint64_t)n >> 32);
    int64_t part = (int64_t)x * n >> 30;
    return part < 0 ? 0 : part < n ? (int)part : n - 1;
}

static uint32_t md_key(const struct md *m, size_t i)
{
    const struct md_space *s = &m->space;
    int cx = md_part(m, m->x[md_at(i, 0)], s->ncol[0]),
        cy = md_part(m, m->x[md_at(i, 1)], s->ncol[1]);
    int z = md_part(m, m->x[md_at(i, 2)], s->nz),
        column = cx * s->ncol[1] + (cx & 1 ? s->ncol[1] - 1 - cy : cy);
    return (uint32_t)(column * s->nz + (column & 1 ? s->nz - 1 - z : z));
}

static void md_swap(double *a[3], double *b[3])
{
    for (int k = 0; k < 3; k++) {
        double *t = a[k];
        a[k] = b[k];
        b[k] = t;
    }
}

/* Increments *count atomically for all threads and returns the old value. */
static inline uint32_t md_next(const struct md *m, uint32_t *count)
{
    return m->threads == 1 ? (*count)++ : __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

/* Computes key[], the new place of each atom. Each thread counts its atoms, sums a slice of the
 * bins and assigns places to its atoms. The order within a bin is arbitrary, because integer sums
 * do not depend on it. */
static void md_space_count(struct md *m, int t)
{
    size_t nbins = (size_t)m->space.ncol[0] * (size_t)m->space.ncol[1] * (size_t)m->space.nz;
    size_t k0 = md_share(nbins, t, m->threads, 64), k1 = md_share(nbins, t + 1, m->threads, 64);
    uint32_t *bins = m->bins, *count = bins + 2, sum = 0;
    memset(count + k0, 0, (k1 - k0) * sizeof *bins);
    if (t == 0)
        bins[0] = bins[1] = 0;
    md_barrier(m);
    for (size_t i = m->atom_from[t]; i < m->atom_from[t + 1]; i++) {
        m->key[i] = md_key(m, i);
        (void)md_next(m, &count[m->key[i]]);
    }
    md_barrier(m);
    for (size_t k = k0; k < k1; k++)
        sum += count[k];
    m->worker[t].atoms = sum;
    md_barrier(m);
    sum = 0;
    for (int u = 0; u < t; u++)
        sum += m->worker[u].atoms;
    for (size_t k = k0; k < k1; k++)
        count[k] = sum += count[k];
    md_barrier(m);
    for (size_t i = m->atom_from[t]; i < m->atom_from[t + 1];
         i++) /* bins[k + 1], the start of bin k, becomes its end */
        m->key[i] = md_next(m, &bins[m->key[i] + 1]);
    md_barrier(m);
}

/* Moves atoms `from` to `to` - 1 of thread t to their new places. */
static void md_space_move(struct md *m, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        size_t at = m->key[i];
        m->id_next[at] = m->id[i];
        for (int k = 0; k < 3; k++) {
            m->r_next[k][at] = m->ref[k][at] = m->r[k][i];
            m->v_next[k][at] = m->v[k][i];
            m->x[md_at(at, k)] = lj_fixed_pos(m->r[k][i], m->rows.fixed.pos_scale[k]);
        }
    }
}

static void md_space_turn(struct md *m)
{
    uint32_t *id = m->id;
    md_swap(m->r, m->r_next);
    md_swap(m->v, m->v_next);
    for (int k = 0; k < 3; k++)
        m->rows.r[k] = m->r[k];
    m->id = m->id_next;
    m->id_next = id;
}

/* ---- lists */

#define MD_GROUP 4 /* number of rows that search for neighbours together */

/* Reserves space for `more` entries after `used`. Returns 0 or -1. */
static int md_grow(uint32_t **list, size_t *capacity, size_t used, size_t more)
{
    if (used + more <= *capacity)
        return 0;
    size_t want = used + more + (used + more) / 2;
    uint32_t *p = realloc(*list, want * sizeof *p);
    if (p == NULL)
        return -1;
    memory_large_pages(p, want * sizeof *p);
    *list = p;
    *capacity = want;
    return 0;
}

/* Finds the clusters near each row from c0 to c1 - 1. Stores them in `found` and their numbers in
 * count[row]. A group of rows searches together. Each row then searches the candidates of its
 * group. */
static int md_list_rows(struct md *m, struct md_worker *w, size_t c0, size_t c1)
{
    w->nfound = 0;
    for (size_t c = c0, to; c < c1; c = to) {
        to = c + MD_GROUP < c1 ? c + MD_GROUP : c1;
        /* This is usually far too much, but a thousand extra entries cost nothing. */
        if (md_grow(&w->some, &w->some_room, 0, m->nclusters - c + MD_LINE) != 0)
            return -1;
        size_t n = SIMD_PICK(md_search)(&m->space, c, to, w->some);
        if (md_grow(&w->found, &w->capacity, w->nfound, n * MD_GROUP + 1) != 0)
            return -1;
        for (size_t row = c; row < to; row++) {
            m->count[row] = (uint32_t)SIMD_PICK(md_near)(&m->space, row, m->space.reach, w->some, n,
                                                         w->found + w->nfound);
            w->nfound += m->count[row];
        }
    }
    return 0;
}

/* Returns the fraction of all tiles before the part of thread t. Parts are proportional to the
 * speeds of the threads, if these are known, but within a factor of two of the mean. */
static double md_list_part(const struct md *m, int t)
{
    double sum = 0.0, before = 0.0, all = 0.0;
    for (int u = 0; u < m->threads; u++)
        sum += m->worker[u].speed;
    for (int u = 0; u < m->threads; u++) {
        double mean = sum / m->threads, v = m->worker[u].speed;
        v = v > 0.0 ? fmin(fmax(v, 0.5 * mean), 2.0 * mean) : mean;
        v = sum > 0.0 ? v : 1.0;
        all += v;
        before += u < t ? v : 0.0;
    }
    return before / all;
}

/* Returns the cost of the rows before c in tiles. The cost of a row includes a tile for itself and
 * half a tile for its ends. */
static double md_list_work(const struct md *m, size_t c)
{
    double k = (double)c, n = (double)m->nclusters; /* for all pairs, those above c */
    return 1.5 * k +
           (m->info.method == MD_ALL_PAIRS ? k * n - 0.5 * k * (k + 1.0) : (double)m->begin[c]);
}

/* Returns the first row of thread t. */
static size_t md_list_share(const struct md *m, int t)
{
    size_t low = 0, high = m->nclusters;
    double before = md_list_part(m, t) * md_list_work(m, m->nclusters);
    while (low < high) {
        size_t c = (low + high) / 2;
        if (md_list_work(m, c) >= before)
            high = c;
        else
            low = c + 1;
    }
    return low;
}

/* Marks the segments of its force lines that thread t will write. */
static void md_list_segments(struct md *m, int t)
{
    bool all = m->info.method == MD_ALL_PAIRS;
    unsigned char *seg = m->worker[t].seg;
    if (m->threads == 1) /* a single thread needs no marks */
        return;
    memset(seg, all, m->nsegments);
    for (size_t c = m->row_from[t]; !all && c < m->row_from[t + 1]; c++) {
        seg[c / MD_SEGMENT] = 1;
        for (size_t e = m->begin[c]; e < m->begin[c + 1]; e++)
            seg[m->list[e] / MD_SEGMENT] = 1;
    }
}

/* Reserves memory for one list from the parts of threads. Returns 0, or -1 if memory runs out. */
static int md_list_room(struct md *m)
{
    size_t total = 0;
    bool failed = false;
    for (int t = 0; t < m->threads; t++) {
        total += m->worker[t].nfound;
        failed |= m->worker[t].failed;
    }
    bool pruned = m->info.method == MD_VERLET;
    if (failed || md_grow(&m->list, &m->list_room, 0, total + 1) != 0 ||
        (pruned && md_grow(&m->inner, &m->inner_room, 0, total + 1) != 0))
        return -1;
    m->begin[m->nclusters] = total;
    m->rows.begin = m->begin;
    m->rows.end = m->near;
    m->info.builds++;
    return 0;
}

/* Copies the part of thread t into the list, and records where its rows c0 to c1 - 1 begin. */
static void md_list_gather(struct md *m, int t, size_t c0, size_t c1)
{
    size_t at = 0;
    for (int u = 0; u < t; u++)
        at += m->worker[u].nfound;
    if (m->worker[t].nfound > 0)
        memcpy(m->list + at, m->worker[t].found, m->worker[t].nfound * sizeof *m->list);
    for (size_t c = c0; c < c1; c++) {
        m->begin[c] = at;
        at += m->count[c];
        m->near[c] = at;
    }
}

/* For each cluster, lists every cluster above it. Returns 0, or -1 if memory runs out. */
static int md_list_all(struct md *m)
{
    if (md_grow(&m->list, &m->list_room, 0, m->nclusters) != 0)
        return -1;
    for (size_t c = 0; c <= m->nclusters; c++)
        m->begin[c] = c;
    for (size_t c = 0; c < m->nclusters; c++)
        m->list[c] = (uint32_t)c;
    m->rows.begin = m->begin + 1; /* row c has clusters c + 1 to the last */
    m->rows.end = m->all_end;
    return 0;
}

/* Computes the part of thread t in the coarse lines. The present positions must be complete. */
static void md_list_coarse(struct md *m, int t)
{
    SIMD_PICK(md_coarse)
    (&m->space, md_share(m->nclusters, t, m->threads, 1),
     md_share(m->nclusters, t + 1, m->threads, 1));
    md_barrier(m);
}

void md_list_prune(struct md *m, int t)
{
    md_list_coarse(m, t);
    for (size_t c = m->row_from[t]; c < m->row_from[t + 1]; c++) {
        size_t begin = m->begin[c];
        m->near[c] = begin + SIMD_PICK(md_near)(&m->space, c, m->space.near, m->list + begin,
                                                m->begin[c + 1] - begin, m->inner + begin);
    }
    m->worker[t].strayed = 0.0;
}

int md_list_build(struct md *m, int t)
{
    bool all = m->info.method == MD_ALL_PAIRS;
    /* rows differ in length, so the division of the last list is used if there is one */
    bool even = m->balanced != m->threads;
    struct md_worker *w = &m->worker[t];
    if (w->seconds > 0.0) {
        double v = w->done / w->seconds;
        w->speed = w->speed > 0.0 ? 0.5 * (w->speed + v) : v;
        w->seconds = w->done = 0.0;
    }
    size_t c0 = even ? md_share(m->nclusters, t, m->threads, 1) : m->row_from[t],
           c1 = even ? md_share(m->nclusters, t + 1, m->threads, 1) : m->row_from[t + 1];
    md_space_count(m, t);
    md_space_move(m, m->atom_from[t], m->atom_from[t + 1]);
    md_barrier(m);
    md_list_coarse(m, t);
    if (!all)
        w->failed = md_list_rows(m, w, c0, c1) != 0;
    md_barrier(m);
    if (t == 0) {
        md_space_turn(m);
        if ((all ? md_list_all(m) : md_list_room(m)) != 0)
            err_set(&m->info.err, ERR_MEMORY, "out of memory for a neighbour list of %zu atoms",
                    m->n);
        m->rows.list = m->info.method == MD_VERLET ? m->inner : m->list;
    }
    md_barrier(m);
    if (m->info.err.status != ERR_NONE)
        return -1;
    if (!all)
        md_list_gather(m, t, c0, c1);
    md_barrier(m);
    m->row_from[t] = md_list_share(m, t);
    if (t == 0) {
        m->row_from[m->threads] = m->nclusters;
        m->balanced = all ? 0 : m->threads;
    }
    md_barrier(m);
    md_list_segments(m, t);
    w->work = md_list_work(m, m->row_from[t + 1]) - md_list_work(m, m->row_from[t]);
    w->strayed = HUGE_VAL;
    w->away = 0.0;
    return 0;
}
