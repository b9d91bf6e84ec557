/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "md_engine.h"

#define LAUNCH_SECONDS 0.04            /* of device time: samples come out this often */
#define SMALL_AUTO 512                  /* atoms up to which all pairs in one cluster beat lists on the whole device */
#define SAMPLE_BYTES ((size_t)16 << 20) /* of one of the two sample buffers */

const char *md_engine_name(void)
{
    return gpu_name(0);
}

int md_probe(const char *devices, char *err, size_t errlen)
{
    int n = gpu_probe(devices, NULL, err, errlen);
    if (n > 1) {
        snprintf(err, errlen, "molecular dynamics runs on one device, %d were named", n);
        return -1;
    }
    return n < 0 ? -1 : 0;
}

/* Largest power of two (at most 2^52) with n * most * 2^k below 2^59. */
static double total_scale(double n, double most)
{
    int k = (int)floor(59.0 - log2(n * most));
    return ldexp(1.0, k > 52 ? 52 : k);
}

static void job_constants(struct md *m)
{
    const struct md_params *p = &m->p;
    struct md_launch *j = &m->job;
    int periodic = p->boundary == MD_PERIODIC;
    double kt = p->kb * p->temperature, n = (double)p->natoms;
    double vth2 = fmax(kt, 0.01 * p->eps) / (p->mass * p->mvv2e);
    j->lj = lj_make(p->form, p->eps, p->sigma);
    j->fixed = lj_fixed_make(&j->lj, p->box, periodic, p->cutoff, kt);
    for (int k = 0; k < 3; k++) {
        j->box[k] = p->box[k];
        j->inv[k] = periodic ? 1.0 / p->box[k] : 0.0;
    }
    j->rc2 = p->cutoff * p->cutoff;
    j->fscale = ldexp(1.0, 42) * p->sigma / p->eps;
    j->acc = (p->precision == MD_DOUBLE ? 1.0 / j->fscale : j->fixed.force_unit) / (p->mass * p->mvv2e);
    j->escale = total_scale(n, 1e5 * p->eps) ;
    j->v2scale = total_scale(n, 1e4 * vth2);
    j->vscale = total_scale(n, 1e3 * sqrt(vth2));
    j->kick1 = p->integrator == MD_EULER ? p->dt : 0.5 * p->dt;
    j->kick2 = p->integrator == MD_EULER ? 0.0 : 0.5 * p->dt;
    j->dt = p->dt;
    j->max_move = MD_MAX_MOVE * p->sigma;
    j->tau_ratio = p->tau > 0.0 ? p->dt / p->tau : 0.0;
    j->v2_wanted = p->temperature * md_dof(p) * p->kb / (p->mass * p->mvv2e) * j->v2scale;
    j->natoms = (int)p->natoms;
    j->replicas = (int)p->replicas;
    j->mirror = !periodic;
    m->cubic = j->fixed.ratio[1] == 1.0f && j->fixed.ratio[2] == 1.0f;
}

/* Which kernel: all pairs in shared memory for small systems, bricks with lists or cells beyond. 0 or -1. */
static int choose_method(struct md *m)
{
    enum md_neighbours want = m->p.neighbours;
    bool many = m->p.natoms <= 256 && m->p.replicas > (size_t)m->sms / 4;
    m->small = false;
    if ((want == MD_AUTO && m->p.natoms <= SMALL_AUTO) || want == MD_ALL_PAIRS || (want == MD_VERLET && many))
        m->small = md_small_plan(m) == 1;
    m->method = want == MD_CELLS ? MD_CELLS
                : m->small       ? (m->job.list_r2 > 0.0f ? MD_VERLET : MD_ALL_PAIRS)
                                 : (want == MD_ALL_PAIRS ? MD_ALL_PAIRS : MD_VERLET);
    return m->small ? 0 : md_brick_open(m);
}

static int open_device(struct md *m)
{
    int list[GPU_MAX_DEVICES];
    char err[GPU_ERR_BYTES];
    int n = gpu_probe(m->p.devices, list, err, sizeof err), major = 0, shared = 0;
    if (n != 1)
        return gpu_fail(&m->err, 3, "%s", n < 0 ? err : "molecular dynamics runs on one device");
    m->device = list[0];
    TRY(&m->err, cudaSetDevice(m->device));
    TRY(&m->err, cudaDeviceGetAttribute(&m->sms, cudaDevAttrMultiProcessorCount, m->device));
    TRY(&m->err, cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, m->device));
    TRY(&m->err, cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, m->device));
    m->cluster_max = major >= 9 ? 16 : 1;
    TRY(&m->err, cudaStreamCreateWithFlags(&m->stream, cudaStreamNonBlocking));
    TRY(&m->err, cudaStreamCreateWithFlags(&m->copy, cudaStreamNonBlocking));
    for (int k = 0; k < 2; k++)
        TRY(&m->err, cudaEventCreateWithFlags(&m->copied[k], cudaEventDisableTiming));
    return 0;
}

