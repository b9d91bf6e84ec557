/* SPDX-License-Identifier: MIT */
/* fqt_gpu_transform.cu: transforms of fqt-gpu on the host, by Stockham passes and without FFTW. */
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/units.h"
#include "fqt/fqt_transform.h"

enum { PASSES = 64, RADIX = 4 };

struct fqt_transform {
    size_t n, m;
    int passes;
    size_t radix[PASSES]; /* factors of n */
    double *w;            /* [2][n]: exp(-2 pi i k/n) */
};

extern "C" struct fqt_transform *fqt_transform_open(size_t n, size_t m)
{
    struct fqt_transform *t = (struct fqt_transform *)calloc(1, sizeof *t);
    if (t && m <= INT32_MAX)
        t->w = (double *)malloc(2 * n * sizeof *t->w);
    if (!t || !t->w) {
        free(t);
        return NULL;
    }
    t->n = n;
    t->m = m;
    for (size_t k = 0; k < n; k++) {
        double turn = 2.0 * UNITS_PI * (double)k / (double)n;
        t->w[k] = cos(turn);
        t->w[n + k] = -sin(turn);
    }
    for (size_t left = n, r = RADIX; left > 1; left /= r) {
        if (r == RADIX && left % RADIX)
            r = 2;
        while (left % r)
            r++;
        t->radix[t->passes++] = r;
    }
    return t;
}

/* Transforms a_j = x[j far] for j = 0 to 3, multiplies by w^k, and writes to y[k near]. */
static void four(const double *x, size_t far, double *y, size_t near, size_t m, const double w[6])
{
    double s0 = x[0] + x[2 * far], s1 = x[m] + x[m + 2 * far], d0 = x[0] - x[2 * far],
           d1 = x[m] - x[m + 2 * far], t0 = x[far] + x[3 * far], t1 = x[m + far] + x[m + 3 * far],
           e0 = x[far] - x[3 * far], e1 = x[m + far] - x[m + 3 * far];
    double a0 = d0 + e1, a1 = d1 - e0, b0 = s0 - t0, b1 = s1 - t1, c0 = d0 - e1, c1 = d1 + e0;
    y[0] = s0 + t0;
    y[m] = s1 + t1;
    y[near] = a0 * w[0] - a1 * w[1];
    y[m + near] = a0 * w[1] + a1 * w[0];
    y[2 * near] = b0 * w[2] - b1 * w[3];
    y[m + 2 * near] = b0 * w[3] + b1 * w[2];
    y[3 * near] = c0 * w[4] - c1 * w[5];
    y[m + 3 * near] = c0 * w[5] + c1 * w[4];
}

/* Does the same for r numbers, by the definition of the transform. The index of W is
 * (first + j turn) k. */
static void some(const struct fqt_transform *t, size_t r, size_t first, size_t turn,
                 const double *x, size_t far, double *y, size_t near)
{
    for (size_t k = 0; k < r; k++) {
        double re = 0.0, im = 0.0;
        for (size_t j = 0; j < r; j++) {
            size_t at = (first + j * turn) % t->n * k % t->n;
            double a = x[j * far], b = x[t->m + j * far], c = t->w[at], d = t->w[t->n + at];
            re += a * c - b * d;
            im += a * d + b * c;
        }
        y[k * near] = re;
        y[t->m + k * near] = im;
    }
}

/* Does one pass over sequences of the present length `len`, of which s are interleaved. */
static void pass(const struct fqt_transform *t, size_t r, size_t len, size_t s, const double *x,
                 double *y)
{
    size_t part = len / r, step = t->n / len;
    for (size_t p = 0; p < part; p++) {
        double w[6];
        for (size_t k = 0; k < 3; k++) {
            w[2 * k] = t->w[p * step * (k + 1) % t->n];
            w[2 * k + 1] = t->w[t->n + p * step * (k + 1) % t->n];
        }
        const double *from = x + s * p;
        double *to = y + s * r * p;
        for (size_t q = 0; q < s; q++)
            if (r == RADIX)
                four(from + q, s * part, to + q, s, t->m, w);
            else
                some(t, r, p * step, t->n / r, from + q, s * part, to + q, s);
    }
}

extern "C" void fqt_transform_run(const struct fqt_transform *t, double *in, double *out)
{
    double *x = in, *y = out;
    size_t len = t->n, s = 1;
    for (int k = 0; k < t->passes; k++) {
        double *done = x;
        pass(t, t->radix[k], len, s, x, y);
        len /= t->radix[k];
        s *= t->radix[k];
        x = y;
        y = done;
    }
    for (size_t k = 0; x != out && k < t->n; k++) {
        out[k] = x[k];
        out[t->m + k] = x[t->m + k];
    }
}

extern "C" void fqt_transform_close(struct fqt_transform *t)
{
    if (!t)
        return;
    free(t->w);
    free(t);
}
