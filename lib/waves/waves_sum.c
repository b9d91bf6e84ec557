/* SPDX-License-Identifier: MIT */
/* waves_sum.c: distributes pieces of atoms over threads and sums their density waves in order. */
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/real.h"
#include "waves/waves_sum.h"
#include "waves/waves_tile.h"

#define ADD_CHUNK 4096 /* numbers that a thread sums at a time */

/* Up to WAVES_PIECE atoms of one species. */
struct piece {
    size_t species, first, atoms;
};

struct waves_sum {
    struct waves_setup p;
    uint32_t *order; /* [natoms] by species, otherwise in input order */
    struct piece *piece;
    size_t npieces, round; /* round: pieces processed together */
    struct pool *pool;
    struct waves_tile *tile; /* [threads] scratch memory */
    double *part;            /* [round][kinds][w->n][2] */
    size_t kinds;            /* 1, or 4 with velocities */
    const struct waves *w;
    struct waves_powers powers[3];
    void (*sum)(const struct waves_tile *t);
    struct err err;
};

/* Sorts the atoms by species and divides them into pieces. Returns 0 or -1. */
static int deal(struct waves_sum *s, const unsigned char *species)
{
    size_t n = s->p.natoms, at = 0;
    s->order = malloc((n + 1) * sizeof *s->order);
    s->piece = calloc(n / WAVES_PIECE + (size_t)s->p.nspecies + 1, sizeof *s->piece);
    if (!s->order || !s->piece)
        return -1;
    for (int a = 0; a < s->p.nspecies; a++) {
        size_t first = at;
        for (size_t i = 0; i < n; i++)
            if (species[i] == a)
                s->order[at++] = (uint32_t)i;
        for (; first < at; first += WAVES_PIECE)
            s->piece[s->npieces++] = (struct piece){
                (size_t)a, first, at - first < WAVES_PIECE ? at - first : WAVES_PIECE};
    }
    return 0;
}

size_t waves_sum_bytes(void)
{
    return 1u << 20; /* fits into the cache */
}

struct waves_sum *waves_sum_open(const struct waves_setup *p, struct err *e)
{
    struct waves_sum *s = calloc(1, sizeof *s);
    if (s) {
        s->p = *p;
        s->kinds = p->velocities ? 4 : 1;
        s->pool = pool_new(p->threads > 0 ? p->threads : 1);
        s->round = 32 > 4 * pool_threads(s->pool) ? 32 : 4 * (size_t)pool_threads(s->pool);
        s->tile = calloc((size_t)pool_threads(s->pool), sizeof *s->tile);
        s->sum = SIMD_PICK(waves_tile);
    }
    if (s && s->tile && deal(s, p->species) == 0)
        return s;
    err_memory(e, "density waves");
    waves_sum_close(s);
    return NULL;
}

static void free_scratch(struct waves_sum *s)
{
    for (int k = 0; s->tile && k < pool_threads(s->pool); k++) {
        free(s->tile[k].s);
        s->tile[k].s = NULL;
    }
    free(s->part);
    s->part = NULL;
    for (int a = 0; a < 3; a++) {
        free(s->powers[a].power);
        free(s->powers[a].at);
        s->powers[a] = (struct waves_powers){0};
    }
}

/* Power p is the product of the powers of its two halves. Along the short axes of a long cell, the
 * waves need only a few powers, and the powers from which these are computed. Returns 0 or -1. */
static int choose_powers(struct waves_powers *p, const struct waves *w, int axis)
{
    size_t capacity = (size_t)w->highest[axis] + 1;
    p->at = malloc(capacity * sizeof *p->at);
    if (!p->at)
        return -1;
    memset(p->at, 0, capacity * sizeof *p->at);
    for (size_t v = 0; v < w->n; v++)
        p->at[abs(w->hkl[v][axis])] = 1;
    p->at[0] = p->n = 1;
    for (size_t k = capacity - 1; k > 0; k--)
        if (p->at[k]) {
            p->at[k / 2] = p->at[k - k / 2] = 1;
            p->n++;
        }
    p->power = malloc(p->n * sizeof *p->power);
    if (!p->power)
        return -1;
    int32_t n = 0;
    for (size_t k = 0; k < capacity; k++)
        if (p->at[k]) {
            p->power[n] = (int32_t)k;
            p->at[k] = n++;
        }
    return 0;
}

