/* SPDX-License-Identifier: MIT */
/* waves_gpu.cu: implements waves_sum.h on CUDA devices, with pieces of atoms, tiles of waves, and
 * memory. */
#include <algorithm>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "waves/waves_gpu.h"
#include "waves/waves_sum.h"

#define PIECES 64                  /* approximate number of pieces per species of many atoms */
#define AT_ONCE ((size_t)32 << 20) /* bytes of waves that keep a device busy */
#define BUDGET (256 << 20)         /* bytes of tile sums and of positions at a time */

/* A device and its memory. */
struct side {
    struct waves_setup p;
    int device;
    struct waves_device d;
    size_t steps;                    /* number of steps at a time */
    size_t tiles, round;             /* number of tiles, and of tiles at a time */
    std::vector<uint32_t> first;     /* [tiles + 1] first place of each tile */
    std::vector<void *> once, again; /* device memory for the atoms, and for the waves */
    struct err err;
};

/* Task of the sides. If `w` is set, the sides take new vectors. Otherwise they sum steps. */
struct asked {
    const struct waves *w;
    size_t steps;
    const char *pos, *vel;
    const struct box *box;
    double *rho;
};

struct waves_sum {
    std::vector<side> sides;
    struct pool *pool; /* NULL for one device */
    struct asked at;
    struct err err;
};

/* Allocates device memory that lives as long as its owner, filled from a non-NULL source. Returns 0
 * or -1. */
static int hold(struct side *s, std::vector<void *> &owner, void *p, size_t bytes, const void *from,
                const char *what)
{
    if (gpu_alloc(&s->err, (void **)p, bytes, what))
        return -1;
    owner.push_back(*(void **)p);
    return from && bytes
               ? TRY(&s->err, cudaMemcpy(*(void **)p, from, bytes, cudaMemcpyHostToDevice))
               : 0;
}

static void drop(std::vector<void *> &owner)
{
    for (void *p : owner)
        cudaFree(p);
    owner.clear();
}

/* Sorts atoms by species and divides them into pieces, depending only on the atoms, so that sums
 * are reproducible. Returns 0 or -1. */
static int deal(struct side *s)
{
    uint32_t n = (uint32_t)s->p.natoms,
             length = ((n + PIECES - 1) / PIECES + WAVES_PIECE - 1) / WAVES_PIECE * WAVES_PIECE;
    std::vector<uint32_t> order, species;
    std::vector<waves_piece> piece;
    for (int a = 0; a < s->p.nspecies; a++) {
        uint32_t at = (uint32_t)order.size();
        species.push_back((uint32_t)piece.size());
        for (uint32_t i = 0; i < n; i++)
            if (s->p.species[i] == a)
                order.push_back(i);
        for (; at < order.size(); at += length)
            piece.push_back({at, std::min(length, (uint32_t)order.size() - at)});
    }
    species.push_back((uint32_t)piece.size());
    s->d.atoms = n;
    s->d.pieces = (uint32_t)piece.size();
    s->d.nspecies = (uint32_t)s->p.nspecies;
    s->d.kinds = s->p.velocities ? 4 : 1;
    s->d.shares = WAVES_SHARE + (s->p.velocities ? 3 : 0);
    return hold(s, s->once, &s->d.order, n * sizeof n, order.data(), "order of atoms") ||
                   hold(s, s->once, &s->d.piece, piece.size() * sizeof piece[0], piece.data(),
                        "pieces") ||
                   hold(s, s->once, &s->d.species, species.size() * sizeof species[0],
                        species.data(), "pieces")
               ? -1
               : 0;
}

/* Makes the rods and tiles of w on the host. */
struct plan {
    std::vector<int2> rod, tile;
    std::vector<waves_place> place;
};

