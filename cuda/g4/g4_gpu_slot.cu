/* SPDX-License-Identifier: MIT */
/* One chunk on one device: buffers, copies, kernels, results. */
#include "g4/g4_gpu.h"

#include <cfloat>
#include <cstring>

int slot_open(struct err *e, struct g4_slot *s, int device, const struct g4_params *p,
              const struct g4_plan *q)
{
    size_t real = q->is64 ? 8 : 4, raw = gpu_mul(q->window, q->step_bytes),
           boxes = gpu_mul(q->ld, sizeof(struct box));
    size_t pos = p->input == FRAME_POSN ? gpu_mul(gpu_mul(q->rows, q->ld), 4 * real) : 0;
    size_t table = q->table_values * real,
           atoms = q->table_values ? direct_ld(q->npairs) * sizeof(int2) : 0,
           task = q->max_tasks * sizeof(struct g4_task);
    s->device = device;
    if (TRY(e, cudaSetDevice(device)))
        return -1;
    int least, greatest;
    if (TRY(e, cudaDeviceGetStreamPriorityRange(&least, &greatest)) ||
        TRY(e, cudaStreamCreateWithPriority(&s->on.stream, cudaStreamNonBlocking, greatest)) ||
        TRY(e, cudaStreamCreateWithPriority(&s->on.low, cudaStreamNonBlocking, least)) ||
        TRY(e, cudaEventCreateWithFlags(&s->on.turn, cudaEventDisableTiming)))
        return -1;
    if (gpu_alloc_host(e, &s->h_box, boxes, "cells"))
        return -1;
    memset(s->h_box, 0, boxes);
    if (gpu_alloc_host(e, &s->h_raw, raw, "input buffer") ||
        gpu_alloc_host(e, &s->h_tasks, task, "tasks") ||
        gpu_alloc_host(e, &s->h_out, q->out_doubles * 8, "results") ||
        gpu_alloc(e, &s->d_raw, raw, "input") || gpu_alloc(e, &s->d_pos, pos, "positions") ||
        gpu_alloc(e, &s->d_table, table, "pair table") ||
        gpu_alloc(e, &s->d_pair_atoms, atoms, "pair table") ||
        gpu_alloc(e, &s->d_a, q->a_doubles * 8, "sums of atoms") ||
        gpu_alloc(e, &s->d_box, boxes, "cells") ||
        gpu_alloc(e, &s->d_box32, q->ld * sizeof(struct box_f32), "cells") ||
        gpu_alloc(e, &s->d_tasks, task, "tasks") ||
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

int slot_beta(struct beta_args *b, const struct g4_params *p, int c, const struct box *box,
              size_t n)
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
static int slot_series(struct err *e, struct g4_slot *s, const struct g4_plan *q,
                       struct gram_args g, size_t row, size_t rows, double *out,
                       cudaStream_t stream)
{
    g.src = (const double *)s->d_a + row * q->ld;
    g.ld = q->ld;
    g.rows = rows;
    return gram_rows(e, GRAM_SERIES, g, s->ntasks, stream) ||
                   gram_reduce(e, g.part, gram_slots(GRAM_SERIES, rows, 0), s->ntasks, g.lags, out,
                               stream)
               ? -1
               : 0;
}

/* S S' on the other stream, sum of A A' on this one. */
static int slot_sums(struct err *e, struct g4_slot *s, const struct g4_params *p,
                     const struct g4_plan *q, struct gram_args g, const struct sums_args *sa,
                     double *out)
{
    size_t n = p->natoms, per = (size_t)s->ntasks * p->lags;
    struct gram_args h = g;
    h.part += gram_slots(GRAM_SERIES, n, 0) * per;
    if (TRY(e, cudaEventRecord(s->on.turn, s->on.stream)) ||
        TRY(e, cudaStreamWaitEvent(s->on.low, s->on.turn, 0)))
        return -1;
    if (sums_total(e, sa, s->on.low) || slot_series(e, s, q, h, n, 1, out, s->on.low) ||
        slot_series(e, s, q, g, 0, n, out + 2 * per, s->on.stream))
        return -1;
    if (TRY(e, cudaEventRecord(s->on.turn, s->on.low)) ||
        TRY(e, cudaStreamWaitEvent(s->on.stream, s->on.turn, 0)))
        return -1;
    return 0;
}

/* Component c by enumeration; g says where positions or pairs lie. */
static int slot_direct(struct err *e, struct g4_slot *s, const struct g4_params *p,
                       const struct g4_plan *q, const struct gram_args *g, int cell, int c)
{
    struct direct_args d = {g->src,
                            g->ld,
                            p->natoms,
                            q->npairs,
                            p->input == FRAME_POSN,
                            s->cols,
                            g->lags,
                            g->tasks,
                            s->d_table,
                            direct_ld(q->npairs),
                            (int2 *)s->d_pair_atoms,
                            g->part,
                            g->beta,
                            0};
    double *out = (double *)s->d_out + (size_t)c * 3 * (size_t)s->ntasks * p->lags;
    return direct_launch(e, d, q->is64, cell, s->ntasks, s->on.stream) ||
                   gram_reduce(e, g->part, direct_slots(q->npairs), s->ntasks, 3 * g->lags, out,
                               s->on.stream)
               ? -1
               : 0;
}

/* Component c of the chunk: three sums of lag products into d_out. */
static int slot_component(struct err *e, struct g4_slot *s, const struct g4_params *p,
                          const struct g4_plan *q, int c)
{
    enum gram_source src = plan_source(p);
    int posn = p->input == FRAME_POSN, L = (int)p->lags;
    size_t real = q->is64 ? 8 : 4, per = (size_t)s->ntasks * p->lags;
    double *out = (double *)s->d_out + (size_t)c * 3 * per, *part = (double *)s->d_part;
    const char *raw = (const char *)s->d_raw + (posn ? 0 : (size_t)c * q->npairs * real);
    struct sums_args sa = {raw,
                           s->d_pos,
                           (double *)s->d_a,
                           p->natoms,
                           q->ld,
                           q->step_values,
                           s->cols,
                           (const struct box *)s->d_box,
                           0,
                           0,
                           {}};
    int cell = slot_beta(&sa.beta, p, c, (const struct box *)s->h_box, (size_t)s->cols);
    sa.beta.cell = q->is64 ? s->d_box : s->d_box32;
    struct gram_args g = {posn ? s->d_pos : (const void *)raw,
                          posn ? q->ld : q->step_values,
                          posn ? p->natoms : q->npairs,
                          s->cols,
                          L,
                          (const struct g4_task *)s->d_tasks,
                          part,
                          (double *)s->d_asum,
                          sa.beta};
    if (posn && c == 0 &&
        (sums_wrap(e, &sa, q->is64, s->on.stream) ||
         (cell == G4_CELL_ANY && sums_cells(e, &sa, (struct box_f32 *)s->d_box32, s->on.stream))))
        return -1;
    if (p->method == G4_DIRECT)
        return slot_direct(e, s, p, q, &g, cell, c);
    if (q->runs ? runs_launch(e, src, cell, p->accumulate_f32, g, s->ntasks, (double *)s->d_a,
                              s->on.stream) ||
                      (!posn && sums_atoms(e, &sa, q->is64, s->on.stream))
        : posn ? gram_posn(e, src, cell, g, s->ntasks, q->group, (double *)s->d_a, &s->on)
               : gram_rows(e, src, g, s->ntasks, s->on.stream) ||
                     sums_atoms(e, &sa, q->is64, s->on.stream))
        return -1;
    if (gram_reduce(e, part, plan_slots(p, q), s->ntasks, L, out + per, s->on.stream))
        return -1;
    return slot_sums(e, s, p, q, g, &sa, out);
}

int slot_kernels(struct err *e, struct g4_slot *s, const struct g4_params *p,
                 const struct g4_plan *q)
{
    for (int c = 0; c < p->ncomp; c++)
        if (slot_component(e, s, p, q, c))
            return -1;
    return 0;
}

int slot_start(struct err *e, struct g4_slot *s, const struct g4_params *p, const struct g4_plan *q)
{
    const struct box *b = (const struct box *)s->h_box;
    if (TRY(e, cudaSetDevice(s->device)))
        return -1;
    for (size_t t = (size_t)s->cols; t < q->ld; t++)
        ((struct box *)s->h_box)[t] = b[s->cols - 1];
    if (TRY(e, cudaMemcpyAsync(s->d_raw, s->h_raw, (size_t)s->cols * q->step_bytes,
                               cudaMemcpyHostToDevice, s->on.stream)))
        return -1;
    if (p->input == FRAME_POSN && TRY(e, cudaMemcpyAsync(s->d_box, s->h_box, q->ld * sizeof *b,
                                                         cudaMemcpyHostToDevice, s->on.stream)))
        return -1;
    if (TRY(e, cudaMemcpyAsync(s->d_tasks, s->h_tasks, (size_t)s->ntasks * sizeof(struct g4_task),
                               cudaMemcpyHostToDevice, s->on.stream)))
        return -1;
    if (slot_kernels(e, s, p, q))
        return -1;
    if (TRY(e, cudaMemcpyAsync(s->h_out, s->d_out,
                               (size_t)p->ncomp * 3 * (size_t)s->ntasks * p->lags * sizeof(double),
                               cudaMemcpyDeviceToHost, s->on.stream)))
        return -1;
    s->busy = 1;
    return 0;
}

int slot_wait(struct err *e, struct g4_slot *s)
{
    if (TRY(e, cudaSetDevice(s->device)) || TRY(e, cudaStreamSynchronize(s->on.stream)))
        return -1;
    s->busy = 0;
    return 0;
}

void slot_close(struct g4_slot *s)
{
    void *host[] = {s->h_raw, s->h_out, s->h_tasks, s->h_box};
    void *dev[] = {s->d_raw,  s->d_pos, s->d_table, s->d_pair_atoms, s->d_a,    s->d_asum,
                   s->d_part, s->d_out, s->d_tasks, s->d_box,        s->d_box32};
    cudaSetDevice(s->device);
    if (s->on.stream) {
        cudaStreamSynchronize(s->on.stream);
        cudaStreamDestroy(s->on.stream);
    }
    if (s->on.low)
        cudaStreamDestroy(s->on.low);
    if (s->on.turn)
        cudaEventDestroy(s->on.turn);
    for (void *h : host)
        if (h)
            cudaFreeHost(h);
    for (void *d : dev)
        if (d)
            cudaFree(d);
    memset(s, 0, sizeof *s);
}
