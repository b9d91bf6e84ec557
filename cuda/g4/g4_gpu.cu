/* SPDX-License-Identifier: MIT */
/* Implements g4.h on CUDA devices. Steps are collected in chunks, and slots process the chunks in
 * turn. Sums are added in order. */
#include "g4/g4_gpu.h"
#include "g4/g4_lists.h"
#include "pair/pairs.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

#define SLOTS_A_DEVICE 2
#define MADE_STEPS 16 /* number of steps whose pairs the host computes at a time */

int g4_gpu_small, g4_gpu_groups, g4_gpu_lists;

/* The start of a chunk. With several devices, each chunk is started by its own thread, because
 * slot_start waits for the device several times if there are lists. */
struct starter {
    struct g4 *g;
    struct g4_slot *slot;
    pthread_t thread;
    int running, rc; /* running: not yet joined */
    struct err err;
};

struct g4 {
    struct g4_params p;
    struct g4_plan q;
    struct err err;
    struct g4_slot *slot;
    struct starter *starter; /* [nslots] */
    int nslots, turn;        /* turn: index of the slot that is being filled */
    /* origins at the start of the first window that are outside part K of N */
    size_t skip;
    uint64_t steps, first; /* steps seen, and first origin of the window */
    struct stats_blocks blocks;
    struct stats_blocks cuts; /* sub-blocks without sums, as they will be when all chunks that have
                               * been started are added */
    struct pool *pool;        /* threads that copy steps */
    int list[GPU_MAX_DEVICES], ndevices;
    char *all; /* for fft: all steps so far, with the capacity `room` */
    struct box *all_box;
    size_t capacity;
    struct pairs_team *team; /* NULL if beta is computed on the device or is the input */
    char *made;              /* [MADE_STEPS] pairs made by the team */
    double listed;           /* pairs in the tiles of lists, summed over windows */
    uint64_t windows;
};

/* Returns 1 if any device has too little shared memory for gram_posn (all but A100 and later), 0 if
 * not, or -1. */
static int small_device(struct g4 *g)
{
    int small = g4_gpu_small;
    for (int k = 0; k < g->ndevices; k++) {
        int have = 0;
        if (TRY(&g->err,
                cudaDeviceGetAttribute(&have, cudaDevAttrMaxSharedMemoryPerBlockOptin, g->list[k])))
            return -1;
        small |= (size_t)have < gram_shared(0);
    }
    return small;
}

/* For the method fft, checks the sizes that are known before the steps are read. */
static int check_fft(struct g4 *g)
{
    size_t steps = (size_t)g->p.steps_hint, lags = g->p.lags ? g->p.lags : steps;
    size_t all =
        gpu_mul(steps, gpu_add(g->q.step_bytes, g->p.input == FRAME_POSN ? sizeof(struct box) : 0));
    if (!steps || lags > steps)
        return 0;
    if (g->p.max_mem && all > g->p.max_mem)
        return err_set(
            &g->err, ERR_MEMORY,
            "--method fft keeps the whole trajectory in memory: %zu steps need %.1f MiB, but the "
            "limit is %.1f MiB (use --method factored or a larger --max-mem)",
            steps, (double)all / 1048576, (double)g->p.max_mem / 1048576);
    return fft_check(&g->err, &g->p, g->list, g->ndevices, steps, lags);
}

/* Checks that the plan fits into memory. The error states the memory needed, the limit and the
 * remedies. */
static int check_memory(struct g4 *g, const int *list, int n)
{
    size_t device = gpu_mul(g->q.device_bytes, SLOTS_A_DEVICE),
           host = gpu_mul(g->q.host_bytes, (size_t)g->nslots);
    host = gpu_add(host, stats_blocks_bytes(g->blocks.max, g->blocks.row));
    const char *hint = g->p.input == FRAME_PAIR ? "positions instead of pairs, or fewer --lags"
                                                : "fewer --lags or --blocks";
    if (g->p.max_mem && (host > g->p.max_mem || device > g->p.max_mem))
        return err_set(&g->err, ERR_MEMORY,
                       "%zu atoms and %zu lags need %.1f MiB of host and %.1f MiB of GPU memory, "
                       "but the limit is %.1f MiB (use %s, or a larger --max-mem)",
                       g->p.natoms, g->p.lags, (double)host / 1048576, (double)device / 1048576,
                       (double)g->p.max_mem / 1048576, hint);
    for (int k = 0; k < n; k++) {
        int same = 0; /* a device named twice holds two sets */
        for (int m = 0; m < n; m++)
            same += list[m] == list[k];
        size_t avail, need = gpu_mul(device, (size_t)same);
        if (TRY(&g->err, cudaSetDevice(list[k])) || gpu_free_bytes(&g->err, &avail))
            return -1;
        if (need > avail)
            return err_set(&g->err, ERR_MEMORY,
                           "%zu atoms and %zu lags need %.1f MiB of GPU memory, but device %d has "
                           "%.1f MiB free (use %s)",
                           g->p.natoms, g->p.lags, (double)need / 1048576, list[k],
                           (double)avail / 1048576, hint);
    }
    return 0;
}

