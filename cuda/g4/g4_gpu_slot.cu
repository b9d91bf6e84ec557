/* SPDX-License-Identifier: MIT */
/* Divides the trajectory into chunks, computes the resulting sizes, and processes a chunk on one
 * device. */
#include "g4/g4_gpu.h"

#include <cstdlib>
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

/* Source of values for the Gram kernels. */
static enum gram_source plan_source(const struct g4_params *p)
{
    if (p->input == FRAME_POSN)
        return p->dtype == FRAME_F64 ? GRAM_POSN_F64 : GRAM_POSN_F32;
    return p->dtype == FRAME_F64 ? GRAM_PAIR_F64 : GRAM_PAIR_F32;
}

/* Number of origins per window of lists. Atoms move less in a short window, so it has fewer pairs.
 * In a long window, a smaller fraction of the steps are not origins. With 256 origins and 48 lags,
 * frames 100 fs apart take at most 24 % longer than frames 5 fs apart (NOTES.md). */
static size_t lists_span(const struct g4_params *p)
{
    size_t n = ((size_t)1 << 28) / p->natoms + 1, by_lags = gpu_mul(8, p->lags);
    return clamp(pow2_floor(n < by_lags ? n : by_lags), 256, 1024);
}

/* Returns the number of origins per chunk. It depends only on the sizes, because the result must
 * not depend on the machine. */
static size_t span_of(const struct g4_params *p, size_t npairs, int lists)
{
    size_t span =
        lists && g4_gpu_lists == 1 ? 64
        : lists                    ? lists_span(p)
        : p->method == G4_DIRECT   ? 1024
        : p->input == FRAME_POSN
            ? clamp(pow2_floor(((size_t)1 << 21) / p->natoms + 1), 2048, 16384)
            : clamp(pow2_floor(((size_t)1 << 24) / (npairs * (size_t)p->ncomp) + 1), 64, 4096);
    while (span < p->lags)
        span *= 2;
    return span;
}

size_t g4_window(const struct g4_params *p)
{
    return span_of(p, 0, 1);
}

/* A buffer of a slot and its size. */
struct slot_buffer {
    void **at;
    size_t bytes;
    int host;
    const char *what;
};
#define SLOT_BUFFERS 16
#define PIECE_BYTES ((size_t)8 << 20) /* bytes sent at once (pinning takes 0.5 s per GB) */

static void slot_buffers(const struct g4_params *p, const struct g4_plan *q, struct g4_slot *s,
                         struct slot_buffer b[SLOT_BUFFERS])
{
    size_t real = q->is64 ? 8 : 4, raw = gpu_mul(q->window, q->step_bytes),
           pos = p->input == FRAME_POSN ? gpu_mul(gpu_mul(q->rows, q->ld), 4 * real) : 0,
           box = gpu_mul(q->ld, sizeof(struct box)),
           cell = p->input == FRAME_POSN ? gpu_mul(q->ld, sizeof(struct sum_cell)) : 0,
           task = gpu_mul(q->max_tasks, sizeof(struct g4_task) + sizeof(struct g4_piece)),
           out = gpu_mul(q->out_doubles, 8);
    const struct slot_buffer all[SLOT_BUFFERS] = {
        {&s->h_box, box, 1, "cells"},
        {(void **)&s->cells.h, cell, 1, "cells"},
        {&s->h_first, q->lists.groups ? q->step_bytes : 0, 1, "a step"},
        {&s->h_tasks, task, 1, "tasks"},
        {&s->h_out, out, 1, "results"},
        {&s->d_raw, raw, 0, "input"},
        {&s->d_pos, pos, 0, "positions"},
        {&s->d_table, gpu_mul(q->table_values, real), 0, "pair table"},
        {&s->d_pair_atoms, p->method == G4_DIRECT ? direct_ld(q->npairs) * sizeof(int2) : 0, 0,
         "pair table"},
        {&s->d_a, gpu_mul(q->a_doubles, 8), 0, "sums of atoms"},
        {(void **)&s->cells.d, cell, 0, "cells"},
        {&s->d_factors, p->factors && cell ? weigh_bytes(p->factors) : 0, 0, "weights"},
        {&s->d_tasks, task, 0, "tasks"},
        {&s->d_out, out, 0, "results"},
        {&s->d_asum, gpu_mul(q->asum_doubles, 8), 0, "sums of tiles"},
        {&s->d_part, gpu_mul(q->part_doubles, 8), 0, "partial sums"},
    };
    memcpy(b, all, sizeof all);
}

