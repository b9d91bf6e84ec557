/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "io/fdio.h"
#include "md/md_engine.h"

#define LAUNCH_SECONDS 0.04             /* device time between samples */
#define LAUNCH_MIN 50.0                 /* steps; a launch costs bricks one step or a list build */
#define SAMPLE_BYTES ((size_t)16 << 20) /* size of each of the two sample buffers of an engine */

void md_samples_free(struct md *m)
{
    for (int k = 0; k < 2; k++) {
        cudaFree(m->d_frames[k]);
        cudaFree(m->d_totals[k]);
        gpu_free_host(m->frames[k]);
        gpu_free_host(m->totals[k]);
        m->d_frames[k] = m->frames[k] = NULL;
        m->d_totals[k] = m->totals[k] = NULL;
    }
    m->frame_slots = m->total_slots = 0;
}

/* Returns the number of samples of `bytes` bytes in a buffer. It is at least 1 and at most `max`,
 * or 0 if `bytes` is 0. */
static size_t slots_of(const struct md *m, size_t bytes, uint64_t max)
{
    size_t capacity = SAMPLE_BYTES / (m->p.beside ? m->p.beside : 1),
           n = bytes ? capacity / bytes : 0;
    return !bytes ? 0 : n < 1 ? 1 : n > max ? (size_t)max : n;
}

/* Memory for the samples of a run. Each of the two buffers has frames and lines of totals. */
struct capacity {
    size_t frame, slot, total; /* of all replicas: positions; with velocities; totals */
    size_t frames, totals;
};

static struct capacity room_of(const struct md *m, const struct md_samples *s, uint64_t nsteps)
{
    size_t size = s->want & MD_WANT_F64 ? 8 : s->want & MD_WANT_F32 ? 4 : 0;
    struct capacity r = {.frame = gpu_mul(m->ncoord, size)};
    r.slot = s->want & MD_WANT_VELOCITIES ? gpu_mul(r.frame, 2) : r.frame;
    r.total = s->want & MD_WANT_THERMO ? m->p.replicas * MD_NTOTALS * sizeof(long long) : 0;
    r.frames = slots_of(m, r.slot, s->every ? nsteps / s->every + 1 : 1);
    r.totals = slots_of(m, r.total, s->thermo_every ? nsteps / s->thermo_every + 1 : 1);
    return r;
}

size_t md_bytes(const struct md *m, const struct md_samples *s, uint64_t nsteps)
{
    struct capacity r = room_of(m, s, nsteps);
    return gpu_add(m->bytes, 2 * gpu_add(gpu_mul(r.frames, r.slot), r.totals * r.total));
}

/* Reserves memory for the samples of a run of nsteps, or for as many samples as fit into
 * SAMPLE_BYTES. Returns 0 or -1. */
static int sample_room(struct md *m, const struct md_samples *s, uint64_t nsteps)
{
    struct capacity r = room_of(m, s, nsteps);
    size_t bytes = md_bytes(m, s, nsteps);
    if (m->slot_bytes == r.slot && m->frame_slots >= r.frames && m->total_slots >= r.totals)
        return 0;
    md_samples_free(m);
    if (err_over(&m->info.err, (double)bytes, m->p.max_mem, NULL,
                 "%zu atoms and their samples on the GPU", m->ncoord / 3))
        return -1;
    for (int k = 0; k < 2; k++)
        if (gpu_alloc(&m->info.err, &m->d_frames[k], gpu_mul(r.frames, r.slot), "samples") ||
            gpu_alloc_host(&m->info.err, &m->frames[k], gpu_mul(r.frames, r.slot), "samples") ||
            gpu_alloc(&m->info.err, &m->d_totals[k], r.totals * r.total, "totals") ||
            gpu_alloc_host(&m->info.err, &m->totals[k], r.totals * r.total, "totals"))
            return -1;
    m->frame_slots = r.frames;
    m->total_slots = r.totals;
    m->frame_bytes = r.frame;
    m->slot_bytes = r.slot;
    return 0;
}

