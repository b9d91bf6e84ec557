/* SPDX-License-Identifier: MIT */
#include "stats/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 64 /* halvings of any number of blocks */
#define RATIOS 15 /* of what edges and blocks carry: 0, and 10^-2 to 10^4.5 in steps of 10^0.5 */
#define ENDS 0.5  /* of the two edges at the ends of a run, in its sum */

static double ratio(int k)
{
    return k ? pow(10.0, 0.5 * k - 2.5) : 0.0;
}

/* For each ratio what edges make of the power of a cosine where a block has 1: 1/power
 * [RATIOS][n], and half the logarithm of the product of powers [RATIOS]. */
static void expect(const struct errors *e, size_t n)
{
    double *product = e->expected + RATIOS * n;
    size_t j = 0;
    for (size_t k = 0; k < e->nruns; k++)
        for (size_t i = 1; i < e->run[k]; i++, j++) {
            double size = (double)e->run[k], a = M_PI * (double)i / (2.0 * size), s = sin(a),
                   c = cos(a), edges = 4.0 * (s * s + c * c / size);
            for (int r = 0; r < RATIOS; r++) {
                e->expected[(size_t)r * n + j] = 1.0 / (1.0 + ratio(r) * edges);
                product[r] += 0.5 * log1p(ratio(r) * edges);
            }
        }
}

int errors_init(struct errors *e, int levels, size_t blocks, const char *runs)
{
    size_t most = runs ? strlen(runs) / 2 + 1 : 1, sum = 0;
    *e = (struct errors){.levels = levels, .blocks = blocks};
    e->run = calloc(2 * most, sizeof *e->run);
    e->d = calloc(blocks + 1, sizeof *e->d);
    e->n = calloc(blocks + 1, sizeof *e->n);
    if (!e->run || !e->d || !e->n)
        return -1;
    e->left = e->run + most;
    if (!runs)
        e->run[e->nruns++] = sum = blocks;
    for (char *end = NULL; runs && *runs; runs = end) {
        unsigned long long n = strtoull(runs, &end, 10);
        if (end == runs || n == 0 || n > blocks - sum || e->nruns == most)
            return -1;
        sum += e->run[e->nruns++] = (size_t)n;
        end += *end == ' ';
    }
    if (sum != blocks)
        return -1;
    if (levels && blocks > e->nruns) {
        size_t n = blocks - e->nruns;
        if (!(e->expected = calloc(RATIOS * (n + 1), sizeof *e->expected)))
            return -1;
        expect(e, n);
    }
    return 0;
}

void errors_free(struct errors *e)
{
    free(e->run);
    free(e->d);
    free(e->n);
    free(e->expected);
    *e = (struct errors){0};
}

/* 95 % quantile of chi-square; Wilson and Hilferty where the table ends. */
static double chi_square(int dof)
{
    static const double q[] = {0.0,       3.841459,  5.991465,  7.814728,  9.487729, 11.070498,
                               12.591587, 14.067140, 15.507313, 16.918978, 18.307038};
    double a = 2.0 / (9.0 * dof), b = 1.0 - a + 1.644854 * sqrt(a);
    return dof < (int)(sizeof q / sizeof *q) ? q[dof] : dof * b * b * b;
}

/* What a level says. */
struct level {
    size_t used;      /* blocks that hold something */
    size_t pairs;     /* neighbours of these */
    double square, r; /* sum of d², correlation of neighbours less what the mean takes from it */
    double chi;       /* its share of M */
    int tells;        /* it has a share */
};