/* Opens a slot when it is first filled, because a short run needs only one. Returns 0 or -1. */
static int ready(struct g4 *g, struct g4_slot *s)
{
    int device = g->list[(s - g->slot) % g->ndevices];
    return s->on.stream ? 0 : slot_open(&g->err, s, device, &g->p, &g->q);
}

/* The argument box is the cell of the first step, or NULL for all pairs. */
static int open_slots(struct g4 *g, const struct box *box)
{
    int n = g->ndevices, small = small_device(g);
    if (!small && !g->p.accumulate_f32)
        g4_lists_mesh(&g->p, box);
    if (small < 0 || plan_make(&g->err, &g->p, small, box, &g->q))
        return -1;
    if (g->p.method == G4_FFT)
        return check_fft(g);
    g->nslots = n * SLOTS_A_DEVICE;
    if (check_memory(g, g->list, n))
        return -1;
    if (g->p.share.total) {
        g->skip = (size_t)(g->p.share.first % g->q.span);
        g->first = g->p.share.first - g->skip;
    }
    g->slot = (struct g4_slot *)calloc((size_t)g->nslots, sizeof *g->slot);
    g->starter = (struct starter *)calloc((size_t)g->nslots, sizeof *g->starter);
    if (!g->slot || !g->starter)
        return err_set(&g->err, ERR_MEMORY, "out of memory");
    return ready(g, g->slot);
}

/* For weights and selections with sums in runs, lets the host compute pairs. Returns 0 or -1. */
static int open_team(struct g4 *g)
{
    struct pairs q = {};
    int small = small_device(g);
    if (small < 0)
        return -1;
    if (g->p.input != FRAME_POSN || !g->p.factors || g->p.method != G4_FACTORED ||
        (!small && !g->p.accumulate_f32))
        return 0;
    g4_pairs(&g->p, &q);
    int threads = g->p.threads > 0 ? g->p.threads : 1;
    size_t step = gpu_mul(gpu_mul(q.natoms, q.natoms - 1) / 2,
                          (size_t)q.ncomp * frame_dtype_size(q.dtype)),
           need = gpu_add(gpu_mul(step, MADE_STEPS), pairs_team_bytes(&q, PAIRS_TABLES, threads));
    if (err_over(&g->err, (double)need, g->p.max_mem, "fewer components or --threads",
                 "the pairs of %zu atoms", q.natoms))
        return -1;
    g->p.input = FRAME_PAIR;
    g->team = pairs_team_new(&q, PAIRS_TABLES, threads);
    g->made = (char *)malloc(gpu_mul(step, MADE_STEPS));
    return g->team && g->made ? 0 : err_memory(&g->err, "pairs");
}

struct g4 *g4_open(struct g4_params *p, const void *data, const struct box *box, struct err *e)
{
    struct g4 *g = (struct g4 *)calloc(1, sizeof *g);
    if (!g) {
        err_set(e, ERR_MEMORY, "out of memory");
        return NULL;
    }
    g->p = *p;
    g4_blocks_init(&g->blocks, p, p->lags);
    g->cuts = g->blocks;
    g->steps = p->from;
    g->ndevices = gpu_probe(p->devices, g->list, &g->err);
    int copy = g->ndevices > 1 ? 2 * GPU_COPY_THREADS : GPU_COPY_THREADS;
    g->pool = pool_new(p->threads < copy ? p->threads : copy);
    if (g->ndevices >= 0 && !open_team(g) &&
        ((!data && g4_lists_may(&g->p)) || /* without a step, nothing is needed */
         !open_slots(g, g->p.input == FRAME_POSN ? box : NULL))) {
        p->sum = g->p.sum;
        return g;
    }
    *e = g->err;
    g4_close(g);
    return NULL;
}