/* Runs one launch from the present state to the other half of the buffers, and waits for it.
 * Returns 0 or -1. Errors on the device are in m->trouble. */
int md_launch_once(struct md *m, const struct md_launch *j, size_t ntotals, int buf)
{
    memset(m->trouble, 0, sizeof *m->trouble);
    m->trouble->step = ~0ull;
    if (TRY(&m->info.err, cudaMemcpyAsync(m->d_trouble, m->trouble, sizeof *m->trouble,
                                          cudaMemcpyHostToDevice, m->stream)))
        return -1;
    if (ntotals &&
        TRY(&m->info.err, cudaMemsetAsync(m->d_totals[buf], 0,
                                          ntotals * m->p.replicas * MD_NTOTALS * 8, m->stream)))
        return -1;
    /* engines share kernels, and each sets the shared memory of its launches */
    static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&launching);
    int bad = m->small ? md_small_launch(m, j) : md_brick_launch(m, j);
    pthread_mutex_unlock(&launching);
    if (bad)
        return -1;
    return TRY(&m->info.err, cudaMemcpyAsync(m->trouble, m->d_trouble, sizeof *m->trouble,
                                             cudaMemcpyDeviceToHost, m->stream)) ||
                   TRY(&m->info.err, cudaEventRecord(m->done, m->stream))
               ? -1
               : 0;
}

/* Finds the steps, in the launch of nsteps after `phase`, at which a sample that is due every
 * `every` steps is taken. */
static struct md_due_at due_at(uint64_t every, uint64_t phase, uint64_t nsteps)
{
    struct md_due_at d = {0, 0};
    uint64_t first = every ? every - phase % every : 0;
    if (every && first <= nsteps) {
        d.first = (unsigned)first;
        d.stride = every < 1u << 30 ? (unsigned)every : 1u << 30; /* more than any launch has */
    }
    return d;
}

struct md_launch md_next_launch(struct md *m, uint64_t nsteps, uint64_t phase,
                                const struct md_samples *samples, int buf)
{
    struct md_launch j = m->job;
    j.nsteps = (long long)nsteps;
    if (samples) {
        j.want = samples->want;
        j.frames = due_at(j.want & MD_WANT_FRAME ? samples->every : 0, phase, nsteps);
        j.sums = due_at(j.want & MD_WANT_THERMO ? samples->thermo_every : 0, phase, nsteps);
    }
    j.r_in = m->d_r[m->cur];
    j.v_in = m->d_v[m->cur];
    j.r_out = m->d_r[!m->cur];
    j.v_out = m->d_v[!m->cur];
    j.pos = m->d_frames[buf];
    j.vel = (char *)m->d_frames[buf] + m->frame_slots * m->frame_bytes;
    j.totals = m->d_totals[buf];
    j.trouble = m->d_trouble;
    return j;
}

/* Waits for the launch. Repeats the launch if memory was too small or lists were too old. Returns 0
 * or -1. */
int md_settle(struct md *m, const struct md_launch *j, size_t ntotals, int buf)
{
    for (int again = 0;; again++) {
        if (TRY(&m->info.err, cudaEventSynchronize(m->done)))
            return -1;
        struct md_trouble t = *m->trouble;
        if (m->small ? md_small_kept(m, (uint64_t)j->nsteps) : !t.staged && !t.own && !t.neighbours)
            return 0;
        if (again == 20)
            return err_set(&m->info.err, ERR_MACHINE,
                           "the neighbour lists still do not fit after 20 attempts");
        if ((!m->small && md_brick_grow(m, &t)) || md_launch_once(m, j, ntotals, buf))
            return -1;
    }
}