/* Sorts rods by their highest |l|, so that whole tiles beyond this |l| are empty. */
static void place_waves(struct side *s, const struct waves *w, struct plan *plan)
{
    struct span {
        size_t v, end;
        int32_t top;
    };
    std::vector<span> rod;
    for (size_t v = 0; v < w->n; v++) {
        if (v == 0 || w->hkl[v][0] != w->hkl[v - 1][0] || w->hkl[v][1] != w->hkl[v - 1][1])
            rod.push_back({v, v, 0});
        rod.back().end = v + 1;
        rod.back().top = abs(w->hkl[v][2]);
    }
    std::stable_sort(rod.begin(), rod.end(),
                     [](const span &a, const span &b) { return a.top > b.top; });
    size_t rows = (rod.size() + WAVES_RODS - 1) / WAVES_RODS;
    plan->rod.assign(rows * WAVES_RODS, make_int2(0, 0));
    s->first.clear();
    for (size_t r = 0; r < rows; r++) {
        size_t begin = r * WAVES_RODS, end = std::min(begin + WAVES_RODS, rod.size());
        for (int32_t c = 0; c <= rod[begin].top / WAVES_COLUMNS; c++) {
            size_t before = plan->place.size();
            for (size_t k = begin; k < end; k++) {
                plan->rod[k] = make_int2(w->hkl[rod[k].v][0], w->hkl[rod[k].v][1]);
                for (size_t v = rod[k].v; v < rod[k].end; v++) {
                    int32_t l = w->hkl[v][2];
                    if (abs(l) / WAVES_COLUMNS == c)
                        plan->place.push_back({(uint32_t)plan->tile.size(), (uint32_t)(k - begin),
                                               (uint32_t)(abs(l) % WAVES_COLUMNS), l < 0,
                                               (uint32_t)v});
                }
            }
            if (plan->place.size() > before) {
                s->first.push_back((uint32_t)before);
                plan->tile.push_back(make_int2((int)r, c));
            }
        }
    }
    s->first.push_back((uint32_t)plan->place.size());
}

/* Chooses the steps and tiles at a time and allocates their memory. Returns 0 or -1. */
static int make_room(struct side *s, const struct waves *w)
{
    size_t real = s->p.dtype == FRAME_F32 ? 4 : 8, n = s->p.natoms;
    size_t tile = sizeof(double) * WAVES_TILE * s->d.pieces,
           atom = (s->p.velocities ? 6 : 3) * real + s->d.shares * sizeof(double),
           row = (size_t)s->p.nspecies * s->d.kinds * w->n * 2 * sizeof(double),
           step = n * atom + 9 * sizeof(double) + row;
    size_t budget = s->p.max_mem && s->p.max_mem / 4 < BUDGET ? s->p.max_mem / 4 : BUDGET;
    s->round = std::min(std::max(budget / tile, (size_t)1), std::min(s->tiles, (size_t)65535));
    s->steps = std::max(std::min(budget / tile / s->round, budget / step), (size_t)1);
    s->steps = std::min(s->steps, (size_t)65535);
    double need = (double)s->steps * ((double)step + (double)tile * (double)s->round) +
                  (double)w->n * sizeof(struct waves_place);
    if (err_over(&s->err, need, s->p.max_mem, "a smaller --qmax", "%zu wave vectors", w->n))
        return -1;
    return hold(s, s->again, &s->d.pos, s->steps * n * 3 * real, NULL, "positions") ||
                   hold(s, s->again, &s->d.inv, s->steps * 9 * sizeof(double), NULL, "cells") ||
                   hold(s, s->again, &s->d.share, s->steps * n * s->d.shares * sizeof(double), NULL,
                        "fractional coordinates") ||
                   hold(s, s->again, &s->d.part, s->steps * s->round * tile, NULL, "sums") ||
                   (s->p.velocities &&
                    hold(s, s->again, &s->d.vel, s->steps * n * 3 * real, NULL, "velocities")) ||
                   hold(s, s->again, &s->d.rho, s->steps * row, NULL, "waves")
               ? -1
               : 0;
}

/* Takes new vectors. Returns 0 or -1. */
static int take_waves(struct side *s, const struct waves *w)
{
    struct plan plan;
    drop(s->again);
    if (w->n > UINT32_MAX)
        return err_bad(&s->err, "expected fewer than 2^32 wave vectors, found %zu", w->n);
    place_waves(s, w, &plan);
    s->tiles = plan.tile.size();
    s->d.vectors = (uint32_t)w->n;
    if (make_room(s, w) != 0)
        return -1;
    for (size_t t = 0; t < s->tiles; t++) /* a round counts its tiles from 0 */
        for (uint32_t v = s->first[t]; v < s->first[t + 1]; v++)
            plan.place[v].tile = (uint32_t)(t % s->round);
    return hold(s, s->again, &s->d.rod, plan.rod.size() * sizeof(int2), plan.rod.data(), "rods") ||
                   hold(s, s->again, &s->d.tile, s->tiles * sizeof(int2), plan.tile.data(),
                        "tiles") ||
                   hold(s, s->again, &s->d.place, w->n * sizeof(struct waves_place),
                        plan.place.data(), "places")
               ? -1
               : 0;
}