static struct level look(const struct errors *e, const double *d, const double *n)
{
    struct level l = {0};
    double product = 0.0;
    size_t at = 0;
    for (size_t k = 0; k < e->nruns; k++)
        for (size_t b = 0; b < e->left[k]; b++, at++) {
            l.used += n[at] != 0.0;
            l.square += d[at] * d[at];
            if (b && n[at] != 0.0 && n[at - 1] != 0.0) {
                l.pairs++;
                product += d[at - 1] * d[at];
            }
        }
    double used = (double)l.used;
    if (l.pairs && l.used > 2 && l.square > 0.0) { /* two are opposite: they say nothing */
        l.tells = 1;
        l.r = product / l.square + (double)l.pairs / (used * (used - 1.0));
        l.chi = l.r * l.r * used * used / (double)l.pairs;
    }
    return l;
}

/* Neighbours of a run become one. 0: nothing left to merge. */
static int merge(const struct errors *e, double *d, double *n)
{
    size_t from = 0, to = 0;
    int merged = 0;
    for (size_t k = 0; k < e->nruns; k++) {
        size_t left = e->left[k];
        for (size_t b = 0; b < left; b += 2, to++, from += 2) {
            int two = b + 1 < left;
            d[to] = d[from] + (two ? d[from + 1] : 0.0);
            n[to] = n[from] + (two ? n[from + 1] : 0.0);
            merged |= two;
        }
        from -= left % 2;
        e->left[k] = (left + 1) / 2;
    }
    return merged;
}

static struct error plain(const struct level *l)
{
    return l->used < 2 ? (struct error){NAN, 0.0}
                       : (struct error){sqrt(l->square), (double)l->used - 1.0};
}

/* se² by a level; what is left of the correlation of neighbours is estimated, too, and triples its variance */
static double square(const struct level *l, double finest, double *dof)
{
    double used = (double)l->used, extra = l->r > 0.0 ? 1.0 + 2.0 * l->r : 1.0;
    *dof = extra > 1.0 ? (used - 1.0) / 3.0 : used - 1.0;
    return l->square * extra * (used / (used - 1.0)) / (finest / (finest - 1.0));
}

/* The first level that passes, of so many. */
static struct error choose(const struct level *l, int levels)
{
    double m = 0.0, finest = (double)l[0].used, dof, above;
    int best = -1, chi = 0;
    for (int k = levels - 1; k >= 0; k--) {
        m += l[k].chi;
        chi += l[k].tells;
        if (chi == 0 || m < chi_square(chi))
            best = k;
    }
    if (best < 0 || l[best].used < ERRORS_BLOCKS)
        return (struct error){NAN, 0.0};
    double se2 = square(&l[best], finest, &dof);
    if ((best > 0 || l[0].r > 0.0) && best + 1 < levels && l[best + 1].used >= ERRORS_BLOCKS)
        se2 = fmax(se2, square(&l[best + 1], finest, &above));
    if (se2 * ERRORS_INDEPENDENT > finest * l[0].square)
        return (struct error){NAN, 0.0};
    return (struct error){sqrt(se2), dof};
}

/* ---- edges */

/* Power of the cosines of each run, n of them, as the se² that each says. */
static void powers(const struct errors *e, const double *d, double *power)
{
    for (size_t k = 0; k < e->nruns; d += e->run[k++])
        for (size_t i = 1; i < e->run[k]; i++) {
            double size = (double)e->run[k], a = M_PI * (double)i / (2.0 * size), c = cos(a),
                   before = c, twice = 2.0 * cos(2.0 * a), z = 0.0;
            for (size_t b = 0; b < e->run[k]; b++) {
                double next = twice * c - before;
                z += c * d[b];
                before = c;
                c = next;
            }
            *power++ = 2.0 / size * z * z * (double)(e->blocks - 1);
        }
}