static void thermo_of(const struct md *m, const long long *t, struct md_thermo *out)
{
    const struct md_launch *j = &m->job;
    out->kinetic = 0.5 * m->p.mass * m->p.mvv2e * ((double)t[MD_T_V2] / j->v2scale);
    for (int k = 0; k < 3; k++)
        out->momentum[k] = m->p.mass * ((double)t[MD_T_VX + k] / j->vscale);
    out->potential = 0.5 * (double)t[MD_T_U] / j->escale;
    out->virial = 0.5 * (double)t[MD_T_W] / j->escale;
    out->pairs = (uint64_t)t[MD_T_PAIRS] / 2;
    for (int k = 0; k < 6; k++) {
        out->kinetic_ab[k] = m->p.mass * m->p.mvv2e * ((double)t[MD_T_VV + k] / j->v2scale);
        out->virial_ab[k] = 0.5 * (double)t[MD_T_RF + k] / j->escale;
    }
}

/* Samples of a launch on their way to the sink. */
struct batch {
    struct md_launch j;
    size_t frames, totals;
    int buf;
    uint64_t step; /* step at the start of the launch */
};

static size_t due_in(const struct md_launch *j, const struct md_due_at &d, unsigned want)
{
    return j->sample_first ? (j->want & want) != 0
           : d.stride      ? ((unsigned)j->nsteps - d.first) / d.stride + 1
                           : 0;
}

static struct batch batch_of(const struct md *m, const struct md_launch *j, int buf)
{
    struct batch b = {*j, due_in(j, j->frames, MD_WANT_FRAME), due_in(j, j->sums, MD_WANT_THERMO),
                      buf, m->info.step};
    return b;
}

static int batch_copy(struct md *m, const struct batch *b)
{
    size_t totals = b->totals * m->p.replicas * MD_NTOTALS * sizeof(long long);
    size_t half = m->frame_slots * m->frame_bytes, bytes = b->frames * m->frame_bytes;
    char *to = (char *)m->frames[b->buf], *from = (char *)m->d_frames[b->buf];
    for (int k = 0; k < (b->j.want & MD_WANT_VELOCITIES ? 2 : 1); k++)
        if (bytes && TRY(&m->info.err, cudaMemcpyAsync(to + k * half, from + k * half, bytes,
                                                       cudaMemcpyDeviceToHost, m->copy)))
            return -1;
    if (totals && TRY(&m->info.err, cudaMemcpyAsync(m->totals[b->buf], m->d_totals[b->buf], totals,
                                                    cudaMemcpyDeviceToHost, m->copy)))
        return -1;
    return TRY(&m->info.err, cudaEventRecord(m->copied[b->buf], m->copy));
}

/* Passes the samples that are due at step n of the launch to the sink, for each replica. */
static int batch_hand(struct md *m, const struct batch *b, long long n, const struct md_samples *to)
{
    unsigned due = md_due_now(&b->j, n);
    size_t half = m->frame_slots * m->frame_bytes, one = m->frame_bytes / m->p.replicas;
    for (size_t k = 0; due && k < m->p.replicas; k++) {
        struct md_thermo t;
        struct md_sample s = {};
        s.step = b->step + (uint64_t)n;
        s.replica = k;
        if (due & MD_WANT_FRAME)
            s.pos = (char *)m->frames[b->buf] + md_row(&b->j, b->j.frames, n, (int)k) * one;
        if (due & MD_WANT_VELOCITIES)
            s.vel = (const char *)s.pos + half;
        if (due & MD_WANT_THERMO) {
            const long long *row =
                m->totals[b->buf] + md_row(&b->j, b->j.sums, n, (int)k) * MD_NTOTALS;
            thermo_of(m, row, &t);
            s.thermo = &t;
        }
        if (to->sink(to->ctx, &s) != 0)
            return 1;
    }
    return 0;
}

static int batch_deliver(struct md *m, struct batch *b, const struct md_samples *to)
{
    bool any = b->frames || b->totals;
    b->frames = b->totals = 0;
    if (!any)
        return 0;
    if (TRY(&m->info.err, cudaEventSynchronize(m->copied[b->buf])))
        return -1;
    for (long long n = md_next(&b->j, -1); n <= b->j.nsteps; n = md_next(&b->j, n))
        if (batch_hand(m, b, n, to) != 0)
            return 1;
    return 0;
}

