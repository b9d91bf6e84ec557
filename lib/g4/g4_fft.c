/* SPDX-License-Identifier: MIT */
/* g4_fft.c: computes all lags at once. Two real series form one complex series z = x + i y. The
 * real part of the autocorrelation of z is the sum of both autocorrelations. Let Z be the transform
 * of the whole series, and Z_b the transform of its origins in block b. The products conj(Z_b) Z of
 * all pairs are added up and transformed back once. A single block of all origins needs only one
 * transform and |Z|². Transforms are planned with FFTW_ESTIMATE, which does not depend on timings,
 * so that a run is reproducible bit for bit. Blocks of equal length s (g4_result.h) use short
 * transforms of length 2 s if there are L <= s lags. With Z_c the transform of steps [c s, c s +
 * s), the products of the origins of block c are conj(Z_c) (Z_c + (-1)^k Z_c+1), where the sign is
 * the shift by s. */
#include <fftw3.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fft_size.h"
#include "g4/g4_engine.h"

#define FFT_GROUPS 16 /* most spectra summed in parallel, fixed to be independent of threads */

#define FFT_BUFFERS 4

struct fft {
    struct g4 *g;
    size_t lags, steps; /* steps: number of window steps that are used */
    uint64_t origins;
    size_t m;             /* length of a transform: 2^a 3^b 5^c 7^d >= steps + lags - 1 */
    size_t blocks, plain; /* plain: one block of all steps, power spectra suffice */
    size_t even;          /* origins of each block but the last, or 0 if lengths differ */
    size_t groups;
    double *a;        /* [nblocks][steps][16] */
    double *spectrum; /* [groups][blocks][m] complex, or real when plain */
    double *half;     /* [threads][2][steps][8] */
    char *rows;       /* [threads][2][steps] positions of a block, step after step, because steps
                       * are far apart in the window. NULL for PAIR */
    fftw_complex *z; /* [threads][FFT_BUFFERS][m]: series, its transform, transforms of one block */
    fftw_plan plan, back;
    int comp;
};

static void fft_sizes(const struct g4 *g, uint64_t steps, size_t lags, struct fft *f)
{
    memset(f, 0, sizeof *f);
    f->lags = lags;
    f->origins = g->p.origins ? g->p.origins : steps;
    f->steps = (size_t)steps;
    if (g->p.origins && f->origins + lags - 1 < steps)
        f->steps = (size_t)f->origins + lags - 1;
    f->m = fft_size(f->steps + lags - 1);
    struct stats_blocks b;
    g4_blocks_init(&b, &g->p, lags);
    stats_blocks_settle(&b, f->origins);
    f->blocks = g4_blocks_want(&b, &g->p, f->origins);
    f->plain = f->blocks == 1 && f->origins == steps;
    f->even = !g->p.blocks && !f->plain ? (size_t)b.s : 0;
    if (f->even)
        f->m = f->even >= lags ? 2 * f->even : fft_size(f->even + lags - 1);
    f->groups = g4_rounds_places(g->nblocks, FFT_GROUPS);
}

double g4_fft_bytes(const struct g4 *g, uint64_t steps)
{
    struct fft f;
    if (steps > SIZE_MAX / 64)
        return HUGE_VAL;
    fft_sizes(g, steps, g->lags ? g->lags : steps ? (size_t)steps : 1, &f);
    double threads = g->p.threads > 0 ? g->p.threads : 1;
    double rows = g->p.input == FRAME_POSN ? 2.0 * (double)(g->per * g->esize) : 0.0;
    return (double)g->nblocks * 128.0 * (double)f.steps +
           (double)f.groups * (double)f.blocks * (double)f.m * (f.plain ? 8 : 16) +
           threads * (16.0 * FFT_BUFFERS * (double)f.m + (128.0 + rows) * (double)f.steps) +
           32.0 * (double)f.m;
}

