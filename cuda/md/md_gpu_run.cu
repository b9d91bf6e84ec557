/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#include <time.h>

#include "md/md_engine.h"

#define LAUNCH_SECONDS 0.04             /* of device time: samples come out this often */
#define SAMPLE_BYTES ((size_t)16 << 20) /* of one of the two sample buffers */

void md_samples_free(struct md *m)
{
    for (int k = 0; k < 2; k++) {
        cudaFree(m->d_pos[k]);
        cudaFree(m->d_totals[k]);
        cudaFreeHost(m->pos[k]);
        cudaFreeHost(m->totals[k]);
        m->d_pos[k] = m->pos[k] = NULL;
        m->d_totals[k] = m->totals[k] = NULL;
    }
    m->slots = 0;
}

/* Room for `most` samples or what fits SAMPLE_BYTES, at least one. */
static int sample_room(struct md *m, unsigned want, uint64_t most)
{
    size_t bytes =
        want & (MD_WANT_F32 | MD_WANT_F64) ? gpu_mul(m->ncoord, want & MD_WANT_F64 ? 8 : 4) : 0;
    size_t slots = SAMPLE_BYTES / (bytes + m->p.replicas * MD_NTOTALS * 8);
    slots = slots < 1 ? 1 : slots > most ? (size_t)most : slots;
    if (m->slots >= slots && m->sample_bytes == bytes)
        return 0;
    md_samples_free(m);
    size_t totals = gpu_mul(slots, m->p.replicas * MD_NTOTALS * sizeof(long long));
    for (int k = 0; k < 2; k++)
        if (gpu_alloc(&m->err, &m->d_pos[k], gpu_mul(slots, bytes), "samples") ||
            gpu_alloc_host(&m->err, &m->pos[k], gpu_mul(slots, bytes), "samples") ||
            gpu_alloc(&m->err, (void **)&m->d_totals[k], totals, "totals") ||
            gpu_alloc_host(&m->err, (void **)&m->totals[k], totals, "totals"))
            return -1;
    m->slots = slots;
    m->sample_bytes = bytes;
    return 0;
}

/*
 * One launch from the present state into the other half, waited for. 0 or -1; m->trouble tells what
 * happened there.
 */
int md_launch_once(struct md *m, const struct md_launch *j, size_t nsamples, int buf)
{
    memset(m->trouble, 0, sizeof *m->trouble);
    m->trouble->step = ~0ull;
    if (TRY(&m->err, cudaMemcpyAsync(m->d_trouble, m->trouble, sizeof *m->trouble,
                                     cudaMemcpyHostToDevice, m->stream)))
        return -1;
    if (nsamples &&
        TRY(&m->err, cudaMemsetAsync(m->d_totals[buf], 0, nsamples * m->p.replicas * MD_NTOTALS * 8,
                                     m->stream)))
        return -1;
    if (m->small ? md_small_launch(m, j) : md_brick_launch(m, j))
        return -1;
    return TRY(&m->err, cudaMemcpyAsync(m->trouble, m->d_trouble, sizeof *m->trouble,
                                        cudaMemcpyDeviceToHost, m->stream));
}

struct md_launch md_next_launch(struct md *m, uint64_t nsteps, uint64_t every, uint64_t phase,
                                unsigned want, int buf)
{
    struct md_launch j = m->job;
    j.nsteps = (long long)nsteps;
    j.every = (long long)every;
    j.phase = (long long)phase;
    j.want = want;
    j.r_in = m->d_r[m->cur];
    j.v_in = m->d_v[m->cur];
    j.r_out = m->d_r[!m->cur];
    j.v_out = m->d_v[!m->cur];
    j.pos = m->d_pos[buf];
    j.totals = m->d_totals[buf];
    j.trouble = m->d_trouble;
    return j;
}