/* Each piece costs as much as about a hundred additional steps. In a full chunk, pieces are
 * therefore as long as possible but still occupy all multiprocessors of a large device. (The size
 * of that device is a constant, because the result must not depend on the actual device.) In the
 * last chunk, pieces become shorter, half of the rest at a time, so that all multiprocessors finish
 * at the same time. */
size_t plan_piece(const struct g4_plan *q, size_t norigins, size_t left)
{
    size_t share = ((norigins < q->span ? left : norigins) * q->tiles / (2 * 132) + 31) / 32 * 32;
    size_t piece = clamp(share, q->min_piece, q->max_piece);
    return piece < left ? piece : left;
}

/* Largest number of tasks of a chunk: one per piece and one more per sub-block boundary. */
static void plan_tasks(const struct g4_params *p, struct g4_plan *q, size_t tiles, size_t min_piece,
                       size_t max_piece)
{
    struct stats_blocks b;
    g4_blocks_init(&b, p, p->lags);
    size_t cuts = b.max > 1 ? clamp(gpu_add(b.max, 1), 1, gpu_add(q->span / b.s, 1)) : 0, n = 1;
    q->tiles = tiles;
    q->min_piece = min_piece;
    q->max_piece = max_piece;
    for (size_t left = q->span - 1; left; left -= plan_piece(q, q->span - 1, left))
        n++;
    q->max_tasks = clamp(n + cuts, 1, q->span);
}

/* Returns the number of partial sums along x. */
static size_t plan_slots(const struct g4_params *p, const struct g4_plan *q)
{
    size_t rows = p->input == FRAME_POSN ? q->atoms : q->npairs;
    return q->runs ? runs_slots(plan_source(p), rows) : gram_slots(plan_source(p), rows, q->group);
}

/* Chooses groups of tiles of about equal size whose tables fit in memory. */
static void plan_table(const struct g4_params *p, struct g4_plan *q)
{
    size_t tile = gpu_mul(gpu_mul(table_values(q->ld), q->is64 ? 8 : 4), (size_t)p->ncomp),
           tiles = gram_slots(plan_source(p), q->atoms, SIZE_MAX),
           max = clamp(g4_gpu_groups ? 0 : G4_TABLE_BYTES / tile, G4_TABLE_TILES, q->group),
           groups = (tiles + max - 1) / max;
    q->group = (tiles + groups - 1) / groups;
    q->table_values = gpu_mul(gpu_mul(q->group, table_values(q->ld)), (size_t)p->ncomp);
}

static void plan_factored(const struct g4_params *p, struct g4_plan *q)
{
    size_t tile = gpu_mul(GRAM_TILE_SUMS * sizeof(double), q->ld);
    size_t max = q->lists.groups ? 4 * G4_MAX_BLOCKS : G4_MAX_BLOCKS; /* lists have many tiles */
    q->group = p->input == FRAME_POSN ? clamp(G4_GROUP_BYTES / tile, 64, max) : 0;
    if (q->tabled)
        plan_table(p, q);
    size_t slots = plan_slots(p, q), parts = q->tabled ? (size_t)p->ncomp : 1;
    q->asum_doubles =
        p->input == FRAME_POSN && !q->runs ? gpu_mul(slots, GRAM_TILE_SUMS * q->ld) : 0;
    size_t series =
        gram_slots(GRAM_SERIES, q->atoms, 0) + gram_slots(GRAM_SERIES, 1, 0); /* A A', S S' */
    slots = slots < series ? series : slots;
    size_t piece = slots >= G4_MAX_BLOCKS / 2 ? clamp(q->span / 2, 512, 2048) : 1024;
    int marched = p->input == FRAME_POSN && !q->runs;
    plan_tasks(p, q, plan_slots(p, q), marched ? 256 : piece, marched ? 4096 : piece);
    q->a_doubles = gpu_mul(q->tabled || p->sum.mesh == SUM_MESH ? (size_t)p->ncomp : 1,
                           gpu_mul(q->atoms + 1, q->ld));
    q->part_doubles = gpu_mul(gpu_mul(parts, q->max_tasks), gpu_mul(slots, p->lags));
}