static int blown_up(struct md *m, uint64_t start)
{
    uint64_t step = start + m->trouble->step;
    if (m->trouble->kind & MD_BAD_FORCE)
        return err_bad(&m->info.err,
                       "step %llu: the force on an atom is out of range: atoms overlap, or the "
                       "time step is too long",
                       (unsigned long long)step);
    return err_bad(&m->info.err,
                   "step %llu: an atom moved more than %g sigma in one step: the time step is too "
                   "long or atoms overlap",
                   (unsigned long long)step, MD_MAX_MOVE);
}

/* Returns the number of steps of the next launch, which is LAUNCH_SECONDS of work, limited by the
 * memory for samples. */
static uint64_t launch_steps(const struct md *m, uint64_t left, uint64_t phase,
                             const struct md_samples *s)
{
    double wish = m->rate > 0.0 ? m->rate * LAUNCH_SECONDS : m->small ? 2000.0 : LAUNCH_MIN;
    wish = fmax(wish, m->small ? 1.0 : LAUNCH_MIN);
    uint64_t n = wish > 1e9 ? 1000000000 : (uint64_t)wish;
    const uint64_t every[2] = {s->want & MD_WANT_FRAME ? s->every : 0,
                               s->want & MD_WANT_THERMO ? s->thermo_every : 0};
    const uint64_t slots[2] = {m->frame_slots, m->total_slots};
    for (int k = 0; k < 2; k++)
        if (every[k] && (phase % every[k] + n) / every[k] > slots[k])
            n = slots[k] * every[k] - phase % every[k];
    return n < left ? n : left;
}

int md_run(struct md *m, uint64_t nsteps, const struct md_samples *given)
{
    struct md_samples s = {};
    struct batch last = {};
    uint64_t done = 0;
    int rc = 0, buf = 0;
    if (given)
        s = *given;
    if (m->info.err.status || TRY(&m->info.err, cudaSetDevice(m->device)) ||
        sample_room(m, &s, s.whole ? s.whole : nsteps))
        return -1;
    for (; done < nsteps && rc == 0; buf = !buf) {
        uint64_t n = launch_steps(m, nsteps - done, s.done + done, &s);
        struct md_launch j = md_next_launch(m, n, s.done + done, &s, buf);
        struct batch b = batch_of(m, &j, buf);
        double t0 = fdio_now();
        if (md_launch_once(m, &j, b.totals, buf))
            return -1;
        rc = batch_deliver(m, &last, &s);
        double t1 = fdio_now();
        if (md_settle(m, &j, b.totals, buf))
            return -1;
        if (m->trouble->step != ~0ull)
            return blown_up(m, m->info.step);
        double t2 = fdio_now();
        /* otherwise the sink took longer than the device, and the time shows nothing */
        if (t2 - t1 > 0.1 * (t2 - t0))
            m->rate = (double)n / (t2 - t0);
        m->info.builds += m->trouble->builds;
        m->info.step += n;
        done += n;
        m->cur = !m->cur;
        last = b;
        if (m->brick && md_brick_calm(m, n))
            return -1;
        if (rc >= 0 && batch_copy(m, &b))
            return -1;
    }
    return rc ? rc : batch_deliver(m, &last, &s);
}

int md_measure(struct md *m, const struct md_samples *s)
{
    if (m->info.err.status || TRY(&m->info.err, cudaSetDevice(m->device)) || sample_room(m, s, 0))
        return -1;
    struct md_launch j = md_next_launch(m, 0, 0, s, 0);
    j.sample_first = 1;
    struct batch b = batch_of(m, &j, 0);
    if (md_launch_once(m, &j, b.totals, 0) || md_settle(m, &j, b.totals, 0) || batch_copy(m, &b))
        return -1;
    return batch_deliver(m, &b, s);
}
