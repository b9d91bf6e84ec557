/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md/md_plan.h"

#define MARGIN (1.0 + 1e-6) /* of the list radius, for rounding of f32 distances and cell edges */

const struct brick_args *brick_args_of(const struct md *m)
{
    return &m->brick->args;
}

void md_brick_close(struct md_brick *b)
{
    if (!b)
        return;
    for (int k = 0; k < b->nowned; k++)
        cudaFree(b->owned[k]);
    free(b);
}

/* Chooses cells at least half a list radius wide. In a dilute gas, cells are wider, so that there
 * are at most about as many cells as atoms. */
static void plan_cells(const struct md *m, struct md_brick *b)
{
    struct brick_plan *p = &b->args.plan;
    double rl = (m->p.cutoff + b->skin) * MARGIN, edge = 0.5 * rl, volume = 1.0;
    for (int k = 0; k < 3; k++)
        volume *= m->p.box[k];
    edge = fmax(edge, cbrt(volume / (2.0 * (double)m->p.natoms + 64.0)));
    p->ncells = 1;
    for (int k = 0; k < 3; k++) {
        double n = floor(m->p.box[k] / edge);
        p->nc[k] = n < 1.0 ? 1 : n > 1023.0 ? 1023 : (int)n;
        bool whole = p->nc[k] < 5;
        p->halo[k] = whole ? 0 : 2;
        p->nb[k] = 1;
        p->ncells *= p->nc[k];
    }
}

struct cut {
    double own, staged; /* largest number of cells of a brick, without and with its surroundings */
    int nb[3];
};

static struct cut cut_of(const struct brick_plan *p, int x, int y, int z)
{
    struct cut c = {1.0, 1.0, {x, y, z}};
    for (int k = 0; k < 3; k++) {
        int n = (p->nc[k] + c.nb[k] - 1) / c.nb[k];
        c.own *= n;
        c.staged *= n + 2 * p->halo[k];
    }
    return c;
}

/* Returns the capacity for n atoms expected on average. */
static int room_for(double n, double more)
{
    return (int)ceil((n + 5.0 * sqrt(n) + 16.0) * more);
}

/* A dense fluid fills bricks evenly. (In cubes of 33 atoms, the standard deviation was 2.8 atoms,
 * and the largest number in 125 cubes over 3000 steps was 40.) The capacity can therefore be small,
 * because md_brick_grow handles overflows. */
static bool dense(const struct md *m)
{
    double volume = m->p.box[0] * m->p.box[1] * m->p.box[2];
    return (double)m->p.natoms * m->p.sigma * m->p.sigma * m->p.sigma > 0.6 * volume;
}

static double even_room(double n, double more)
{
    return ceil((1.05 * n + 2.0 * sqrt(n) + 2.0) * more);
}

/* Returns the threads per atom in the kernel with one brick per block, if n atoms are expected. */
static int single_lanes(const struct md *m, double n, double more, int capacity)
{
    double need = dense(m) ? even_room(n, more) : capacity;
    int lanes = 32;
    while (lanes > 1 && fmin(need, capacity) * lanes > SINGLE_THREADS)
        lanes /= 2;
    return lanes;
}

/* Returns the entries per lane, where a single lane also finds its own atom. */
static int entries_room(const struct md *m, const struct md_brick *b, int lanes)
{
    double rl = m->p.cutoff + b->skin, volume = m->p.box[0] * m->p.box[1] * m->p.box[2];
    double n = 4.18879 * rl * rl * rl * (double)m->p.natoms / volume;
    double capacity = (1.12 * n + 12.0) / lanes + (lanes > 1 ? 3.0 : 1.0);
    return (int)ceil(fmin(capacity * b->more_list, (double)m->p.natoms));
}

/* Chooses lanes, threads and the capacity for atoms of a brick in the kernel with one brick per
 * block. On entry, the capacity allows any fluctuation. The expected number of atoms is `own`. */