static void plan_direct(const struct g4_params *p, struct g4_plan *q)
{
    plan_tasks(p, q, 1, q->span, q->span);
    q->table_values = gpu_mul(direct_ld(q->npairs), q->window);
    q->part_doubles = gpu_mul(gpu_mul(q->max_tasks, 3 * p->lags), direct_slots(q->npairs));
}

int plan_make(struct err *e, const struct g4_params *p, int small, const struct box *box,
              struct g4_plan *q)
{
    memset(q, 0, sizeof *q);
    if (p->natoms < 2 || (p->lags < 1 && p->method != G4_FFT) || p->ncomp < 1 ||
        p->ncomp > BETA_NCOMPONENTS)
        return err_bad(e, "expected at least two atoms, one lag and one component");
    if (p->natoms > (size_t)1 << 24 || p->lags > (size_t)1 << 28)
        return err_bad(e, "expected at most 16777216 atoms and 268435456 lags, found %zu and %zu",
                       p->natoms, p->lags);
    if (p->accumulate_f32 && p->method != G4_FACTORED)
        return err_bad(e, "--accumulate f32 needs --method factored, because the methods fft and "
                          "direct always sum in f64");
    if (p->accumulate_f32 && p->dtype == FRAME_F64)
        return err_bad(e, "--accumulate f32: expected f32 input, found f64 (omit the option, or "
                          "convert the input to f32)");
    q->is64 = p->dtype == FRAME_F64;
    q->runs = p->accumulate_f32 || (small && p->input == FRAME_POSN);
    q->tabled = !q->runs && p->input == FRAME_POSN && p->method == G4_FACTORED &&
                (!GRAM_MARCHES(sum_pair_form(&p->sum)) || q->is64 || p->lags > GRAM_LAGS ||
                 (p->factors && !weigh_only_function(p->factors)));
    q->ncomp = p->ncomp;
    q->npairs = p->natoms * (p->natoms - 1) / 2;
    if ((q->runs || small) && p->sum.mesh == SUM_MESH) /* otherwise the host computes the pairs */
        return err_bad(
            e, "a sum on a mesh needs --accumulate f64 and a GPU with 161 KiB of shared memory per "
               "block, such as an A100 or later (use --sum ewald:pairs instead)");
    if (box && !q->runs)
        lists_plan(p, box, &q->lists);
    q->atoms = q->lists.groups ? 16 * q->lists.groups : p->natoms;
    q->step_values = p->input == FRAME_POSN ? 3 * p->natoms : q->npairs * (size_t)p->ncomp;
    q->step_bytes = gpu_mul(q->step_values, q->is64 ? 8 : 4);
    if (p->method == G4_FFT)
        return 0; /* fft_finish plans once the number of steps is known */
    q->span = span_of(p, q->npairs, q->lists.groups > 0);
    q->window = q->span + p->lags - 1;
    q->ld = (q->window + G4_PAD_COLUMNS + 31) / 32 * 32;
    q->piece = clamp(g4_gpu_groups ? 7 : PIECE_BYTES / q->step_bytes, 1, q->window);
    q->rows = q->lists.groups ? 16 * q->lists.groups
                              : (p->natoms + G4_TILE_ATOMS - 1) / G4_TILE_ATOMS * G4_TILE_ATOMS;
    if (p->method == G4_DIRECT)
        plan_direct(p, q);
    else
        plan_factored(p, q);
    if (p->sum.mesh == SUM_MESH && mesh_plan_gpu(e, p, box, q))
        return -1;
    q->out_doubles = gpu_mul(gpu_mul(q->max_tasks, 3 * (size_t)p->ncomp), p->lags);
    struct g4_slot none;
    struct slot_buffer b[SLOT_BUFFERS];
    slot_buffers(p, q, &none, b);
    q->device_bytes = q->mesh.device_bytes;
    q->host_bytes = gpu_add(q->mesh.host_bytes, gpu_mul(2 * q->piece, q->step_bytes));
    for (const struct slot_buffer &x : b) {
        size_t *sum = x.host ? &q->host_bytes : &q->device_bytes;
        *sum = gpu_add(*sum, x.bytes);
    }
    return 0;
}