/* Wait for the launch; when something did not fit, make room and launch again. 0 or -1. */
int md_settle(struct md *m, const struct md_launch *j, size_t nsamples, int buf)
{
    for (int again = 0;; again++) {
        if (TRY(&m->err, cudaStreamSynchronize(m->stream)))
            return -1;
        if (!m->trouble->staged && !m->trouble->own && !m->trouble->neighbours)
            return 0;
        if (again == 20)
            return err_set(&m->err, ERR_MACHINE,
                           "the neighbour lists do not fit after 20 attempts");
        struct md_trouble t = *m->trouble;
        if (md_brick_grow(m, &t) || md_launch_once(m, j, nsamples, buf))
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
}

/* A launch's samples on their way to the sink. */
struct batch {
    size_t n; /* samples */
    int buf;
    uint64_t first, every; /* step of the first, stride */
};

static int batch_copy(struct md *m, const struct batch *b)
{
    size_t totals = b->n * m->p.replicas * MD_NTOTALS * sizeof(long long);
    if (!b->n)
        return 0;
    if (m->sample_bytes &&
        TRY(&m->err, cudaMemcpyAsync(m->pos[b->buf], m->d_pos[b->buf], b->n * m->sample_bytes,
                                     cudaMemcpyDeviceToHost, m->copy)))
        return -1;
    if (TRY(&m->err, cudaMemcpyAsync(m->totals[b->buf], m->d_totals[b->buf], totals,
                                     cudaMemcpyDeviceToHost, m->copy)) ||
        TRY(&m->err, cudaEventRecord(m->copied[b->buf], m->copy)))
        return -1;
    return 0;
}

static int batch_deliver(struct md *m, struct batch *b, unsigned want, md_sink sink, void *ctx)
{
    size_t n = b->n, replicas = m->p.replicas;
    b->n = 0;
    if (n && TRY(&m->err, cudaEventSynchronize(m->copied[b->buf])))
        return -1;
    for (size_t k = 0; k < n * replicas; k++) {
        struct md_thermo t;
        struct md_sample s;
        thermo_of(m, m->totals[b->buf] + k * MD_NTOTALS, &t);
        s.step = b->first + k / replicas * b->every;
        s.replica = k % replicas;
        s.pos = m->sample_bytes ? (const char *)m->pos[b->buf] + k * (m->sample_bytes / replicas)
                                : NULL;
        s.thermo = want & MD_WANT_THERMO ? &t : NULL;
        if (sink(ctx, &s) != 0)
            return 1;
    }
    return 0;
}

static int blown_up(struct md *m, uint64_t start)
{
    uint64_t step = start + m->trouble->step;
    if (m->trouble->kind & MD_BAD_FORCE)
        return err_set(&m->err, ERR_BAD,
                       "step %llu: a force is too large: atoms have come too close; is the time "
                       "step too long?",
                       (unsigned long long)step);
    return err_set(
        &m->err, ERR_BAD,
        "step %llu: an atom moved more than %g sigma in one step; is the time step too long?",
        (unsigned long long)step, MD_MAX_MOVE);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Steps of the next launch: LAUNCH_SECONDS of work, and no more samples than there is room for. */
static uint64_t launch_steps(const struct md *m, uint64_t left, uint64_t every, uint64_t phase)
{
    double wish = m->rate > 0.0 ? m->rate * LAUNCH_SECONDS : m->small ? 2000.0 : 50.0;
    uint64_t n = wish < 1.0 ? 1 : wish > 1e9 ? 1000000000 : (uint64_t)wish;
    if (every && (phase + n) / every > m->slots)
        n = m->slots * every - phase;
    return n < left ? n : left;
}

int md_run(struct md *m, uint64_t nsteps, uint64_t every, unsigned want, md_sink sink, void *ctx)
{
    struct batch last = {0, 0, 0, every};
    uint64_t done = 0;
    int rc = 0, buf = 0;
    if (!want || !sink)
        every = 0;
    if (m->err.status || (every && sample_room(m, want, nsteps / every + 1)))
        return -1;
    for (; done < nsteps && rc == 0; buf = !buf) {
        uint64_t phase = every ? done % every : 0, n = launch_steps(m, nsteps - done, every, phase);
        struct batch b = {every ? (size_t)((phase + n) / every) : 0, buf, m->step - phase + every,
                          every};
        struct md_launch j = md_next_launch(m, n, every, phase, every ? want : 0, buf);
        double t0 = now();
        if (md_launch_once(m, &j, b.n, buf))
            return -1;
        rc = batch_deliver(m, &last, want, sink, ctx);
        double t1 = now();
        if (md_settle(m, &j, b.n, buf))
            return -1;
        if (m->trouble->step != ~0ull)
            return blown_up(m, m->step);
        double t2 = now();
        if (t2 - t1 >
            0.1 * (t2 - t0)) /* else the sink took longer than the device: nothing learnt */
            m->rate = (double)n / (t2 - t0);
        m->builds += m->trouble->builds;
        m->step += n;
        done += n;
        m->cur = !m->cur;
        last = b;
        if (rc >= 0 && batch_copy(m, &b))
            return -1;
    }
    if (rc == 0)
        rc = batch_deliver(m, &last, want, sink, ctx);
    return rc;
}

int md_measure(struct md *m, unsigned want, md_sink sink, void *ctx)
{
    struct batch b = {1, 0, m->step, 0};
    if (m->err.status || sample_room(m, want, 1))
        return -1;
    struct md_launch j = md_next_launch(m, 0, 0, 0, want, 0);
    j.sample_first = 1;
    if (md_launch_once(m, &j, 1, 0) || md_settle(m, &j, 1, 0) || batch_copy(m, &b))
        return -1;
    return batch_deliver(m, &b, want, sink, ctx);
}