static void plan_single(const struct md *m, const struct md_brick *b, struct brick_plan *p,
                        double own)
{
    p->lanes = single_lanes(m, own, b->more_own, p->own_cap);
    int max = p->lanes > 1 ? SINGLE_THREADS : p->resident ? SINGLE_FEW : SINGLE_MANY;
    if (p->lanes > 1 || own * 1.02 * b->more_own <= max)
        p->own_cap = p->own_cap < max / p->lanes ? p->own_cap : max / p->lanes;
    int block = p->lanes > 1 ? 32 : 128; /* see single_place() */
    p->threads = (p->own_cap * p->lanes + block - 1) / block * block;
    p->threads = p->threads < max ? p->threads : max; /* no more threads than there is work for */
    p->warps_cap = p->threads / 32;
}

/* Computes sizes of a division, for the kernel with one brick per block or the general kernel.
 * Returns 0 if it does not fit. */
static int plan_sizes(const struct md *m, const struct md_brick *b, struct brick_plan *p,
                      const struct cut *c, int single, int resident)
{
    double dens = (double)m->p.natoms / p->ncells, own = c->own * dens;
    int nmax = (int)m->p.natoms;
    p->single = single;
    p->resident = resident;
    p->own_cap = room_for(own, b->more_own);
    p->own_cap = p->own_cap < nmax ? p->own_cap : nmax;
    p->staged_cap = room_for(c->staged * dens, b->more_staged);
    p->hcell_cap = (int)c->staged;
    p->nbricks = c->nb[0] * c->nb[1] * c->nb[2];
    p->blocks = p->nbricks < m->sms ? p->nbricks : m->sms;
    p->rounds = (p->nbricks + p->blocks - 1) / p->blocks;
    if (single) {
        plan_single(m, b, p, own);
    } else {
        p->threads = BRICK_THREADS;
        for (p->lanes = 32; p->lanes > 1 && p->own_cap * p->lanes > p->threads;)
            p->lanes /= 2;
        p->warps_cap = (p->own_cap * p->lanes + 31) / 32;
    }
    p->words_cap = (entries_room(m, b, p->lanes) + 1) / 2;
    p->local = p->ncells <= LOCAL_CELLS;
    p->shared = (size_t)(p->staged_cap + BRICK_BEYOND) * b->pos_bytes +
                ((size_t)p->hcell_cap + 1) * sizeof(int) +
                (p->local ? ((size_t)p->ncells + 1) * sizeof(int) : 0) +
                (p->resident ? (size_t)p->warps_cap * p->words_cap * 128 : 0);
    if (single && (p->mode != BRICK_LIST || p->rounds > 1 || p->own_cap * p->lanes > p->threads))
        return 0;
    return c->staged < 32000.0 && p->staged_cap < 65536 && p->shared <= b->shared_max &&
           (!resident || p->mode == BRICK_LIST);
}

/* Estimates the cycles of a step on one multiprocessor, of which only the ranking matters. In the
 * general kernel, the last pass over the atoms of a brick takes its full latency even for a few
 * atoms, and each brick takes the latency of staging. */
static double plan_cost(const struct md *m, const struct brick_plan *p, const struct cut *c)
{
    double dens = (double)m->p.natoms / p->ncells, own = c->own * dens;
    double passes = own * p->lanes / p->threads, full = floor(passes), last = passes - full;
    double work = own * 30.0 + ceil(passes) * 1200.0 + 1000.0;
    if (!p->single)
        work =
            p->threads / p->lanes * 30.0 * (full + (last > 0.0 ? fmax(last, 0.4) : 0.0)) + 4000.0;
    double brick = work + c->staged * dens * 0.8 + (p->resident ? 0.0 : own * 3.0) +
                   own * dens * 2.5; /* search through 125 cells, once in eleven steps */
    return p->rounds * brick * (p->single ? 1.0 : 1.3);
}

/* Makes cells slightly wider than necessary, so that every brick has the same number of cells. */
static struct brick_plan plan_even(const struct brick_plan *given, const int nb[3])
{
    struct brick_plan p = *given;
    p.ncells = 1;
    for (int k = 0; k < 3; k++) {
        int n = p.nc[k] / nb[k] * nb[k];
        p.nc[k] = p.halo[k] && n >= 5 ? n : p.nc[k];
        p.ncells *= p.nc[k];
    }
    return p;
}