int waves_sum_waves(struct waves_sum *s, const struct waves *w)
{
    size_t threads = (size_t)pool_threads(s->pool), rows = 3 + 4 + 3;
    free_scratch(s);
    for (int a = 0; a < 3; a++) {
        if (choose_powers(&s->powers[a], w, a) != 0)
            return err_memory(&s->err, "wave vectors");
        rows += 2 * s->powers[a].n;
    }
    double need = 16.0 * (double)s->round * (double)(s->kinds * w->n) +
                  8.0 * WAVES_PIECE * (double)rows * (double)threads + 4.0 * (double)s->p.natoms;
    if (err_over(&s->err, need, s->p.max_mem, "a smaller --qmax", "%zu wave vectors", w->n))
        return -1;
    s->w = w;
    s->part = malloc((s->round * s->kinds * w->n + 1) * 2 * sizeof *s->part);
    bool ok = s->part != NULL;
    for (size_t k = 0; k < threads; k++) {
        struct waves_tile *t = &s->tile[k];
        double(*row)[WAVES_PIECE] = aligned_alloc(64, rows * sizeof *row);
        ok &= row != NULL;
        t->s = row;
        t->w = w;
        t->p = s->powers;
        if (!row)
            continue;
        t->xy = row + 3;
        t->by = row + 7;
        t->kinds = s->kinds;
        row += 10;
        for (int a = 0; a < 3; a++) {
            t->e[a] = row;
            row += 2 * s->powers[a].n;
        }
    }
    return ok ? 0 : err_memory(&s->err, "wave vectors");
}

struct sum_job {
    struct waves_sum *s;
    const void *pos, *vel;
    const struct box *box;
    double *rho;
    size_t first, items; /* items of this round: item = step * npieces + piece */
};

static void piece_task(void *ctx, size_t k, int thread)
{
    const struct sum_job *j = ctx;
    struct waves_sum *s = j->s;
    struct waves_tile *t = &s->tile[thread];
    size_t item = j->first + k, step = item / s->npieces;
    const struct piece *p = &s->piece[item % s->npieces];
    const double(*inv)[3] = j->box[step].inv;
    bool f64 = s->p.dtype == FRAME_F64;
    double r[3];
    t->atoms = p->atoms;
    for (size_t i = 0; i < p->atoms; i++) {
        size_t at = 3 * (step * s->p.natoms + s->order[p->first + i]);
        real_vector(j->pos, f64, at / 3, r);
        for (int a = 0; a < 3; a++)
            t->s[a][i] = r[0] * inv[0][a] + r[1] * inv[1][a] + r[2] * inv[2][a];
        for (size_t m = 1; m < s->kinds; m++)
            t->by[m - 1][i] = real_at(j->vel, f64, at + m - 1);
    }
    for (size_t i = p->atoms; i < WAVES_PIECE; i++) /* phases are 0, and weights must not be NaN */
        for (size_t m = 1; m < s->kinds; m++)
            t->by[m - 1][i] = 0.0;
    t->rho = s->part + 2 * k * s->kinds * s->w->n;
    s->sum(t);
}

static void add_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct sum_job *j = ctx;
    const struct waves_sum *s = j->s;
    size_t row = 2 * s->kinds * s->w->n;
    (void)thread;
    for (size_t k = 0; k < j->items; k++) {
        size_t item = j->first + k, step = item / s->npieces;
        const double *part = s->part + k * row;
        double *rho =
            j->rho + (step * (size_t)s->p.nspecies + s->piece[item % s->npieces].species) * row;
        for (size_t v = from; v < to; v++)
            rho[v] += part[v];
    }
}

int waves_sum_steps(struct waves_sum *s, size_t nsteps, const void *pos, const void *vel,
                    const struct box *box, double *rho)
{
    struct sum_job j = {.s = s, .pos = pos, .vel = vel, .box = box, .rho = rho};
    size_t items = nsteps * s->npieces, row = 2 * s->kinds * s->w->n;
    memset(rho, 0, nsteps * (size_t)s->p.nspecies * row * sizeof *rho);
    for (; j.first < items; j.first += j.items) {
        j.items = items - j.first < s->round ? items - j.first : s->round;
        pool_run(s->pool, piece_task, &j, j.items);
        pool_pieces(s->pool, add_task, &j, row, ADD_CHUNK);
    }
    return 0;
}

const struct err *waves_sum_error(const struct waves_sum *s)
{
    return &s->err;
}

void waves_sum_close(struct waves_sum *s)
{
    if (!s)
        return;
    free_scratch(s);
    free(s->tile);
    free(s->order);
    free(s->piece);
    pool_free(s->pool);
    free(s);
}