/* Returns the number of steps in the window that is being filled. */
static size_t filled(const struct g4 *g)
{
    return g->slot ? g->slot[g->turn].steps : 0;
}

static void *run_starter(void *ctx)
{
    struct starter *t = (struct starter *)ctx;
    t->rc = slot_start(&t->err, t->slot, &t->g->p, &t->g->q);
    return NULL;
}

static void launch(struct g4 *g, struct g4_slot *s)
{
    struct starter *t = &g->starter[s - g->slot];
    *t = {g, s};
    t->running = g->ndevices > 1 && pthread_create(&t->thread, NULL, run_starter, t) == 0;
    if (!t->running)
        run_starter(t);
}

/* Waits until the chunk of slot s has been started. Returns 0 or -1. */
static int launched(struct g4 *g, struct g4_slot *s)
{
    struct starter *t = &g->starter[s - g->slot];
    if (t->running)
        pthread_join(t->thread, NULL);
    t->running = 0;
    if (t->rc)
        g->err = t->err;
    return t->rc;
}

/* Adds the results of a chunk to the sub-blocks of its origins. */
static int fold(struct g4 *g, struct g4_slot *s)
{
    if (launched(g, s))
        return -1;
    if (!s->busy)
        return 0;
    if (slot_wait(&g->err, s))
        return -1;
    if (stats_blocks_reach(&g->blocks, s->reach))
        return err_set(&g->err, ERR_MEMORY, "out of memory for %zu blocks of %zu lags", g->p.blocks,
                       g->p.lags);
    size_t L = g->p.lags, C = (size_t)g->p.ncomp, n = (size_t)s->ntasks;
    g->listed += 256.0 * (double)s->lists.tiles;
    g->windows++;
    const struct g4_task *task = (const struct g4_task *)s->h_tasks;
    const double *out = (const double *)s->h_out;
    static const int identity[3] = {G4_G, G4_G2, G4_ATOMS}, direct[3] = {G4_G2, G4_G3, G4_G4};
    int enumerated = g->p.method == G4_DIRECT;
    if (n && !g4_finite(out, C * 3 * n * L)) {
        size_t used = (size_t)task[n - 1].last + L - 1, cols = (size_t)s->cols;
        return slot_report_nonfinite(&g->err, s, &g->p, &g->q, used < cols ? used : cols);
    }
    for (size_t k = 0; k < n; k++) {
        if (g->p.share.total && s->first + (uint64_t)task[k].first >= g->p.share.last)
            break; /* this task computes only A */
        double *row = stats_blocks_at(&g->blocks, s->first + (uint64_t)task[k].first);
        for (size_t c = 0; c < C; c++)
            for (int f = 0; f < 3; f++)
                for (size_t t = 0; t < L; t++) {
                    double v =
                        out[(enumerated ? (c * n + k) * 3 + f : (c * 3 + f) * n + k) * L + t];
                    double *to = row + (t * C + c) * G4_NFUNCTIONS;
                    to[enumerated ? direct[f] : identity[f]] += v;
                    if (enumerated)
                        to[G4_G] += v;
                }
    }
    return 0;
}

/* Adds the results of every chunk in progress, the oldest first. */
static int fold_all(struct g4 *g)
{
    for (int k = 1; k <= g->nslots; k++)
        if (fold(g, &g->slot[(g->turn + k) % g->nslots]))
            return -1;
    return 0;
}

/* Divides origins [0, norigins) of the chunk at the boundaries of sub-blocks, and into pieces.
 * Sub-blocks merge in fold(), when all earlier chunks have been added, so the result does not
 * depend on the number of chunks in progress. */
static void cut(struct g4 *g, struct g4_slot *s, size_t norigins)
{
    struct g4_task *task = (struct g4_task *)s->h_tasks;
    size_t whole = norigins, ours = norigins;
    if (g->p.share.total) { /* the chunk of the whole run that contains this one */
        uint64_t left = g->p.share.total - g->first;
        whole = left < g->q.span ? (size_t)left : g->q.span;
        /* A of the steps after it, as in the whole run */
        norigins = s->steps < whole ? s->steps : whole;
    }
    s->reach = g->first + whole;
    stats_blocks_settle(&g->cuts, s->reach);
    s->ntasks = 0;
    for (size_t t = g->skip, piece = 0; t < norigins;) {
        uint64_t end = stats_blocks_end(&g->cuts, g->first + t) - g->first;
        while (piece <= t)
            piece += plan_piece(&g->q, whole, whole - piece);
        size_t last = end < piece ? (size_t)end : piece;
        size_t max = t < ours ? ours : norigins;
        last = last < max ? last : max;
        task[s->ntasks++] = {(int)t, (int)last, (int)piece};
        t = last;
    }
}