/* Finds the best division into bricks by trying all sensible ones. Returns 0 or -1. */
static int plan_bricks(struct md *m, struct md_brick *b)
{
    struct brick_plan best = b->args.plan;
    double cost = HUGE_VAL;
    int max[3];
    for (int k = 0; k < 3; k++) {
        max[k] = b->args.plan.halo[k] ? b->args.plan.nc[k] : 1;
        max[k] = max[k] < 64 ? max[k] : 64;
    }
    for (int z = 1; z <= max[2]; z++)
        for (int y = 1; y <= max[1]; y++)
            for (int x = 1; x <= max[0]; x++)
                for (int kind = 0; kind < 8; kind++) {
                    const int nb[3] = {x, y, z};
                    struct brick_plan p = kind & 4 ? plan_even(&b->args.plan, nb) : b->args.plan;
                    struct cut c = cut_of(&p, x, y, z);
                    if (!plan_sizes(m, b, &p, &c, kind & 1, kind >> 1 & 1))
                        continue;
                    double now = plan_cost(m, &p, &c);
                    if (now < cost) {
                        cost = now;
                        best = p;
                        memcpy(best.nb, c.nb, sizeof best.nb);
                    }
                }
    if (!(cost < HUGE_VAL))
        return err_set(&m->info.err, ERR_MEMORY,
                       "no division of %d x %d x %d cells into bricks fits into the %zu bytes of "
                       "shared memory of a block",
                       best.nc[0], best.nc[1], best.nc[2], b->shared_max);
    b->args.plan = best;
    return 0;
}

static void plan_all_pairs(struct md *m, struct md_brick *b)
{
    struct brick_plan *p = &b->args.plan;
    size_t n = m->p.natoms;
    for (p->lanes = 32;
         p->lanes > 1 && (n * p->lanes + BRICK_THREADS - 1) / BRICK_THREADS > (size_t)m->sms;
         p->lanes /= 2)
        ;
    p->own_cap = BRICK_THREADS / p->lanes;
    p->nbricks = (int)((n + p->own_cap - 1) / p->own_cap);
    p->blocks = p->nbricks < m->sms ? p->nbricks : m->sms;
    p->rounds = (p->nbricks + p->blocks - 1) / p->blocks;
    p->staged_cap = 2048;
    p->threads = BRICK_THREADS;
    p->ncells = 1;
    p->shared = p->staged_cap * b->pos_bytes + 16;
}

static int own(struct md *m, void **p, size_t count, size_t size)
{
    struct md_brick *b = m->brick;
    size_t bytes = gpu_mul(count, size);
    if (md_take(m, p, bytes, "atoms, bricks and lists"))
        return -1;
    b->bytes = gpu_add(b->bytes, bytes);
    b->owned[b->nowned++] = *p;
    return 0;
}

static int plan_memory(struct md *m)
{
    struct md_brick *b = m->brick;
    struct brick_memory *e = &b->args.mem;
    const struct brick_plan *p = &b->args.plan;
    size_t n = m->p.natoms, nb = p->mode == BRICK_ALL ? 0 : (size_t)p->nbricks;
    for (; b->nowned > 0; b->nowned--)
        cudaFree(b->owned[b->nowned - 1]);
    m->bytes -= b->bytes;
    b->bytes = 0;
    for (int k = 0; k < 2; k++)
        if (own(m, &e->pos[k], n, b->pos_bytes) || own(m, (void **)&e->r[k], 3 * n, 8) ||
            own(m, (void **)&e->v[k], 3 * n, 8))
            return -1;
    if (own(m, &e->ref, n, b->pos_bytes) || own(m, (void **)&e->f, m->p.tau > 0.0 ? 3 * n : 0, 8) ||
        own(m, (void **)&e->count, (size_t)p->ncells, 4) ||
        own(m, (void **)&e->start, (size_t)p->ncells + 1, 4) ||
        own(m, (void **)&e->sums, (size_t)p->blocks, 4) || own(m, (void **)&e->where, n, 8) ||
        own(m, (void **)&e->map, gpu_mul(nb, (size_t)p->staged_cap), 4) ||
        own(m, (void **)&e->own, gpu_mul(nb, (size_t)p->own_cap), 2) ||
        own(m, (void **)&e->cells, gpu_mul(nb, (size_t)p->hcell_cap + 1), 2) ||
        own(m, (void **)&e->words, gpu_mul(nb, (size_t)p->warps_cap), 2) ||
        own(m, (void **)&e->info, nb, 16) || own(m, (void **)&e->turns, 65, 8))
        return -1;
    if (p->mode == BRICK_LIST && !(p->single && p->resident) &&
        own(m, (void **)&e->lists, gpu_mul(nb * (size_t)p->warps_cap, (size_t)p->words_cap), 128))
        return -1;
    e->v2 = (long long *)(e->turns + 48);
    e->held = (int *)(e->turns + 64);
    b->held = false;
    return 0;
}

