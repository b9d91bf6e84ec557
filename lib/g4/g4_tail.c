/* SPDX-License-Identifier: MIT */
#include "g4/g4_tail.h"

#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "base/units.h"
#include "g4/g4_result.h"

/* ---- the function W ---- */

#define WAVES 4000 /* points of an integral over k, STEP apart (the least D > 0 damps the last) */
#define STEP 0.1
#define PANELS 200 /* number of panels over the taper */

static double bessel2(double x)
{
    return x < 0.05 ? x * x / 15.0
                    : (3.0 / (x * x * x) - 1.0 / x) * sin(x) - 3.0 / (x * x) * cos(x);
}

/* Returns j_1(x)/x, which is the integral of j_2(x)/x from x to infinity. */
static double bessel1_over(double x)
{
    return x < 0.05 ? 1.0 / 3.0 - x * x / 30.0 : (sin(x) / x - cos(x)) / (x * x);
}

/* Returns 1 - F at k for r2 = 1. */
static double lacking(double k, double r1)
{
    double sum = 0.0, h = (1.0 - r1) / PANELS;
    struct beta_taper_f64 d;
    struct beta_taper_f32 f;
    beta_taper_set(r1, 1.0, &d, &f);
    for (int p = 0; p < PANELS; p++) {
        double r = r1 + (p + 0.5) * h;
        sum += (1.0 - beta_switch_f64(r * r, d.slope, d.shift)) * bessel2(k * r) / r * h;
    }
    return 3.0 * (sum + bessel1_over(k));
}

void g4_tail_law_make(double r1, struct g4_tail_law *law)
{
    memset(law, 0, sizeof *law);
    law->w[0] = split_tail(1.0, r1, 1.0) / (2.0 * UNITS_PI / 15.0);
    for (int i = 0; i < WAVES; i++) {
        double k = (i + 0.5) * STEP, a = lacking(k, r1);
        double w = 2.0 / (9.0 * UNITS_PI) * k * k * a * (2.0 - a) * STEP;
        for (int m = 1; m <= G4_TAIL_TABLE; m++) {
            double y = m * (G4_TAIL_END / G4_TAIL_TABLE), damp = k * k * y * y / 6.0;
            law->w[m] += damp < 40.0 ? w * exp(-damp) : 0.0;
        }
    }
}

double g4_tail_law_at(const struct g4_tail_law *law, double d)
{
    double cell = G4_TAIL_END / G4_TAIL_TABLE, y = sqrt(d) / cell;
    if (y >= G4_TAIL_TABLE)
        return law->w[G4_TAIL_TABLE] * pow(G4_TAIL_TABLE / y, 3.0);
    int k = (int)y; /* linear in D: no cusp at D = 0 */
    return law->w[k] + (y * y - (double)k * k) / (2.0 * k + 1.0) * (law->w[k + 1] - law->w[k]);
}

/* ---- displacements ---- */

/* A sampled atom of a step: fractional coordinates, 0 to 1, and number of cells crossed. */
struct place {
    double s[3];
    int64_t cells[3];
};

struct g4_tail {
    enum frame_dtype dtype;
    size_t natoms, lags, n, atom[G4_TAIL_ATOMS]; /* n: number of sampled atoms */
    uint64_t origins, seen;            /* origins: 0 means all; seen: number of steps received */
    double sum_of_squares, factor, r2; /* factor: N (2 pi/15) coef² / r2³ */
    struct g4_tail_law law;
    struct place *place;        /* [lags][n], step t in row t % lags */
    struct stats_blocks blocks; /* the blocks of the result, rows [lags] */
};

struct g4_tail *g4_tail_new(const struct g4_params *p)
{
    struct g4_tail *t = calloc(1, sizeof *t);
    double coef = p->coef[0] / beta_coef(p->component[0], 1.0, 1.0), r2 = p->sum.r2;
    if (!t)
        return NULL;
    t->dtype = p->dtype;
    t->natoms = p->natoms;
    t->n = factors_sample(p->factors, p->natoms, G4_TAIL_ATOMS, t->atom);
    t->sum_of_squares = factors_sum_of_squares(p->factors, p->natoms);
    t->lags = p->lags;
    t->origins = p->origins;
    t->r2 = r2;
    t->factor = (double)p->natoms * 2.0 * UNITS_PI / 15.0 * coef * coef / (r2 * r2 * r2);
    g4_tail_law_make(p->sum.r1 / r2, &t->law);
    g4_blocks_init(&t->blocks, p, p->lags);
    t->blocks.row = p->lags; /* the same number of blocks, with shorter rows */
    size_t bytes = stats_blocks_bytes(t->lags, t->n * sizeof *t->place / sizeof(double));
    t->place = bytes < SIZE_MAX ? malloc(bytes) : NULL;
    if (t->place)
        return t;
    free(t);
    return NULL;
}