/* Starts norigins origins of the window and moves to the next slot, because the window is full or
 * the trajectory has ended. */
static int start(struct g4 *g, size_t norigins)
{
    struct g4_slot *s = &g->slot[g->turn], *next = &g->slot[(g->turn + 1) % g->nslots];
    size_t keep = s->steps - norigins; /* steps with which the next chunk begins */
    cut(g, s, norigins);
    s->first = g->first;
    size_t used = norigins + g->p.lags - 1; /* non-finite later steps are not an error */
    s->cols = (int)(used < s->steps && !g->p.share.total ? used : s->steps);
    if (slot_complete(&g->err, s, &g->q))
        return -1;
    launch(g, s);
    if (fold(g, next))
        return -1;
    next->steps = next->sent = 0;
    if (keep && (ready(g, next) || slot_keep(&g->err, next, s, &g->q, keep)))
        return -1;
    g->turn = (g->turn + 1) % g->nslots;
    g->first += norigins;
    g->skip = 0;
    return 0;
}

/* Returns how many of the n origins of the window count. */
static size_t origins_left(const struct g4 *g, size_t n)
{
    uint64_t end = g->p.share.total ? g->p.share.last : g->p.origins;
    if (!g->p.share.total && !g->p.origins)
        return n;
    uint64_t left = end > g->first ? end - g->first : 0;
    return left < n ? (size_t)left : n;
}

/* With the method fft, keeps the steps until the end. */
static int keep(struct g4 *g, size_t nsteps, const void *data, const struct box *box)
{
    size_t need = gpu_add((size_t)g->steps, nsteps), per = gpu_add(g->q.step_bytes, sizeof *box);
    if (need > g->capacity) {
        size_t capacity = g->capacity       ? gpu_mul(g->capacity, 2)
                          : g->p.steps_hint ? (size_t)g->p.steps_hint
                                            : 1024;
        capacity = capacity < need ? need : capacity;
        if (g->p.max_mem && gpu_mul(capacity, per) > g->p.max_mem)
            capacity = need;
        if (gpu_mul(capacity, per) == SIZE_MAX ||
            (g->p.max_mem && gpu_mul(capacity, per) > g->p.max_mem))
            return err_set(
                &g->err, ERR_MEMORY,
                "--method fft keeps the whole trajectory in memory: %zu steps need %.1f MiB, but "
                "the limit is %.1f MiB (use --method factored or a larger --max-mem)",
                need, (double)gpu_mul(need, per) / 1048576, (double)g->p.max_mem / 1048576);
        void *all = realloc(g->all, capacity * g->q.step_bytes);
        g->all = all ? (char *)all : g->all;
        void *boxes = realloc(g->all_box, capacity * sizeof *box);
        g->all_box = boxes ? (struct box *)boxes : g->all_box;
        if (!all || !boxes)
            return err_set(&g->err, ERR_MEMORY, "out of memory for %zu steps", capacity);
        g->capacity = capacity;
    }
    gpu_fill(g->pool, g->all + g->steps * g->q.step_bytes, data, nsteps * g->q.step_bytes);
    if (g->p.input == FRAME_POSN)
        memcpy(g->all_box + g->steps, box, nsteps * sizeof *box);
    g->steps += nsteps;
    return 0;
}

/* Takes the cells of n steps, reduced for a mesh. */
static int take_boxes(struct g4 *g, struct box *to, const struct box *from, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (!g->q.mesh.batch)
            to[k] = from[k];
        else if (k && !memcmp(from + k, from + k - 1, sizeof *from))
            to[k] = to[k - 1];
        else if (ewald_reduce(from + k, to + k, &g->err))
            return -1;
    }
    return 0;
}

