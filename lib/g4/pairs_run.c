/* SPDX-License-Identifier: MIT */
#include "g4/pairs_run.h"

#include "base/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES                                                                                \
    ((size_t)1 << 20) /* of a PAIR frame: still in the cache when it is hashed and written */
#define TIME_TOL 1e-6 /* of a stride: further off, and the block gets its times written out */

struct pairs_run {
    struct pairs_choice choice;
    struct pairs p;
    double sigma, dt;
    struct pool *pool;
    size_t npairs, step_bytes; /* of the output */
    size_t cap;                /* steps of an output block */
    char *out;
    char *scratch;
    size_t scratch_bytes; /* of a thread: wrapped positions, and a step with slack behind it */
    const struct traj_block
        *b; /* what is being computed: steps from the first on; bad[s]: first bad pair i N + j */
    size_t first, *bad;
    struct box last;
    bool any_box;
    uint64_t seen;
    char err[FRAME_ERR_BYTES];
    int status;
};

static int sizes(struct pairs_run *r, uint64_t max_mem, char *err, size_t errlen)
{
    size_t n = r->p.natoms, es = r->p.dtype == FRAME_F64 ? 8 : 4, bytes;
    if (n < 2) {
        snprintf(err, errlen, "expected at least 2 atoms, found %zu", n);
        return 2;
    }
    r->npairs = n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);
    if (__builtin_mul_overflow(r->npairs, (size_t)r->p.ncomp * es, &r->step_bytes) ||
        r->step_bytes > SIZE_MAX / 8) {
        snprintf(err, errlen, "%zu atoms have too many pairs for this machine", n);
        return 3;
    }
    r->cap = r->step_bytes >= BLOCK_BYTES ? 1 : (BLOCK_BYTES - 1) / r->step_bytes + 1;
    r->scratch_bytes = pairs_scratch(n) * es + r->step_bytes + (PAIRS_SLACK + 16) * es;
    bytes = r->cap * r->step_bytes + (size_t)pool_threads(r->pool) * r->scratch_bytes;
    if (max_mem && bytes > max_mem) {
        snprintf(err, errlen, "%zu atoms need %.4g GB of memory, the limit (--max-mem) is %.4g GB",
                 n, 1e-9 * (double)bytes, 1e-9 * (double)max_mem);
        return 3;
    }
    r->out = malloc(r->cap * r->step_bytes);
    r->scratch = malloc((size_t)pool_threads(r->pool) * r->scratch_bytes);
    r->bad = calloc(r->cap, sizeof *r->bad);
    if (r->out && r->scratch && r->bad)
        return 0;
    snprintf(err, errlen, "out of memory for %zu pairs", r->npairs);
    return 3;
}

struct pairs_run *pairs_run_open(const struct pairs_choice *c, int dtype,
                                 const struct traj_info *info, int threads, uint64_t max_mem,
                                 int *status, char *err, size_t errlen)
{
    struct pairs_run *r = calloc(1, sizeof *r);
    *status = 3;
    if (!r) {
        snprintf(err, errlen, "out of memory");
        return NULL;
    }
    r->choice = *c;
    r->dt = info->dt_ps;
    r->pool = pool_new(threads);
    if (!r->pool) {
        snprintf(err, errlen, "out of memory");
        pairs_run_close(r);
        return NULL;
    }
    *status = pairs_choose(c, info, &r->p, &r->sigma, err, errlen) ? 2 : 0;
    if (dtype >= 0)
        r->p.dtype = dtype ? FRAME_F64 : FRAME_F32;
    if (!*status)
        *status = sizes(r, max_mem, err, errlen);
    if (!*status)
        return r;
    pairs_run_close(r);
    return NULL;
}

int pairs_run_meta(const struct pairs_run *r, struct meta *m)
{
    int bad = pairs_describe(&r->choice, &r->p, r->sigma, m);
    bad |= meta_set(m, "data.quantity", "pair-anisotropy") | meta_set(m, "data.unit", "1");
    return bad |
           meta_set(
               m, "data.convention",
               "beta of unordered pairs i<j, row by row; prefactor sigma^3 q(r)/r^5 with "
               "q = xz, xy, yz, (xx-yy)/2, (2zz-xx-yy)/(2 sqrt 3); r = r_i - r_j, nearest image");
}