void g4_tail_free(struct g4_tail *t)
{
    if (!t)
        return;
    stats_blocks_free(&t->blocks);
    free(t->place);
    free(t);
}

/* Computes the positions of the sampled atoms of a step. `before` is the previous step, or NULL. */
static void places(const struct g4_tail *t, const void *pos, const struct box *b,
                   const struct place *before, struct place *to)
{
    for (size_t i = 0; i < t->n; i++) {
        double r[3];
        real_vector(pos, t->dtype == FRAME_F64, t->atom[i], r);
        for (int k = 0; k < 3; k++) {
            double s = box_fraction(b, r, k);
            to[i].s[k] = s - floor(s);
            to[i].cells[k] =
                before ? before[i].cells[k] - (int64_t)rint(to[i].s[k] - before[i].s[k]) : 0;
        }
    }
}

/* Returns the mean square displacement of one atom relative to another, from `a` to `b`. */
static double separate(const struct g4_tail *t, const struct place *a, const struct place *b,
                       const struct box *box)
{
    double sum = 0.0, mean[3] = {0.0, 0.0, 0.0}, n = (double)t->n;
    for (size_t i = 0; i < t->n; i++) {
        double f[3], d;
        for (int k = 0; k < 3; k++)
            f[k] = (b[i].s[k] - a[i].s[k]) + (double)(b[i].cells[k] - a[i].cells[k]);
        for (int c = 0; c < 3; c++) {
            d = (f[0] * box->h[0][c] + f[1] * box->h[1][c]) + f[2] * box->h[2][c];
            mean[c] += d / n;
            sum += d * d / n;
        }
    }
    sum -= (mean[0] * mean[0] + mean[1] * mean[1]) + mean[2] * mean[2];
    return sum > 0.0 && n > 1.0 ? 2.0 * n / (n - 1.0) * sum : 0.0;
}

int g4_tail_add(struct g4_tail *t, uint64_t first, size_t n, const void *data,
                const struct box *box)
{
    size_t step = 3 * t->natoms * frame_dtype_size(t->dtype);
    for (size_t k = 0; k < n; k++, t->seen++) {
        uint64_t now = first + k, reach = t->origins && t->origins <= now ? t->origins : now + 1;
        struct place *to = t->place + (size_t)(now % t->lags) * t->n;
        const struct place *before = t->place + (size_t)((now + t->lags - 1) % t->lags) * t->n;
        struct place last[G4_TAIL_ATOMS];
        if (t->seen)
            memcpy(last, before, t->n * sizeof *last); /* with a single lag, `before` equals `to` */
        places(t, (const char *)data + k * step, &box[k], t->seen ? last : NULL, to);
        double scale = t->factor * t->sum_of_squares / fabs(box_volume(&box[k]));
        if (stats_blocks_reach(&t->blocks, reach))
            return -1;
        for (size_t l = 0; l < t->lags && l <= t->seen; l++) {
            const struct place *from = t->place + (size_t)((now - l) % t->lags) * t->n;
            double d = l ? separate(t, from, to, &box[k]) / (t->r2 * t->r2) : 0.0;
            if (now - l < reach)
                stats_blocks_at(&t->blocks, now - l)[l] += scale * g4_tail_law_at(&t->law, d);
        }
    }
    return 0;
}

int g4_tail_put(struct g4_tail *t, const struct g4_params *p, struct g4_result *r)
{
    struct stats_share share = p->share;
    uint64_t origins = p->origins ? p->origins : share.total ? share.total : r->steps;
    if (!share.total)
        stats_blocks_share(&t->blocks, origins, p->blocks, 1, 1, &share);
    if (share.to - share.from != r->blocks || stats_blocks_reach(&t->blocks, origins) ||
        stats_blocks_take(&t->blocks, &share))
        return -1;
    for (size_t k = 0; k < r->blocks * t->lags * (size_t)r->ncomp; k++) {
        double *to = r->sums + k * G4_NFUNCTIONS, v = t->blocks.v[k / (size_t)r->ncomp];
        to[G4_G2] += v;
        to[G4_G3] -= 2.0 * v;
        to[G4_G4] += v;
    }
    return 0;
}