static int push(struct g4 *g, size_t nsteps, const void *data, const struct box *box)
{
    const char *from = (const char *)data;
    if (g->p.method == G4_FFT)
        return keep(g, nsteps, data, box);
    uint64_t begin = g->q.lists.groups ? g->first : g->p.share.first;
    if (g->steps < begin) { /* no window to fill */
        uint64_t early = begin - g->steps;
        size_t n = early < nsteps ? (size_t)early : nsteps;
        g->steps += n;
        nsteps -= n;
        from += n * g->q.step_bytes;
        box += n;
    }
    g->steps += nsteps;
    /* a window without origins of this part may have any steps, but lists use the whole window */
    while (nsteps && !g->q.lists.groups && filled(g) < g->skip)
        if (slot_put(&g->err, g->slot, &g->q, NULL, 1, from, box))
            return -1;
    while (nsteps) {
        if (origins_left(g, 1) == 0)
            return 0; /* all origins are done, so later steps are only counted */
        struct g4_slot *s = &g->slot[g->turn];
        if (ready(g, s))
            return -1;
        size_t n = g->q.window - s->steps < nsteps ? g->q.window - s->steps : nsteps;
        if ((g->p.input == FRAME_POSN &&
             take_boxes(g, (struct box *)s->h_box + s->steps, box, n)) ||
            slot_put(&g->err, s, &g->q, g->pool, n, from, NULL))
            return -1;
        box += n;
        from += n * g->q.step_bytes;
        nsteps -= n;
        if (s->steps == g->q.window && start(g, origins_left(g, g->q.span)))
            return -1;
    }
    return 0;
}

static void keep_made(void *ctx, size_t s, const void *table)
{
    struct g4 *g = (struct g4 *)ctx;
    memcpy(g->made + s * g->q.step_bytes, table, g->q.step_bytes);
}

int g4_push(struct g4 *g, size_t nsteps, const void *data, const struct box *box)
{
    size_t real = g->p.dtype == FRAME_F64 ? 8 : 4, step = 3 * g->p.natoms * real;
    if (!g->team)
        return push(g, nsteps, data, box);
    for (size_t done = 0, n; done < nsteps; done += n) {
        n = nsteps - done < MADE_STEPS ? nsteps - done : MADE_STEPS;
        struct pairs_steps s = {n, box + done, (const char *)data + done * step, g->steps};
        if (pairs_team_tables(g->team, &s, keep_made, g, &g->err) || push(g, n, g->made, NULL))
            return -1;
    }
    return 0;
}

/* Finishes the remaining chunks. */
static int drain(struct g4 *g)
{
    for (size_t n; (n = filled(g)) && origins_left(g, n);) {
        n = n < g->q.span ? n : g->q.span;
        if (start(g, origins_left(g, n)))
            return -1;
    }
    return fold_all(g);
}

int g4_finish(struct g4 *g, struct g4_result *r)
{
    if (drain(g))
        return -1;
    if (g->p.share.total)
        g->steps = g->p.share.total;
    size_t lags = g->p.lags ? g->p.lags : (size_t)g->steps;
    uint64_t origins = g->p.origins ? g->p.origins : g->steps;
    int fft = g->p.method == G4_FFT;
    if (fft)
        g4_blocks_init(&g->blocks, &g->p, lags);
    if (origins && stats_blocks_reach(&g->blocks, origins))
        return err_set(&g->err, ERR_MEMORY, "out of memory for %zu blocks of %zu lags", g->p.blocks,
                       lags);
    if (fft && lags <= g->steps && origins + lags - 1 <= g->steps + (g->p.origins ? 0 : lags) &&
        g->p.blocks <= origins &&
        fft_finish(&g->err, &g->p, g->list, g->ndevices, g->all, g->all_box, (size_t)g->steps, lags,
                   &g->blocks, NULL))
        return -1;
    if (g4_result_make(&g->blocks, &g->p, lags, g->steps, r, &g->err))
        return -1;
    r->listed = g->windows ? g->listed / (double)g->windows : 0.0;
    if (g4_result_finite(r))
        return 0;
    g4_result_free(r);
    size_t n = fft ? (size_t)g->steps : 0, used = (size_t)origins + lags - 1;
    return g4_report_nonfinite(&g->p, 0, used < n ? used : n, g->all, g->all_box, &g->err);
}

const struct err *g4_error(const struct g4 *g)
{
    return &g->err;
}

void g4_close(struct g4 *g)
{
    if (!g)
        return;
    for (int k = 0; g->slot && g->starter && k < g->nslots; k++) {
        (void)launched(g, &g->slot[k]);
        slot_close(&g->slot[k]);
    }
    free(g->starter);
    free(g->slot);
    free(g->all);
    free(g->all_box);
    pairs_team_free(g->team);
    free(g->made);
    pool_free(g->pool);
    stats_blocks_free(&g->blocks);
    free(g);
}