static int open_memory(struct md *m, const double *r, const double *v)
{
    size_t bytes = gpu_mul(m->ncoord, sizeof(double));
    if (m->p.max_mem && gpu_mul(bytes, 8) > m->p.max_mem)
        return gpu_fail(&m->err, 3, "%zu atoms need %.1f MiB, more than the limit of %.1f MiB", m->ncoord / 3,
                        (double)bytes * 8 / 1048576, (double)m->p.max_mem / 1048576);
    for (int k = 0; k < 2; k++)
        if (gpu_alloc(&m->err, (void **)&m->d_r[k], bytes, "positions") ||
            gpu_alloc(&m->err, (void **)&m->d_v[k], bytes, "velocities"))
            return -1;
    if (gpu_alloc(&m->err, (void **)&m->d_trouble, sizeof *m->d_trouble, "status") ||
        gpu_alloc_host(&m->err, (void **)&m->trouble, sizeof *m->trouble, "status"))
        return -1;
    TRY(&m->err, cudaMemcpy(m->d_r[0], r, bytes, cudaMemcpyHostToDevice));
    TRY(&m->err, cudaMemcpy(m->d_v[0], v, bytes, cudaMemcpyHostToDevice));
    return 0;
}

struct md *md_open(const struct md_params *p, const double *r, const double *v, uint64_t step, const void *aux,
                   size_t aux_bytes, int *status, char *err, size_t errlen)
{
    (void)aux, (void)aux_bytes; /* forces depend on the positions alone */
    *status = 2;
    if (md_check(p, r, v, err, errlen) != 0)
        return NULL;
    if (p->natoms > (size_t)1 << 30 || p->replicas > 65535) {
        snprintf(err, errlen, "%zu atoms, %zu replicas: at most 2^30 and 65535", p->natoms, p->replicas);
        return NULL;
    }
    struct md *m = (struct md *)calloc(1, sizeof *m);
    *status = 3;
    if (!m) {
        snprintf(err, errlen, "out of memory");
        return NULL;
    }
    m->p = *p;
    m->step = step;
    m->ncoord = gpu_mul(gpu_mul(p->natoms, p->replicas), 3);
    job_constants(m);
    if (open_device(m) || open_memory(m, r, v) || choose_method(m)) {
        *status = m->err.status;
        snprintf(err, errlen, "%s", m->err.text);
        md_close(m);
        return NULL;
    }
    return m;
}

static void free_samples(struct md *m)
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
    size_t bytes = want & (MD_WANT_F32 | MD_WANT_F64) ? gpu_mul(m->ncoord, want & MD_WANT_F64 ? 8 : 4) : 0;
    size_t slots = SAMPLE_BYTES / (bytes + m->p.replicas * MD_NTOTALS * 8);
    slots = slots < 1 ? 1 : slots > most ? (size_t)most : slots;
    if (m->slots >= slots && m->sample_bytes == bytes)
        return 0;
    free_samples(m);
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

/* One launch from the present state into the other half, waited for. 0 or -1; m->trouble tells what happened there. */
static int launch_once(struct md *m, const struct md_launch *j, size_t nsamples, int buf)
{
    memset(m->trouble, 0, sizeof *m->trouble);
    m->trouble->step = ~0ull;
    TRY(&m->err, cudaMemcpyAsync(m->d_trouble, m->trouble, sizeof *m->trouble, cudaMemcpyHostToDevice, m->stream));
    if (nsamples)
        TRY(&m->err, cudaMemsetAsync(m->d_totals[buf], 0, nsamples * m->p.replicas * MD_NTOTALS * 8, m->stream));
    if (m->small ? md_small_launch(m, j) : md_brick_launch(m, j))
        return -1;
    TRY(&m->err, cudaMemcpyAsync(m->trouble, m->d_trouble, sizeof *m->trouble, cudaMemcpyDeviceToHost, m->stream));
    return 0;
}