int slot_open(struct err *e, struct g4_slot *s, int device, const struct g4_params *p,
              const struct g4_plan *q)
{
    struct slot_buffer b[SLOT_BUFFERS];
    int min, greatest, shared = 0;
    s->device = device;
    if (TRY(e, cudaSetDevice(device)) ||
        TRY(e, cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)) ||
        TRY(e, cudaDeviceGetStreamPriorityRange(&min, &greatest)) ||
        TRY(e, cudaStreamCreateWithPriority(&s->on.stream, cudaStreamNonBlocking, greatest)) ||
        TRY(e, cudaStreamCreateWithPriority(&s->on.low, cudaStreamNonBlocking, min)) ||
        TRY(e, cudaEventCreateWithFlags(&s->on.turn, cudaEventDisableTiming)) ||
        TRY(e, cudaEventCreateWithFlags(&s->filled, cudaEventDisableTiming)) ||
        TRY(e, cudaEventCreateWithFlags(&s->kept, cudaEventDisableTiming)) ||
        gpu_pair_open(e, &s->in, q->piece * q->step_bytes))
        return -1;
    slot_buffers(p, q, s, b);
    for (const struct slot_buffer &x : b)
        if (gpu_alloc_any(e, x.at, x.bytes, x.what, x.host))
            return -1;
    memset(s->h_box, 0, q->ld * sizeof(struct box));
    s->joins = p->input == FRAME_POSN && p->method == G4_FACTORED && !q->runs &&
               (size_t)shared >= gram_shared(1);
    if (s->d_factors && weigh_copy(e, p->factors, s->d_factors, &s->weigh.factors))
        return -1;
    g4_pairs(p, &s->cells.p);
    s->cells.weighed = p->factors && p->method != G4_FACTORED;
    s->cells.factors = weigh_view(p->factors, s->d_factors);
    return (q->lists.groups && lists_open(e, &s->lists, &q->lists)) ||
                   (q->mesh.batch && mesh_open(e, &s->mesh, p, q))
               ? -1
               : 0;
}

/* Sends waiting steps to the device. */
static int send(struct err *e, struct g4_slot *s, const struct g4_plan *q)
{
    size_t n = s->steps - s->sent;
    if (!s->to)
        return 0;
    if (TRY(e, cudaSetDevice(s->device)) ||
        gpu_pair_copy(e, &s->in, (char *)s->d_raw + s->sent * q->step_bytes, n * q->step_bytes,
                      s->on.stream))
        return -1;
    s->sent = s->steps;
    s->to = NULL;
    return 0;
}

int slot_put(struct err *e, struct g4_slot *s, const struct g4_plan *q, struct pool *pool, size_t n,
             const void *steps, const struct box *box)
{
    const char *from = (const char *)steps;
    if (box)
        memcpy((struct box *)s->h_box + s->steps, box, n * sizeof *box);
    while (n) {
        if (!s->to && !(s->to = gpu_pair_next(e, &s->in)))
            return -1;
        size_t has = s->steps - s->sent, more = n < q->piece - has ? n : q->piece - has;
        gpu_fill(pool, (char *)s->to + has * q->step_bytes, from, more * q->step_bytes);
        s->steps += more;
        from += more * q->step_bytes;
        n -= more;
        if (has + more == q->piece && send(e, s, q))
            return -1;
    }
    return 0;
}

int slot_keep(struct err *e, struct g4_slot *s, struct g4_slot *last, const struct g4_plan *q,
              size_t n)
{
    size_t from = last->steps - n;
    last->copied = s->kept;
    memcpy(s->h_box, (const struct box *)last->h_box + from, n * sizeof(struct box));
    s->steps = s->sent = n;
    return TRY(e, cudaSetDevice(s->device)) ||
                   TRY(e, cudaStreamWaitEvent(s->on.stream, last->filled, 0)) ||
                   TRY(e, cudaMemcpyPeerAsync(s->d_raw, s->device,
                                              (const char *)last->d_raw + from * q->step_bytes,
                                              last->device, n * q->step_bytes, s->on.stream)) ||
                   TRY(e, cudaEventRecord(s->kept, s->on.stream))
               ? -1
               : 0;
}

/* Sums lag products of rows of A, for S S' (last row) and for the sum of A A' (all others). */
static int slot_series(struct err *e, const struct g4_slot *s, const struct g4_plan *q,
                       struct gram_args g, const double *a, size_t rows, double *out,
                       cudaStream_t stream)
{
    g.src = a;
    g.ld = q->ld;
    g.rows = rows;
    return gram_rows(e, GRAM_SERIES, g, s->ntasks, stream) ||
                   gram_reduce(e, g.part, gram_slots(GRAM_SERIES, rows, 0), s->ntasks, g.lags, out,
                               stream)
               ? -1
               : 0;
}