/* Returns the first origin of block k. */
static size_t fft_block(const struct fft *f, size_t k)
{
    return (size_t)stats_blocks_bound(&f->g->blocks, f->origins, f->blocks, k);
}

/* Computes the transform of steps [from, to) of a complex series. */
static void fft_part(const struct fft *f, const double *re, const double *im, size_t stride,
                     size_t from, size_t to, fftw_complex *z, fftw_complex *out)
{
    for (size_t t = from; t < to; t++) {
        z[t - from][0] = re[t * stride];
        z[t - from][1] = im ? im[t * stride] : 0.0;
    }
    memset(z + (to - from), 0, (f->m - (to - from)) * sizeof *z);
    fftw_execute_dft(f->plan, z, out);
}

static size_t fft_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Adds conj(a) (b + sign c) to sum. */
static void fft_add(size_t m, const fftw_complex *a, const fftw_complex *b, const fftw_complex *c,
                    double *sum)
{
    for (size_t k = 0; k < m; k++) {
        double sign = k % 2 ? -1.0 : 1.0, x = b[k][0], y = b[k][1];
        if (c) {
            x += sign * c[k][0];
            y += sign * c[k][1];
        }
        sum[2 * k] += a[k][0] * x + a[k][1] * y;
        sum[2 * k + 1] += a[k][0] * y - a[k][1] * x;
    }
}

/* Does what fft_series() does, for blocks of equal length. */
static void fft_even(const struct fft *f, const double *re, const double *im, size_t stride,
                     fftw_complex *z, double *spectrum)
{
    size_t m = f->m, s = f->even;
    bool chain = s >= f->lags;
    fftw_complex *now = z + m, *next = z + 2 * m, *origins = z + 3 * m;
    if (chain)
        fft_part(f, re, im, stride, 0, fft_min(s, f->steps), z, now);
    for (size_t b = 0; b < f->blocks; b++, spectrum += 2 * m) {
        size_t from = b * s, end = fft_min(from + s, f->steps),
               last = fft_min(from + s, (size_t)f->origins),
               reach = fft_min(last + f->lags - 1, f->steps);
        if (chain)
            fft_part(f, re, im, stride, end, fft_min(end + s, f->steps), z, next);
        else
            fft_part(f, re, im, stride, from, reach, z, now);
        if (!chain || last < end) /* in the last block only the first steps may be origins */
            fft_part(f, re, im, stride, from, last, z, origins);
        fft_add(m, chain && last == end ? now : origins, now, chain ? next : NULL, spectrum);
        if (chain) {
            fftw_complex *swap = now;
            now = next;
            next = swap;
        }
    }
}

/* Adds one complex series [steps] with the given stride to the spectra of a group. */
static void fft_series(const struct fft *f, const double *re, const double *im, size_t stride,
                       fftw_complex *z, double *spectrum)
{
    size_t m = f->m;
    fftw_complex *whole = z + m, *part = z + 2 * m;
    if (f->even) {
        fft_even(f, re, im, stride, z, spectrum);
        return;
    }
    fft_part(f, re, im, stride, 0, f->steps, z, whole);
    if (f->plain) {
        for (size_t k = 0; k < m; k++)
            spectrum[k] += whole[k][0] * whole[k][0] + whole[k][1] * whole[k][1];
        return;
    }
    for (size_t b = 0; b < f->blocks; b++) {
        size_t from = fft_block(f, b), to = fft_block(f, b + 1);
        double *sum = spectrum + 2 * b * m;
        memset(z, 0, m * sizeof *z);
        for (size_t t = from; t < to; t++) {
            z[t][0] = re[t * stride];
            z[t][1] = im ? im[t * stride] : 0.0;
        }
        fftw_execute_dft(f->plan, z, part);
        for (size_t k = 0; k < m; k++) {
            sum[2 * k] += part[k][0] * whole[k][0] + part[k][1] * whole[k][1];
            sum[2 * k + 1] += part[k][0] * whole[k][1] - part[k][1] * whole[k][0];
        }
    }
}