/* Step s of the block in work into out. */
static void compute_step(void *ctx, size_t s, int thread)
{
    struct pairs_run *r = ctx;
    size_t in = 3 * r->p.natoms * (r->p.source == FRAME_F64 ? 8 : 4),
           es = r->p.dtype == FRAME_F64 ? 8 : 4, i = 0, j = 0;
    char *mine = r->scratch + (size_t)thread * r->scratch_bytes,
         *table = mine + pairs_scratch(r->p.natoms) * es;
    size_t at = r->first + s;
    int rc =
        pairs_step(&r->p, &r->b->box[at], (const char *)r->b->data + at * in, mine, table, &i, &j);
    memcpy(r->out + s * r->step_bytes, table, r->step_bytes);
    r->bad[s] = rc ? i * r->p.natoms + j : 0;
}

/* Steps [first, first + n) of b into out. */
static int compute(struct pairs_run *r, const struct traj_block *b, size_t first, size_t n)
{
    r->b = b;
    r->first = first;
    pool_run(r->pool, compute_step, r, n);
    for (size_t s = 0; s < n; s++)
        if (r->bad[s]) {
            snprintf(r->err, sizeof r->err,
                     "frame %llu: atoms %zu and %zu (from 0) are at the same place",
                     (unsigned long long)(r->seen + s), r->bad[s] / r->p.natoms,
                     r->bad[s] % r->p.natoms);
            r->status = 2;
            return -1;
        }
    return 0;
}

static int check_boxes(struct pairs_run *r, const struct traj_block *b)
{
    char why[512];
    for (size_t s = 0; s < b->nsteps; s++) {
        if (r->any_box && memcmp(&r->last, &b->box[s], sizeof r->last) == 0)
            continue;
        if (pairs_check_box(&b->box[s], r->p.rc2, why, sizeof why)) {
            snprintf(r->err, sizeof r->err, "frame %llu: %s", (unsigned long long)(r->seen + s),
                     why);
            r->status = 2;
            return -1;
        }
        r->last = b->box[s];
        r->any_box = true;
    }
    return 0;
}

/* Times of n steps are no plain stride from the first on: they must be written. */
static bool needs_times(const struct pairs_run *r, const double *t, size_t n)
{
    for (size_t k = 1; k < n; k++) {
        double want = t[0] + (double)k * r->dt;
        if (!(isnan(t[k]) && isnan(want)) && !(fabs(t[k] - want) <= TIME_TOL * r->dt))
            return true;
    }
    return false;
}

static int put(struct pairs_run *r, const struct traj_block *b, size_t first, size_t n,
               struct frame_writer *w)
{
    const double *t = b->time + first;
    struct frame_desc d = {.type = FRAME_PAIR,
                           .dtype = r->p.dtype,
                           .ndim = 3,
                           .index = b->index + first,
                           .time = t[0],
                           .dims = {n, (uint64_t)r->p.ncomp, r->npairs},
                           .flags = FRAME_CRITICAL};
    struct frame_desc time = {.type = FRAME_TIME,
                              .dtype = FRAME_F64,
                              .ndim = 1,
                              .dims = {n},
                              .index = d.index,
                              .time = t[0],
                              .flags = FRAME_CRITICAL};
    if ((needs_times(r, t, n) && frame_put(w, &time, t)) || frame_put(w, &d, r->out)) {
        snprintf(r->err, sizeof r->err, "%s", frame_writer_error(w)->text);
        r->status = 3;
        return -1;
    }
    return 0;
}

int pairs_run_add(struct pairs_run *r, const struct traj_block *b, struct frame_writer *w)
{
    if (check_boxes(r, b))
        return -1;
    for (size_t s = 0; s < b->nsteps; s += r->cap) {
        size_t n = b->nsteps - s < r->cap ? b->nsteps - s : r->cap;
        if (compute(r, b, s, n) || put(r, b, s, n, w))
            return -1;
        r->seen += n;
    }
    return 0;
}

const char *pairs_run_error(const struct pairs_run *r)
{
    return r->err;
}

int pairs_run_status(const struct pairs_run *r)
{
    return r->status;
}

void pairs_run_close(struct pairs_run *r)
{
    if (!r)
        return;
    free(r->out);
    free(r->scratch);
    free(r->bad);
    pool_free(r->pool);
    free(r);
}