/* Computes S S' on the other stream, and the sum of A A' on this stream. */
static int slot_sums(struct err *e, struct g4_slot *s, const struct g4_params *p,
                     const struct g4_plan *q, struct gram_args g, const struct sums_args *sa,
                     double *out)
{
    size_t n = q->atoms, per = (size_t)s->ntasks * p->lags;
    struct gram_args h = g;
    h.part += gram_slots(GRAM_SERIES, n, 0) * per;
    if (TRY(e, cudaEventRecord(s->on.turn, s->on.stream)) ||
        TRY(e, cudaStreamWaitEvent(s->on.low, s->on.turn, 0)))
        return -1;
    if (sums_total(e, sa, s->on.low) ||
        slot_series(e, s, q, h, sa->a + n * q->ld, 1, out, s->on.low) ||
        slot_series(e, s, q, g, sa->a, n, out + 2 * per, s->on.stream))
        return -1;
    if (TRY(e, cudaEventRecord(s->on.turn, s->on.low)) ||
        TRY(e, cudaStreamWaitEvent(s->on.stream, s->on.turn, 0)))
        return -1;
    return 0;
}

/* Computes component c with the method `direct`. The place of positions or pairs is in g. */
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

struct tile_list slot_list(const struct g4_slot *s, const struct g4_plan *q)
{
    if (!q->lists.groups)
        return {};
    return {s->lists.d_tile,  s->lists.d_entry, s->lists.d_begin,
            s->lists.h_begin, q->lists.groups,  s->lists.tiles};
}

/* Sets the arguments of the kernels for component c. */
static struct gram_args slot_gram(const struct g4_slot *s, const struct g4_params *p,
                                  const struct g4_plan *q, int c)
{
    int posn = p->input == FRAME_POSN;
    struct gram_args g = {};
    g.src =
        posn ? s->d_pos
             : (const void *)((const char *)s->d_raw + (size_t)c * q->npairs * (q->is64 ? 8 : 4));
    g.ld = posn ? q->ld : q->step_values;
    g.rows = posn ? q->atoms : q->npairs;
    g.cols = s->cols;
    g.lags = (int)p->lags;
    g.tasks = (const struct g4_task *)s->d_tasks;
    g.pieces = (const struct g4_piece *)(g.tasks + s->ntasks);
    g.npieces = s->npieces;
    g.part = (double *)s->d_part;
    g.asum = (double *)s->d_asum;
    if (posn)
        cells_beta(&s->cells, c, &g.beta);
    if (posn && s->d_factors)
        weigh_function(&s->weigh.factors, q->lists.groups ? s->lists.d_perm : NULL,
                       &g.beta.function);
    g.list = slot_list(s, q);
    return g;
}

/* Computes sums of pairs and A_i of all components at once, with a table, and with separate parts
 * and A_i for each component. */
static int slot_tabled(struct err *e, struct g4_slot *s, const struct g4_params *p,
                       const struct g4_plan *q)
{
    struct gram_args g = slot_gram(s, p, q, 0);
    struct table_args t = {};
    cells_table(&s->cells, &t);
    t.src = s->d_pos;
    t.out = s->d_table;
    t.ld = q->ld;
    t.natoms = q->atoms;
    t.list = g.list;
    s->weigh.perm = q->lists.groups ? s->lists.d_perm : NULL;
    t.weigh = s->d_factors ? &s->weigh : NULL;
    t.stride = q->group * table_values(q->ld) / 4;
    /* later passes also read the lags of the last origin, from padding, which gives 0 */
    size_t read = (size_t)s->cols + (p->lags > GRAM_LAGS ? p->lags : 0) + G4_PAD_COLUMNS;
    t.columns = (int)(read < q->ld ? read : q->ld);
    if (gram_posn(e, plan_source(p), G4_TABLE, g, s->ntasks, q->group, &t,
                  q->mesh.batch ? NULL : (double *)s->d_a, &s->on))
        return -1;
    size_t slots = plan_slots(p, q), per = (size_t)s->ntasks * p->lags;
    for (int c = 0; c < p->ncomp; c++) /* before slot_sums() reuses the parts */
        if (gram_reduce(e, g.part + (size_t)c * slots * per, slots, s->ntasks, g.lags,
                        (double *)s->d_out + (3 * (size_t)c + 1) * per, s->on.stream))
            return -1;
    return 0;
}