static double *fft_spectrum(const struct fft *f, size_t group)
{
    return f->spectrum + group * f->blocks * f->m * (f->plain ? 1 : 2);
}

/* Copies the positions of block b of atoms to the buffer number `side` of this thread. */
static const char *fft_row(const struct fft *f, size_t b, int side, int thread)
{
    const struct g4 *g = f->g;
    size_t one = g->per * g->esize;
    char *to = f->rows + ((size_t)thread * 2 + (size_t)side) * f->steps * one;
    const char *from = (const char *)g->window + b * g->row_stride * g->esize;
    for (size_t t = 0; t < f->steps; t++)
        memcpy(to + t * one, from + t * g->step_stride * g->esize, one);
    return to;
}

static void fft_blocks(void *ctx, size_t bi, size_t bj, size_t group, int thread)
{
    const struct fft *f = ctx;
    struct g4 *g = f->g;
    double *half = f->half + (size_t)thread * 2 * f->steps * G4_HALF,
           *spectrum = fft_spectrum(f, group);
    fftw_complex *z = f->z + (size_t)thread * FFT_BUFFERS * f->m;
    const char *pi = f->rows ? fft_row(f, bi, 0, thread) : NULL,
               *pj = f->rows && bj != bi ? fft_row(f, bj, 1, thread) : pi;
    for (size_t il = 0; il < G4_LANES && bi * G4_LANES + il < g->natoms; il++) {
        struct g4_tile t;
        g4_tile_set(g, f->comp, 1, bi * G4_LANES + il, bj, 0, f->steps, &t);
        if (f->rows) {
            t.pi = pi + il * g->esize;
            t.pj = pj;
            t.stride = g->per;
        }
        t.half[0][0] = half;
        t.half[0][1] = half + f->steps * G4_HALF;
        t.arow[0] = f->a + bi * f->steps * G4_LANES + il;
        t.acol[0] = f->a + bj * f->steps * G4_LANES;
        SIMD_PICK(g4_tile_fill)(&t);
        for (size_t l = 0; l < G4_LANES; l += 2) {
            const double *re = t.half[0][l / G4_HALF] + l % G4_HALF;
            if (t.mask[l] || t.mask[l + 1])
                fft_series(f, re, re + 1, G4_HALF, z, spectrum);
        }
    }
    g4_tell(g, 0, thread);
}

/* Transforms A_i of the atoms of a group, with two atoms per series. */
static void fft_atoms(void *ctx, size_t group, int thread)
{
    const struct fft *f = ctx;
    for (size_t b = group; b < f->g->nblocks; b += f->groups)
        for (size_t l = 0; l < G4_LANES; l += 2) {
            const double *a = f->a + b * f->steps * G4_LANES + l;
            fft_series(f, a, a + 1, G4_LANES, f->z + (size_t)thread * FFT_BUFFERS * f->m,
                       fft_spectrum(f, group));
        }
}

/* Transforms the spectra of all groups back, adds them to function fn and then clears them. */
static void fft_reduce(struct fft *f, int fn)
{
    struct g4 *g = f->g;
    size_t width = f->plain ? 1 : 2;
    fftw_complex *z = f->z;
    for (size_t b = 0; b < f->blocks; b++) {
        for (size_t k = 0; k < f->m; k++) {
            double re = 0.0, im = 0.0;
            for (size_t q = 0; q < f->groups; q++) {
                const double *v = fft_spectrum(f, q) + (b * f->m + k) * width;
                re += v[0];
                im += width == 2 ? v[1] : 0.0;
            }
            z[k][0] = re;
            z[k][1] = im;
        }
        fftw_execute_dft(f->back, z, z + f->m);
        double *row = stats_blocks_at(&g->blocks, fft_block(f, b));
        for (size_t l = 0; l < f->lags; l++)
            row[(l * (size_t)g->p.ncomp + (size_t)f->comp) * G4_NFUNCTIONS + (size_t)fn] +=
                z[f->m + l][0] / (double)f->m;
    }
    memset(f->spectrum, 0, f->groups * f->blocks * f->m * width * sizeof(double));
}