/* The error where blocks give back at their edges: the mean over the ratios, by their likelihood. */
static struct error at_edges(const struct errors *e)
{
    size_t n = e->blocks - e->nruns;
    const double *product = e->expected + RATIOS * n;
    double *power = e->n, like[RATIOS], se2[RATIOS], most = -INFINITY, sum = 0.0, mean = 0.0,
           squares = 0.0;
    powers(e, e->d, power);
    for (int r = 0; r < RATIOS; r++) {
        double scale = 0.0;
        for (size_t j = 0; j < n; j++)
            scale += power[j] * e->expected[(size_t)r * n + j];
        scale /= (double)n;
        se2[r] = scale * (1.0 + 2.0 * ENDS * ratio(r) * (double)e->nruns / (double)e->blocks);
        like[r] = -product[r] - 0.5 * (double)n * log(scale);
        most = fmax(most, like[r]);
    }
    for (int r = 0; r < RATIOS; r++) {
        double weight = exp(like[r] - most);
        sum += weight;
        mean += weight * se2[r];
        squares += weight * se2[r] * se2[r];
    }
    mean /= sum;
    squares = squares / sum * (1.0 + 2.0 / (double)n) - mean * mean;
    return (struct error){sqrt(mean), fmin(2.0 * mean * mean / squares, (double)n)};
}

struct error errors_of(const struct errors *e, const double *dev, size_t stride, const double *n)
{
    struct level l[LEVELS];
    int levels = 1;
    for (size_t b = 0; b < e->blocks; b++) {
        e->d[b] = dev[b * stride];
        e->n[b] = n ? n[b] : 1.0;
    }
    memcpy(e->left, e->run, e->nruns * sizeof *e->run);
    l[0] = look(e, e->d, e->n);
    if (!e->levels || l[0].used < 2)
        return plain(l);
    if (l[0].used == e->blocks && l[0].pairs >= ERRORS_EDGES &&
        l[0].r < -1.0 / sqrt((double)l[0].pairs))
        return at_edges(e);
    while (levels < LEVELS && merge(e, e->d, e->n) && (l[levels] = look(e, e->d, e->n)).used >= 2)
        levels++;
    return choose(l, levels);
}

/* ---- Student's t */

/* Continued fraction of the incomplete beta function, x < (a + 1) / (a + b + 2) (Lentz). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1.0, d = 1.0 / (1.0 - (a + b) * x / (a + 1.0)), h = d;
    for (int k = 1; k < 1000; k++) {
        double two = 2.0 * k, up = k * (b - k) * x / ((a + two - 1.0) * (a + two)),
               down = -(a + k) * (a + b + k) * x / ((a + two) * (a + two + 1.0));
        d = 1.0 / (1.0 + up * d);
        c = 1.0 + up / c;
        h *= d * c;
        d = 1.0 / (1.0 + down * d);
        c = 1.0 + down / c;
        h *= d * c;
        if (fabs(d * c - 1.0) < 1e-15)
            break;
    }
    return h;
}

double errors_tail(double t, double dof)
{
    double a = 0.5 * dof, b = 0.5;
    t = fabs(t);
    if (!(dof < 1e6)) /* normal, to 1e-6 */
        return erfc(t * sqrt(0.5));
    double x = dof / (dof + t * t), y = t * t / (dof + t * t);
    if (t == 0.0 || y == 0.0)
        return 1.0;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    return x < (a + 1.0) / (a + b + 2.0) ? front * beta_fraction(a, b, x) / a
                                         : 1.0 - front * beta_fraction(b, a, y) / b;
}

double errors_quantile(double p, double dof)
{
    double low = 0.0, high = 1.0;
    if (!(p > 0.0))
        return INFINITY;
    while (errors_tail(high, dof) > p && high < 1e300)
        high *= 2.0;
    for (int k = 0; k < 200 && high - low > 1e-14 * high; k++) {
        double mid = 0.5 * (low + high);
        *(errors_tail(mid, dof) > p ? &low : &high) = mid;
    }
    return high;
}

double errors_dof(double se_a, double dof_a, double se_b, double dof_b)
{
    double a = se_a * se_a, b = se_b * se_b, sum = a + b;
    double down = (dof_a > 0.0 ? a * a / dof_a : 0.0) + (dof_b > 0.0 ? b * b / dof_b : 0.0);
    return down > 0.0 ? sum * sum / down : INFINITY;
}
