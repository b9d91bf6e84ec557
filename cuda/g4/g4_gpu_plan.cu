/* SPDX-License-Identifier: MIT */
/* Plan of a run: how the trajectory is cut, and the sizes that follow. */
#include "g4/g4_gpu.h"

#include <cstring>

static size_t pow2_floor(size_t v)
{
    size_t p = 1;
    while (p * 2 <= v)
        p *= 2;
    return p;
}

static size_t clamp(size_t v, size_t lo, size_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

enum gram_source plan_source(const struct g4_params *p)
{
    if (p->input == FRAME_POSN)
        return p->dtype == FRAME_F64 ? GRAM_POSN_F64 : GRAM_POSN_F32;
    return p->dtype == FRAME_F64 ? GRAM_PAIR_F64 : GRAM_PAIR_F32;
}

/* Origins of a chunk: from the sizes only, because the result may not depend on the machine. */
static size_t span_of(const struct g4_params *p, size_t npairs)
{
    size_t span =
        p->method == G4_DIRECT ? 1024
        : p->input == FRAME_POSN
            ? clamp(pow2_floor(((size_t)1 << 21) / p->natoms + 1), 2048, 16384)
            : clamp(pow2_floor(((size_t)1 << 24) / (npairs * (size_t)p->ncomp) + 1), 64, 4096);
    while (span < p->lags)
        span *= 2;
    return span;
}

/* Bytes of one slot, in the order of slot_open. */
static void plan_bytes(const struct g4_params *p, struct g4_plan *q)
{
    size_t real = q->is64 ? 8 : 4, raw = gpu_mul(q->window, q->step_bytes);
    size_t pos = p->input == FRAME_POSN ? gpu_mul(gpu_mul(q->rows, q->ld), 4 * real) : 0;
    size_t a = gpu_mul(q->a_doubles, sizeof(double)), table = gpu_mul(q->table_values, real);
    size_t box = gpu_mul(q->ld, sizeof(struct box) + sizeof(struct box_f32));
    size_t task = gpu_mul(q->max_tasks, sizeof(struct g4_task)),
           out = gpu_mul(q->out_doubles, sizeof(double));
    q->host_bytes = gpu_add(gpu_add(raw, box), gpu_add(task, out));
    q->device_bytes =
        gpu_add(gpu_add(gpu_add(raw, pos), gpu_add(gpu_add(a, box), table)),
                gpu_add(gpu_add(task, out),
                        gpu_mul(gpu_add(q->part_doubles, q->asum_doubles), sizeof(double))));
}

/*
 * Each piece costs some hundred steps more than it has. Chunks follow one another, so the pieces of
 * a full one are as long as will do for all multiprocessors of a large device (a constant, because
 * the result may not depend on the one at hand); in the last one they get shorter, half of what is
 * left at a time, so that all multiprocessors end together.
 */
size_t plan_piece(const struct g4_plan *q, size_t norigins, size_t left)
{
    size_t share = ((norigins < q->span ? left : norigins) * q->tiles / (2 * 132) + 31) / 32 * 32;
    size_t piece = clamp(share, q->min_piece, q->max_piece);
    return piece < left ? piece : left;
}

/*
 * Tasks of a chunk at most: one a piece and one more for each sub-block boundary; 64 sub-blocks a
 * block at most.
 */
static void plan_tasks(const struct g4_params *p, struct g4_plan *q, size_t tiles, size_t min_piece,
                       size_t max_piece)
{
    size_t cuts = p->blocks > 1 ? clamp(gpu_add(stats_blocks_most(p->blocks), 1), 1, q->span) : 0,
           n = 1;
    q->tiles = tiles;
    q->min_piece = min_piece;
    q->max_piece = max_piece;
    for (size_t left = q->span - 1; left; left -= plan_piece(q, q->span - 1, left))
        n++;
    q->max_tasks = clamp(n + cuts, 1, q->span);
}

size_t plan_slots(const struct g4_params *p, const struct g4_plan *q)
{
    size_t rows = p->input == FRAME_POSN ? p->natoms : q->npairs;
    return q->runs ? runs_slots(plan_source(p), rows) : gram_slots(plan_source(p), rows, q->group);
}

static void plan_factored(const struct g4_params *p, struct g4_plan *q)
{
    size_t tile = gpu_mul(GRAM_TILE_SUMS * sizeof(double), q->ld);
    q->group = p->input == FRAME_POSN ? clamp(G4_GROUP_BYTES / tile, 64, G4_MAX_BLOCKS) : 0;
    size_t slots = plan_slots(p, q);
    q->asum_doubles =
        p->input == FRAME_POSN && !q->runs ? gpu_mul(slots, GRAM_TILE_SUMS * q->ld) : 0;
    size_t series =
        gram_slots(GRAM_SERIES, p->natoms, 0) + gram_slots(GRAM_SERIES, 1, 0); /* A A', S S' */
    slots = slots < series ? series : slots;
    size_t piece = slots >= G4_MAX_BLOCKS / 2 ? clamp(q->span / 2, 512, 2048) : 1024;
    int marched = p->input == FRAME_POSN && !q->runs;
    plan_tasks(p, q, plan_slots(p, q), marched ? 256 : piece, marched ? 4096 : piece);
    q->a_doubles = gpu_mul(p->natoms + 1, q->ld);
    q->part_doubles = gpu_mul(q->max_tasks, gpu_mul(slots, p->lags));
}

static void plan_direct(const struct g4_params *p, struct g4_plan *q)
{
    plan_tasks(p, q, 1, q->span, q->span);
    q->table_values = gpu_mul(direct_ld(q->npairs), q->window);
    q->part_doubles = gpu_mul(gpu_mul(q->max_tasks, 3 * p->lags), direct_slots(q->npairs));
}

int plan_make(struct err *e, const struct g4_params *p, int small, struct g4_plan *q)
{
    memset(q, 0, sizeof *q);
    if (p->natoms < 2 || (p->lags < 1 && p->method != G4_FFT) || p->ncomp < 1 ||
        p->ncomp > BETA_NCOMPONENTS)
        return err_set(e, ERR_BAD, "expected at least two atoms, one lag and one component");
    if (p->natoms > (size_t)1 << 24 || p->lags > (size_t)1 << 28)
        return err_set(e, ERR_BAD,
                       "expected at most 16777216 atoms and 268435456 lags, found %zu and %zu",
                       p->natoms, p->lags);
    if (p->accumulate_f32 && p->method != G4_FACTORED)
        return err_set(e, ERR_BAD,
                       "--accumulate f32 is for --method factored only: fft and direct add in f64");
    if (p->accumulate_f32 && p->dtype == FRAME_F64)
        return err_set(
            e, ERR_BAD,
            "--accumulate f32 is for f32 input, found f64: leave it out, or make f32 input");
    q->is64 = p->dtype == FRAME_F64;
    q->runs = p->accumulate_f32 || (small && p->input == FRAME_POSN);
    q->ncomp = p->ncomp;
    q->npairs = p->natoms * (p->natoms - 1) / 2;
    q->step_values = p->input == FRAME_POSN ? 3 * p->natoms : q->npairs * (size_t)p->ncomp;
    q->step_bytes = gpu_mul(q->step_values, q->is64 ? 8 : 4);
    if (p->method == G4_FFT)
        return 0; /* fft_finish plans when the number of steps is known */
    q->span = span_of(p, q->npairs);
    q->window = q->span + p->lags - 1;
    q->ld = (q->window + G4_PAD_COLUMNS + 31) / 32 * 32;
    q->rows = (p->natoms + G4_TILE_ATOMS - 1) / G4_TILE_ATOMS * G4_TILE_ATOMS;
    if (p->method == G4_DIRECT)
        plan_direct(p, q);
    else
        plan_factored(p, q);
    q->out_doubles = gpu_mul(gpu_mul(q->max_tasks, 3 * (size_t)p->ncomp), p->lags);
    plan_bytes(p, q);
    return 0;
}