/* Plans with the requested capacity and allocates memory. Returns 0 or -1. */
static int plan_make(struct md *m)
{
    struct md_brick *b = m->brick;
    struct brick_plan *p = &b->args.plan;
    double s = m->job.fixed.pos_scale[0], rl = (m->p.cutoff + b->skin) * s * MARGIN;
    memset(p, 0, sizeof *p);
    p->mode = m->info.method == MD_CELLS       ? BRICK_CELLS
              : m->info.method == MD_ALL_PAIRS ? BRICK_ALL
                                               : BRICK_LIST;
    p->list_r2 = (float)(rl * rl);
    p->move_r2 = (float)(0.25 * b->skin * b->skin * s * s * (1.0 - 1e-5));
    if (p->mode == BRICK_ALL) {
        plan_all_pairs(m, b);
    } else {
        plan_cells(m, b);
        if (plan_bricks(m, b))
            return -1;
    }
    return plan_memory(m);
}

/* A wider skin means more pairs, and a narrower skin more builds of lists. The best skin is
 * proportional to the square root of the move per step. At 0.0042 sigma per step, it was 0.6 to 0.8
 * sigma if waits dominate the step, and 0.3 to 0.4 sigma if pairs do. */
static double default_skin(const struct md_params *p)
{
    double move = sqrt(p->kb * p->temperature / (p->mass * p->mvv2e)) * p->dt / p->sigma;
    double best = p->natoms < 16384 ? 0.8 : 0.33;
    return p->sigma * fmin(fmax(best * sqrt(move / 0.0042), 0.1), 1.0);
}

int md_brick_open(struct md *m)
{
    int shared = 0, coop = 0;
    if (TRY(&m->info.err,
            cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, m->device)) ||
        TRY(&m->info.err, cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, m->device)))
        return -1;
    if (!coop)
        return err_set(&m->info.err, ERR_MACHINE,
                       "this GPU cannot run one kernel on all its multiprocessors at once "
                       "(cooperative launch)");
    struct md_brick *b = m->brick = (struct md_brick *)calloc(1, sizeof *b);
    if (!b)
        return err_set(&m->info.err, ERR_MEMORY, "out of memory");
    b->skin = isnan(m->p.skin) ? default_skin(&m->p) : m->p.skin;
    b->more_staged = b->more_own = b->more_list = 1.0;
    b->patience = 400;
    b->pos_bytes = m->p.precision == MD_DOUBLE ? 32 : 16;
    b->shared_max = (size_t)shared - 1024; /* scans and flags are static */
    m->info.skin = b->skin;
    return plan_make(m);
}

int md_brick_grow(struct md *m, const struct md_trouble *t)
{
    struct md_brick *b = m->brick;
    const struct brick_plan *p = &b->args.plan;
    b->calm = 0;
    if ((int)t->staged > p->staged_cap)
        b->more_staged *= 1.1 * t->staged / p->staged_cap;
    if ((int)t->own > p->own_cap)
        b->more_own *= 1.1 * t->own / p->own_cap;
    if (t->neighbours)
        b->more_list *= fmax(1.05, 1.1 * t->neighbours / (p->words_cap * 2.0 * p->lanes));
    return plan_make(m);
}

/* A lattice fills bricks less evenly than the fluid after melting. A system that does not fit at
 * the start may therefore fit later with one brick per block. */
int md_brick_calm(struct md *m, uint64_t nsteps)
{
    struct md_brick *b = m->brick;
    b->calm += nsteps;
    if (b->args.plan.mode != BRICK_LIST || b->calm < b->patience ||
        (b->more_own == 1.0 && b->more_staged == 1.0 && b->more_list == 1.0) ||
        m->p.natoms > (size_t)m->sms * SINGLE_MANY)
        return 0;
    b->patience *= 8;
    b->calm = 0;
    b->more_staged = b->more_own = b->more_list = 1.0;
    return plan_make(m);
}