/* Writes three sums of lag products of component c of the chunk to d_out. */
static int slot_component(struct err *e, struct g4_slot *s, const struct g4_params *p,
                          const struct g4_plan *q, const struct sums_args *all, int c)
{
    enum gram_source src = plan_source(p);
    int posn = p->input == FRAME_POSN, L = (int)p->lags, cell = s->cells.cell;
    size_t per = (size_t)s->ntasks * p->lags;
    double *out = (double *)s->d_out + (size_t)c * 3 * per;
    struct gram_args g = slot_gram(s, p, q, c);
    struct sums_args sa = *all;
    if (!posn)
        sa.raw = g.src;
    if (p->method == G4_DIRECT)
        return slot_direct(e, s, p, q, &g, cell, c);
    if (q->tabled || q->mesh.batch)
        sa.a += (size_t)c * (q->atoms + 1) * q->ld;
    double *atoms = q->mesh.batch ? NULL : sa.a; /* A_i from a mesh is already in sa.a */
    if (!q->tabled &&
        ((q->runs
              ? runs_launch(e, src, cell, p->accumulate_f32, g, s->ntasks, atoms, s->on.stream) ||
                    (!posn && sums_atoms(e, &sa, q->is64, s->on.stream))
          : posn ? gram_posn(e, src, cell, g, s->ntasks, q->group, NULL, atoms, &s->on)
                 : gram_rows(e, src, g, s->ntasks, s->on.stream) ||
                       sums_atoms(e, &sa, q->is64, s->on.stream)) ||
         gram_reduce(e, g.part, plan_slots(p, q), s->ntasks, L, out + per, s->on.stream)))
        return -1;
    return slot_sums(e, s, p, q, g, &sa, out);
}

int slot_kernels(struct err *e, struct g4_slot *s, const struct g4_params *p,
                 const struct g4_plan *q)
{
    struct sums_args sa = {};
    sa.raw = s->d_raw;
    sa.p = s->d_pos;
    sa.a = (double *)s->d_a;
    sa.natoms = q->atoms;
    sa.perm = q->lists.groups ? s->lists.d_perm : NULL;
    sa.ld = q->ld;
    sa.step = q->step_values;
    sa.cols = s->cols;
    sa.cell = s->cells.d;
    sa.fixed = s->cells.n == 1;
    if (p->input == FRAME_POSN && sums_wrap(e, &sa, q->is64, s->on.stream))
        return -1;
    if (q->lists.groups && lists_make(e, &s->lists, &q->lists,
                                      {s->d_pos, q->ld, s->cols, q->is64, sa.fixed, sa.cell,
                                       (const struct box *)s->h_box},
                                      s->on.stream))
        return -1;
    if (q->mesh.batch && mesh_atoms(e, s, p, q))
        return -1;
    if (q->tabled && slot_tabled(e, s, p, q))
        return -1;
    for (int c = 0; c < p->ncomp; c++)
        if (slot_component(e, s, p, q, &sa, c))
            return -1;
    return 0;
}

/* Sorts the atoms by the first step of the window. */
static int slot_sort(struct err *e, struct g4_slot *s, const struct g4_params *p,
                     const struct g4_plan *q)
{
    return TRY(e, cudaMemcpyAsync(s->h_first, s->d_raw, q->step_bytes, cudaMemcpyDeviceToHost,
                                  s->on.stream)) ||
                   TRY(e, cudaStreamSynchronize(s->on.stream)) ||
                   lists_sort(e, &s->lists, &q->lists, p->natoms, s->h_first, q->is64,
                              (const struct box *)s->h_box) ||
                   TRY(e, cudaMemcpyAsync(s->lists.d_perm, s->lists.h_perm, q->rows * sizeof(int),
                                          cudaMemcpyHostToDevice, s->on.stream))
               ? -1
               : 0;
}

/* Joins tasks to pieces, which are stored after the tasks, and copies both to the device. A task
 * can follow another task in a piece if it begins with a step of the kernel. If no tasks can be
 * joined, there are no pieces. */
