/* SPDX-License-Identifier: MIT */
/* Plan of a run (sizes), and one chunk on one device: buffers, copies, kernels, results. */
#include "g4_gpu.h"

#include <cfloat>
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

static enum gram_source source_of(const struct g4_params *p)
{
    if (p->input == FRAME_POSN)
        return p->dtype == FRAME_F64 ? GRAM_POSN_F64 : GRAM_POSN_F32;
    return p->dtype == FRAME_F64 ? GRAM_PAIR_F64 : GRAM_PAIR_F32;
}

/* Origins of a chunk: from the sizes only, because the result may not depend on the machine. */
static size_t span_of(const struct g4_params *p, size_t npairs)
{
    size_t span = p->method == G4_DIRECT  ? 1024
                  : p->input == FRAME_POSN ? clamp(pow2_floor(((size_t)1 << 22) / p->natoms + 1), 2048, 16384)
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
    size_t task = gpu_mul(q->max_tasks, sizeof(struct g4_task)), out = gpu_mul(q->out_doubles, sizeof(double));
    q->host_bytes = gpu_add(gpu_add(raw, box), gpu_add(task, out));
    q->device_bytes = gpu_add(gpu_add(gpu_add(raw, pos), gpu_add(gpu_add(a, box), table)),
                              gpu_add(gpu_add(task, out), gpu_mul(gpu_add(q->part_doubles, q->asum_doubles), sizeof(double))));
}

/* Tasks of a chunk at most: one a piece and one more for each sub-block boundary; 64 sub-blocks a block at most. */
static void plan_tasks(const struct g4_params *p, struct g4_plan *q, size_t piece)
{
    size_t cuts = p->blocks > 1 ? clamp(gpu_mul(p->blocks, G4_SUBBLOCKS) + 1, 1, q->span) : 0;
    q->piece = piece;
    q->max_tasks = clamp(q->span / piece + 1 + cuts, 1, q->span);
}

/* Places for partial sums along x. */
static size_t slots_of(const struct g4_params *p, const struct g4_plan *q)
{
    size_t rows = p->input == FRAME_POSN ? p->natoms : q->npairs;
    return q->runs ? runs_slots(source_of(p), rows) : gram_slots(source_of(p), rows, q->group);
}

static void plan_factored(const struct g4_params *p, struct g4_plan *q)
{
    size_t tile = gpu_mul(32 * sizeof(double), q->ld);
    q->group = p->input == FRAME_POSN ? clamp(G4_GROUP_BYTES / tile, 64, G4_MAX_BLOCKS) : 0;
    size_t slots = slots_of(p, q);
    q->asum_doubles = p->input == FRAME_POSN && !q->runs ? gpu_mul(slots, 32 * q->ld) : 0;
    if (slots < gram_slots(GRAM_SERIES, p->natoms, 0))
        slots = gram_slots(GRAM_SERIES, p->natoms, 0);
    size_t piece = slots >= G4_MAX_BLOCKS / 2 ? clamp(q->span / 2, 512, 2048) : 1024;
    plan_tasks(p, q, piece);
    q->a_doubles = gpu_mul(p->natoms + 1, q->ld);
    q->part_doubles = gpu_mul(q->max_tasks, gpu_mul(slots, p->lags));
}

static void plan_direct(const struct g4_params *p, struct g4_plan *q)
{
    plan_tasks(p, q, q->span);
    q->table_values = gpu_mul(direct_ld(q->npairs), q->window);
    q->part_doubles = gpu_mul(gpu_mul(q->max_tasks, 3 * p->lags), direct_slots(q->npairs));
}