/* Processes steps [from, to) of the task. Returns 0 or -1. */
static int take_steps(struct side *s, const struct asked *a, size_t from, size_t to)
{
    struct err *e = &s->err;
    size_t bytes = s->p.natoms * 3 * (s->p.dtype == FRAME_F32 ? 4 : 8),
           row = (size_t)s->p.nspecies * s->d.kinds * s->d.vectors * 2;
    std::vector<double> inv(9 * s->steps);
    for (size_t done = from, n; done < to; done += n) {
        n = std::min(s->steps, to - done);
        for (size_t k = 0; k < n; k++)
            memcpy(&inv[9 * k], a->box[done + k].inv, sizeof a->box->inv);
        if (TRY(e,
                cudaMemcpy(s->d.pos, a->pos + done * bytes, n * bytes, cudaMemcpyHostToDevice)) ||
            (s->p.velocities && TRY(e, cudaMemcpy(s->d.vel, a->vel + done * bytes, n * bytes,
                                                  cudaMemcpyHostToDevice))) ||
            TRY(e,
                cudaMemcpy(s->d.inv, inv.data(), 9 * n * sizeof(double), cudaMemcpyHostToDevice)) ||
            waves_gpu_share(e, &s->d, s->p.dtype == FRAME_F32, (uint32_t)n))
            return -1;
        for (size_t t = 0; t < s->tiles; t += s->round) {
            size_t end = std::min(t + s->round, s->tiles);
            for (uint32_t kind = 0; kind < s->d.kinds; kind++)
                if (waves_gpu_tiles(e, &s->d, kind, (uint32_t)n, (uint32_t)t, (uint32_t)(end - t),
                                    s->first[t], s->first[end]))
                    return -1;
        }
        if (TRY(e, cudaMemcpy(a->rho + done * row, s->d.rho, n * row * sizeof(double),
                              cudaMemcpyDeviceToHost)))
            return -1;
    }
    return 0;
}

static void ask(void *ctx, size_t k, int thread)
{
    struct waves_sum *all = (struct waves_sum *)ctx;
    struct side *s = &all->sides[k];
    const struct asked *a = &all->at;
    size_t n = all->sides.size(), share = (a->steps + n - 1) / n,
           from = std::min(k * share, a->steps), to = std::min(from + share, a->steps);
    (void)thread;
    if (TRY(&s->err, cudaSetDevice(s->device)) == 0)
        (void)(a->w ? take_waves(s, a->w) : take_steps(s, a, from, to));
}

static int ask_all(struct waves_sum *s, const struct asked *a)
{
    s->at = *a;
    pool_run(s->pool, ask, s, s->sides.size());
    for (const side &k : s->sides)
        if (k.err.status != ERR_NONE) {
            s->err = k.err;
            return -1;
        }
    return 0;
}

/* ---- the interface */

extern "C" size_t waves_sum_bytes(void)
{
    return AT_ONCE;
}

extern "C" struct waves_sum *waves_sum_open(const struct waves_setup *p, struct err *e)
{
    int id[GPU_MAX_DEVICES], n = gpu_probe(p->devices, id, e);
    if (n < 0)
        return NULL;
    struct waves_sum *s = new waves_sum();
    s->sides.resize((size_t)n);
    bool ok = n == 1 || (s->pool = pool_team(n));
    if (!ok)
        err_memory(e, "the threads of GPUs");
    for (size_t k = 0; ok && k < (size_t)n; k++) {
        struct side *one = &s->sides[k];
        one->p = *p;
        one->device = id[k];
        ok = TRY(&one->err, cudaSetDevice(id[k])) == 0 && deal(one) == 0;
        if (!ok)
            *e = one->err;
    }
    if (ok)
        return s;
    waves_sum_close(s);
    return NULL;
}

extern "C" int waves_sum_waves(struct waves_sum *s, const struct waves *w)
{
    struct asked a = {};
    a.w = w;
    return ask_all(s, &a);
}

extern "C" int waves_sum_steps(struct waves_sum *s, size_t nsteps, const void *pos, const void *vel,
                               const struct box *box, double *rho)
{
    struct asked a = {NULL, nsteps, (const char *)pos, (const char *)vel, box, rho};
    return ask_all(s, &a);
}

extern "C" const struct err *waves_sum_error(const struct waves_sum *s)
{
    return &s->err;
}

extern "C" void waves_sum_close(struct waves_sum *s)
{
    if (!s)
        return;
    for (side &k : s->sides) {
        cudaSetDevice(k.device);
        drop(k.again);
        drop(k.once);
    }
    pool_free(s->pool);
    delete s;
}