static struct md_launch next_job(struct md *m, uint64_t nsteps, uint64_t every, uint64_t phase, unsigned want, int buf)
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
static int settle(struct md *m, const struct md_launch *j, size_t nsamples, int buf)
{
    for (int again = 0;; again++) {
        TRY(&m->err, cudaStreamSynchronize(m->stream));
        if (!m->trouble->staged && !m->trouble->own && !m->trouble->neighbours)
            return 0;
        if (again == 20)
            return gpu_fail(&m->err, 3, "the neighbour lists do not fit after 20 attempts");
        struct md_trouble t = *m->trouble;
        if (md_brick_grow(m, &t) || launch_once(m, j, nsamples, buf))
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
    size_t n;        /* samples */
    int buf;
    uint64_t first, every; /* step of the first, stride */
};

static int batch_copy(struct md *m, const struct batch *b)
{
    size_t totals = b->n * m->p.replicas * MD_NTOTALS * sizeof(long long);
    if (!b->n)
        return 0;
    if (m->sample_bytes)
        TRY(&m->err, cudaMemcpyAsync(m->pos[b->buf], m->d_pos[b->buf], b->n * m->sample_bytes, cudaMemcpyDeviceToHost,
                                     m->copy));
    TRY(&m->err, cudaMemcpyAsync(m->totals[b->buf], m->d_totals[b->buf], totals, cudaMemcpyDeviceToHost, m->copy));
    TRY(&m->err, cudaEventRecord(m->copied[b->buf], m->copy));
    return 0;
}

static int batch_deliver(struct md *m, struct batch *b, unsigned want, md_sink sink, void *ctx)
{
    size_t n = b->n, replicas = m->p.replicas;
    b->n = 0;
    if (n)
        TRY(&m->err, cudaEventSynchronize(m->copied[b->buf]));
    for (size_t k = 0; k < n * replicas; k++) {
        struct md_thermo t;
        struct md_sample s;
        thermo_of(m, m->totals[b->buf] + k * MD_NTOTALS, &t);
        s.step = b->first + k / replicas * b->every;
        s.replica = k % replicas;
        s.pos = m->sample_bytes ? (const char *)m->pos[b->buf] + k * (m->sample_bytes / replicas) : NULL;
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
        return gpu_fail(&m->err, 2, "step %llu: a force is too large: atoms have come too close; is the time step too long?",
                        (unsigned long long)step);
    return gpu_fail(&m->err, 2, "step %llu: an atom moved more than %g sigma in one step; is the time step too long?",
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
        struct batch b = {every ? (size_t)((phase + n) / every) : 0, buf, m->step - phase + every, every};
        struct md_launch j = next_job(m, n, every, phase, every ? want : 0, buf);
        double t0 = now();
        if (launch_once(m, &j, b.n, buf))
            return -1;
        rc = batch_deliver(m, &last, want, sink, ctx);
        double t1 = now();
        if (settle(m, &j, b.n, buf))
            return -1;
        if (m->trouble->step != ~0ull)
            return blown_up(m, m->step);
        double t2 = now();
        if (t2 - t1 > 0.1 * (t2 - t0)) /* else the sink took longer than the device: nothing learnt */
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
    struct md_launch j = next_job(m, 0, 0, 0, want, 0);
    j.sample_first = 1;
    if (launch_once(m, &j, 1, 0) || settle(m, &j, 1, 0) || batch_copy(m, &b))
        return -1;
    return batch_deliver(m, &b, want, sink, ctx);
}

int md_forces(struct md *m, double *f)
{
    struct md_launch j = next_job(m, 0, 0, 0, 0, 0);
    double unit = m->p.precision == MD_DOUBLE ? 1.0 / j.fscale : j.fixed.force_unit;
    if (m->err.status ||
        (!m->d_forces && gpu_alloc(&m->err, (void **)&m->d_forces, m->ncoord * sizeof(double), "forces")))
        return -1;
    j.forces = m->d_forces;
    if (launch_once(m, &j, 0, 0) || settle(m, &j, 0, 0))
        return -1;
    TRY(&m->err, cudaMemcpy(f, m->d_forces, m->ncoord * sizeof(double), cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < m->ncoord; k++)
        f[k] *= unit;
    return 0;
}

int md_state(struct md *m, double *r, double *v)
{
    size_t bytes = m->ncoord * sizeof(double);
    if (m->err.status)
        return -1;
    if (r)
        TRY(&m->err, cudaMemcpy(r, m->d_r[m->cur], bytes, cudaMemcpyDeviceToHost));
    if (v)
        TRY(&m->err, cudaMemcpy(v, m->d_v[m->cur], bytes, cudaMemcpyDeviceToHost));
    return 0;
}

const void *md_aux(struct md *m, size_t *bytes)
{
    (void)m;
    *bytes = 0;
    return NULL;
}

uint64_t md_step(const struct md *m) { return m->step; }
void md_set_step(struct md *m, uint64_t step) { m->step = step; }
enum md_neighbours md_method(const struct md *m) { return m->method; }
uint64_t md_list_builds(const struct md *m) { return m->builds; }
double md_skin(const struct md *m) { return m->skin; }
const char *md_error(const struct md *m) { return m->err.text; }
int md_error_status(const struct md *m) { return m->err.status; }

void md_close(struct md *m)
{
    if (!m)
        return;
    free_samples(m);
    md_brick_close(m->brick);
    for (int k = 0; k < 2; k++) {
        cudaFree(m->d_r[k]);
        cudaFree(m->d_v[k]);
        if (m->copied[k])
            cudaEventDestroy(m->copied[k]);
    }
    cudaFree(m->d_forces);
    cudaFree(m->d_trouble);
    cudaFreeHost(m->trouble);
    if (m->stream)
        cudaStreamDestroy(m->stream);
    if (m->copy)
        cudaStreamDestroy(m->copy);
    free(m);
}