int plan_make(struct gpu_err *e, const struct g4_params *p, int small, struct g4_plan *q)
{
    memset(q, 0, sizeof *q);
    if (p->natoms < 2 || (p->lags < 1 && p->method != G4_FFT) || p->ncomp < 1 || p->ncomp > BETA_NCOMPONENTS)
        return gpu_fail(e, 2, "expected at least two atoms, one lag and one component");
    if (p->natoms > (size_t)1 << 24 || p->lags > (size_t)1 << 28)
        return gpu_fail(e, 2, "expected at most 16777216 atoms and 268435456 lags, found %zu and %zu", p->natoms, p->lags);
    if (p->accumulate_f32 && p->method != G4_FACTORED)
        return gpu_fail(e, 2, "--accumulate f32 is for --method factored only: fft and direct add in f64");
    if (p->accumulate_f32 && p->dtype == FRAME_F64)
        return gpu_fail(e, 2, "--accumulate f32 is for f32 input, found f64: leave it out, or make f32 input");
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
int slot_open(struct gpu_err *e, struct g4_slot *s, int device, const struct g4_params *p, const struct g4_plan *q)
{
    size_t real = q->is64 ? 8 : 4, raw = gpu_mul(q->window, q->step_bytes), boxes = gpu_mul(q->ld, sizeof(struct box));
    size_t pos = p->input == FRAME_POSN ? gpu_mul(gpu_mul(q->rows, q->ld), 4 * real) : 0;
    size_t table = q->table_values * real, atoms = q->table_values ? direct_ld(q->npairs) * sizeof(int2) : 0, task = q->max_tasks * sizeof(struct g4_task);
    s->device = device;
    TRY(e, cudaSetDevice(device));
    TRY(e, cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    if (gpu_alloc_host(e, &s->h_box, boxes, "cells"))
        return -1;
    memset(s->h_box, 0, boxes);
    if (gpu_alloc_host(e, &s->h_raw, raw, "input buffer") ||
        gpu_alloc_host(e, &s->h_tasks, task, "tasks") || gpu_alloc_host(e, &s->h_out, q->out_doubles * 8, "results") ||
        gpu_alloc(e, &s->d_raw, raw, "input") || gpu_alloc(e, &s->d_pos, pos, "positions") ||
        gpu_alloc(e, &s->d_table, table, "pair table") ||
        gpu_alloc(e, &s->d_pair_atoms, atoms, "pair table") || gpu_alloc(e, &s->d_a, q->a_doubles * 8, "sums of atoms") || gpu_alloc(e, &s->d_box, boxes, "cells") ||
        gpu_alloc(e, &s->d_box32, q->ld * sizeof(struct box_f32), "cells") || gpu_alloc(e, &s->d_tasks, task, "tasks") ||
        gpu_alloc(e, &s->d_out, q->out_doubles * 8, "results") ||
        gpu_alloc(e, &s->d_asum, q->asum_doubles * 8, "sums of tiles") ||
        gpu_alloc(e, &s->d_part, q->part_doubles * 8, "partial sums"))
        return -1;
    return 0;
}

/* Largest d >= 0 with box_nint_f32(d * inv) == 0: beyond it box_image_f32 shifts by one edge. */
static float image_half(float inv)
{
    if (!(inv > 0.0f))
        return FLT_MAX;
    float d = 0.5f / inv;
    while (box_nint_f32(d * inv) != 0.0f)
        d = nextafterf(d, 0.0f);
    while (box_nint_f32(nextafterf(d, FLT_MAX) * inv) == 0.0f)
        d = nextafterf(d, FLT_MAX);
    return d;
}

int slot_beta(struct beta_args *b, const struct g4_params *p, int c, const struct box *box, size_t n)
{
    struct box_f32 f = {};
    int same = 1;
    memset(b, 0, sizeof *b);
    if (p->input != FRAME_POSN)
        return G4_CELL_ANY;
    for (size_t t = 1; t < n && same; t++)
        same = !memcmp(&box[t], &box[0], sizeof *box);
    box_round_f32(box, &f);
    b->component = p->component[c];
    b->coef = p->coef[c];
    b->coef_f = (float)p->coef[c];
    b->rc2 = p->rc2 < DBL_MAX ? p->rc2 : DBL_MAX;
    b->rc2_f = p->rc2 < FLT_MAX ? (float)p->rc2 : FLT_MAX;
    for (int k = 0; k < 3; k++) {
        b->len[k] = f.h[k][k];
        b->half[k] = image_half(f.inv[k][k]);
    }
    return same && box->ortho && p->dtype != FRAME_F64 ? G4_CELL_FIXED : G4_CELL_ANY;
}

/* Sums of lag products of rows of A: S S' (the last one), sum of A A' (all others). */
static int slot_series(struct gpu_err *e, struct g4_slot *s, const struct g4_plan *q, struct gram_args g, size_t row,
                       size_t rows, double *out)
{
    g.src = (const double *)s->d_a + row * q->ld;
    g.ld = q->ld;
    g.rows = rows;
    return gram_rows(e, GRAM_SERIES, g, s->ntasks, s->stream) ||
                   gram_reduce(e, g.part, gram_slots(GRAM_SERIES, rows, 0), s->ntasks, g.lags, out, s->stream)
               ? -1
               : 0;
}

/* Component c by enumeration; g says where positions or pairs lie. */
static int slot_direct(struct gpu_err *e, struct g4_slot *s, const struct g4_params *p, const struct g4_plan *q,
                       const struct gram_args *g, int cell, int c)
{
    struct direct_args d = {g->src, g->ld, p->natoms, q->npairs, p->input == FRAME_POSN, s->cols, g->lags, g->tasks,
                            s->d_table, direct_ld(q->npairs), (int2 *)s->d_pair_atoms, g->part, g->beta, 0};
    double *out = (double *)s->d_out + (size_t)c * 3 * (size_t)s->ntasks * p->lags;
    return direct_launch(e, d, q->is64, cell, s->ntasks, s->stream) ||
                   gram_reduce(e, g->part, direct_slots(q->npairs), s->ntasks, 3 * g->lags, out, s->stream)
               ? -1
               : 0;
}

/* Component c of the chunk: three sums of lag products into d_out. */
static int slot_component(struct gpu_err *e, struct g4_slot *s, const struct g4_params *p, const struct g4_plan *q, int c)
{
    enum gram_source src = source_of(p);
    int posn = p->input == FRAME_POSN, L = (int)p->lags;
    size_t real = q->is64 ? 8 : 4, per = (size_t)s->ntasks * p->lags;
    double *out = (double *)s->d_out + (size_t)c * 3 * per, *part = (double *)s->d_part;
    const char *raw = (const char *)s->d_raw + (posn ? 0 : (size_t)c * q->npairs * real);
    struct sums_args sa = {raw, s->d_pos, (double *)s->d_a, p->natoms, q->ld, q->step_values, s->cols,
                           (const struct box *)s->d_box, 0, 0, {}};
    int cell = slot_beta(&sa.beta, p, c, (const struct box *)s->h_box, (size_t)s->cols);
    sa.beta.cell = q->is64 ? s->d_box : s->d_box32;
    struct gram_args g = {posn ? s->d_pos : (const void *)raw, posn ? q->ld : q->step_values,
                          posn ? p->natoms : q->npairs, s->cols, L, (const struct g4_task *)s->d_tasks, part,
                          (double *)s->d_asum, sa.beta};
    if (posn && c == 0 && (sums_wrap(e, &sa, q->is64, s->stream) ||
                           sums_cells(e, &sa, (struct box_f32 *)s->d_box32, s->stream)))
        return -1;
    if (p->method == G4_DIRECT)
        return slot_direct(e, s, p, q, &g, cell, c);
    if (q->runs ? runs_launch(e, src, cell, p->accumulate_f32, g, s->ntasks, (double *)s->d_a, s->stream) ||
                      (!posn && sums_atoms(e, &sa, q->is64, s->stream))
        : posn ? gram_posn(e, src, cell, g, s->ntasks, q->group, (double *)s->d_a, s->stream)
             : gram_rows(e, src, g, s->ntasks, s->stream) || sums_atoms(e, &sa, q->is64, s->stream))
        return -1;
    if (gram_reduce(e, part, slots_of(p, q), s->ntasks, L, out + per, s->stream) ||
        sums_total(e, &sa, s->stream))
        return -1;
    return slot_series(e, s, q, g, 0, p->natoms, out + 2 * per) || slot_series(e, s, q, g, p->natoms, 1, out) ? -1 : 0;
}

int slot_kernels(struct gpu_err *e, struct g4_slot *s, const struct g4_params *p, const struct g4_plan *q)
{
    for (int c = 0; c < p->ncomp; c++)
        if (slot_component(e, s, p, q, c))
            return -1;
    return 0;
}

int slot_start(struct gpu_err *e, struct g4_slot *s, const struct g4_params *p, const struct g4_plan *q)
{
    const struct box *b = (const struct box *)s->h_box;
    TRY(e, cudaSetDevice(s->device));
    for (size_t t = (size_t)s->cols; t < q->ld; t++)
        ((struct box *)s->h_box)[t] = b[s->cols - 1];
    TRY(e, cudaMemcpyAsync(s->d_raw, s->h_raw, (size_t)s->cols * q->step_bytes, cudaMemcpyHostToDevice, s->stream));
    if (p->input == FRAME_POSN)
        TRY(e, cudaMemcpyAsync(s->d_box, s->h_box, q->ld * sizeof *b, cudaMemcpyHostToDevice, s->stream));
    TRY(e, cudaMemcpyAsync(s->d_tasks, s->h_tasks, (size_t)s->ntasks * sizeof(struct g4_task), cudaMemcpyHostToDevice,
                           s->stream));
    if (slot_kernels(e, s, p, q))
        return -1;
    TRY(e, cudaMemcpyAsync(s->h_out, s->d_out, (size_t)p->ncomp * 3 * (size_t)s->ntasks * p->lags * sizeof(double),
                           cudaMemcpyDeviceToHost, s->stream));
    s->busy = 1;
    return 0;
}

int slot_wait(struct gpu_err *e, struct g4_slot *s)
{
    TRY(e, cudaSetDevice(s->device));
    TRY(e, cudaStreamSynchronize(s->stream));
    s->busy = 0;
    return 0;
}

void slot_close(struct g4_slot *s)
{
    void *host[] = {s->h_raw, s->h_out, s->h_tasks, s->h_box};
    void *dev[] = {s->d_raw, s->d_pos, s->d_table, s->d_pair_atoms, s->d_a, s->d_asum, s->d_part, s->d_out, s->d_tasks, s->d_box, s->d_box32};
    cudaSetDevice(s->device);
    if (s->stream) {
        cudaStreamSynchronize(s->stream);
        cudaStreamDestroy(s->stream);
    }
    for (void *h : host)
        if (h)
            cudaFreeHost(h);
    for (void *d : dev)
        if (d)
            cudaFree(d);
    memset(s, 0, sizeof *s);
}