static int slot_tasks(struct err *e, struct g4_slot *s)
{
    const struct g4_task *t = (const struct g4_task *)s->h_tasks;
    struct g4_piece *piece = (struct g4_piece *)((struct g4_task *)s->h_tasks + s->ntasks);
    int n = 0;
    for (int k = 0; k < s->ntasks; k++) {
        if (k && s->joins && t[k].group == t[k - 1].group &&
            (t[k].first - piece[n - 1].first) % GRAM_STEP == 0)
            piece[n - 1].last = t[k].last;
        else
            piece[n++] = {t[k].first, t[k].last, k};
    }
    s->npieces = n < s->ntasks ? n : 0;
    return TRY(e, cudaMemcpyAsync(s->d_tasks, t,
                                  (size_t)s->ntasks * sizeof *t + (size_t)n * sizeof *piece,
                                  cudaMemcpyHostToDevice, s->on.stream));
}

int slot_complete(struct err *e, struct g4_slot *s, const struct g4_plan *q)
{
    return send(e, s, q) || TRY(e, cudaSetDevice(s->device)) ||
                   TRY(e, cudaEventRecord(s->filled, s->on.stream))
               ? -1
               : 0;
}

int slot_start(struct err *e, struct g4_slot *s, const struct g4_params *p, const struct g4_plan *q)
{
    int posn = p->input == FRAME_POSN;
    if (TRY(e, cudaSetDevice(s->device)) || (q->lists.groups && slot_sort(e, s, p, q)) ||
        (posn && cells_make(e, &s->cells, (const struct box *)s->h_box, s->first, (size_t)s->cols,
                            q->ld, q->tabled)) ||
        (posn && TRY(e, cudaMemcpyAsync(s->cells.d, s->cells.h, s->cells.n * sizeof *s->cells.h,
                                        cudaMemcpyHostToDevice, s->on.stream))) ||
        slot_tasks(e, s) || slot_kernels(e, s, p, q) ||
        TRY(e, cudaMemcpyAsync(s->h_out, s->d_out,
                               (size_t)p->ncomp * 3 * (size_t)s->ntasks * p->lags * sizeof(double),
                               cudaMemcpyDeviceToHost, s->on.stream)))
        return -1;
    s->busy = 1;
    return 0;
}

int slot_wait(struct err *e, struct g4_slot *s)
{
    cudaEvent_t copied = s->copied;
    s->busy = 0;
    s->copied = NULL;
    return TRY(e, cudaSetDevice(s->device)) || TRY(e, cudaStreamSynchronize(s->on.stream)) ||
                   (copied && TRY(e, cudaEventSynchronize(copied)))
               ? -1
               : 0;
}

int slot_report_nonfinite(struct err *e, const struct g4_slot *s, const struct g4_params *p,
                          const struct g4_plan *q, size_t n)
{
    void *steps = malloc(gpu_mul(n, q->step_bytes));
    int rc = !steps ? err_memory(e, "steps")
             : TRY(e, cudaSetDevice(s->device)) ||
                     TRY(e, cudaMemcpy(steps, s->d_raw, n * q->step_bytes, cudaMemcpyDeviceToHost))
                 ? -1
                 : g4_report_nonfinite(p, s->first, n, steps, (const struct box *)s->h_box, e);
    free(steps);
    return rc;
}

void slot_close(struct g4_slot *s)
{
    void *host[] = {s->h_first, s->h_out, s->h_tasks, s->h_box, s->cells.h};
    void *dev[] = {s->d_raw,  s->d_pos, s->d_table, s->d_pair_atoms, s->d_a,      s->d_asum,
                   s->d_part, s->d_out, s->d_tasks, s->cells.d,      s->d_factors};
    if (!s->on.stream) /* never opened */
        return;
    cudaSetDevice(s->device);
    cudaStreamSynchronize(s->on.stream);
    cudaStreamDestroy(s->on.stream);
    if (s->on.low)
        cudaStreamDestroy(s->on.low);
    if (s->on.turn)
        cudaEventDestroy(s->on.turn);
    if (s->filled)
        cudaEventDestroy(s->filled);
    if (s->kept)
        cudaEventDestroy(s->kept);
    gpu_pair_close(&s->in);
    for (void *h : host)
        gpu_free_host(h);
    for (void *d : dev)
        if (d)
            cudaFree(d);
    cells_free(&s->cells);
    lists_close(&s->lists);
    mesh_close(&s->mesh);
    memset(s, 0, sizeof *s);
}