/* Computes S(t) S(t + l). The first half buffer holds S. */
static void fft_total(struct fft *f)
{
    double *s = f->half;
    for (size_t t = 0; t < f->steps; t++) {
        double sum = 0.0;
        for (size_t b = 0; b < f->g->nblocks; b++)
            for (size_t l = 0; l < G4_LANES; l++)
                sum += f->a[(b * f->steps + t) * G4_LANES + l];
        s[t] = 0.5 * sum;
    }
    fft_series(f, s, NULL, 1, f->z, f->spectrum);
}

static int fft_check(struct fft *f)
{
    for (size_t t = 0; t < f->steps; t++)
        for (size_t b = 0; b < f->g->nblocks; b++)
            for (size_t l = 0; l < G4_LANES; l++)
                if (!isfinite(f->a[(b * f->steps + t) * G4_LANES + l]))
                    return g4_report_nonfinite_step(f->g, t);
    return 0;
}

static int fft_component(struct fft *f)
{
    struct g4 *g = f->g;
    memset(f->a, 0, g->nblocks * f->steps * G4_LANES * sizeof *f->a);
    g->rounds.places = f->groups;
    g->rounds.match = fft_blocks;
    g->rounds.ctx = f;
    g4_rounds_run(g->pool, &g->rounds);
    if (fft_check(f))
        return -1;
    fft_reduce(f, G4_G2);
    pool_run(g->pool, fft_atoms, f, f->groups);
    fft_reduce(f, G4_ATOMS);
    fft_total(f);
    fft_reduce(f, G4_G);
    return 0;
}

int g4_fft_finish(struct g4 *g, size_t lags)
{
    struct fft f;
    size_t threads = (size_t)(g->p.threads > 0 ? g->p.threads : 1);
    int bad = 1;
    fft_sizes(g, g->steps, lags, &f);
    if (g->p.origins && g->steps < g->p.origins + lags - 1)
        return 0; /* g4_result_make() explains this */
    f.g = g;
    g->warned = 0;
    g->tasks = g->nblocks * (g->nblocks + 1) / 2 * (uint64_t)g->p.ncomp;
    g4_blocks_init(&g->blocks, &g->p, lags);
    if (f.origins < f.blocks)
        return 0;
    f.a = malloc(g->nblocks * f.steps * G4_LANES * sizeof *f.a);
    f.spectrum = calloc(f.groups * f.blocks * f.m, (f.plain ? 1 : 2) * sizeof(double));
    f.half = malloc(threads * 2 * f.steps * G4_HALF * sizeof(double));
    f.z = fftw_malloc(threads * FFT_BUFFERS * f.m * sizeof *f.z);
    bool posn = g->p.input == FRAME_POSN;
    f.rows = posn ? malloc(threads * 2 * f.steps * g->per * g->esize) : NULL;
    if (f.a && f.spectrum && f.half && f.z && (f.rows || !posn) && f.m <= INT32_MAX) {
        f.plan = fftw_plan_dft_1d((int)f.m, f.z, f.z + f.m, FFTW_FORWARD, FFTW_ESTIMATE);
        f.back = fftw_plan_dft_1d((int)f.m, f.z, f.z + f.m, FFTW_BACKWARD, FFTW_ESTIMATE);
    }
    if (!f.plan || !f.back || stats_blocks_reach(&g->blocks, f.origins))
        err_set(&g->err, ERR_MEMORY, "out of memory for Fourier transforms of %zu steps", f.m);
    else
        bad = 0;
    for (f.comp = 0; !bad && f.comp < g->p.ncomp; f.comp++)
        bad = fft_component(&f);
    fftw_destroy_plan(f.plan);
    fftw_destroy_plan(f.back);
    fftw_free(f.z);
    free(f.half);
    free(f.rows);
    free(f.spectrum);
    free(f.a);
    return bad ? -1 : 0;
}
