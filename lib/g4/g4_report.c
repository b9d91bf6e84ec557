/* SPDX-License-Identifier: MIT */
#include "g4/g4_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/blocks.h"
#include "stats/errors.h"
#include "stats/series.h"

static double sum_at(const struct g4_result *r, size_t block, size_t lag, int comp, int f)
{
    return r->sums[((block * r->lags + lag) * (size_t)r->ncomp + (size_t)comp) * G4_NFUNCTIONS +
                   (size_t)f];
}

static const char *const components[] = {BETA_NAMES};

/* Returns the group of a component. In a cube, different groups may differ (beta.h). */
static int group(const char *name)
{
    int c = 0;
    while (c < BETA_NCOMPONENTS && strcmp(name, components[c]) != 0)
        c++;
    return c < BETA_NCOMPONENTS && beta_even(c);
}

/* Writes the names of the components of a group to `text`. */
static const char *group_names(int g, char text[64])
{
    size_t n = 0;
    for (int c = 0; c < BETA_NCOMPONENTS; c++)
        if (beta_even(c) == g)
            n += (size_t)snprintf(text + n, 64 - n, "%s%s", n ? ", " : "", components[c]);
    return text;
}

/* Values of the components at lag 0, including deviations. */
struct lag0 {
    size_t blocks, ncomp;
    struct errors errors;
    char name[BETA_NCOMPONENTS][SERIES_WORD];
    double *y, *n, *d;                /* [blocks] */
    double m[2][BETA_NCOMPONENTS];    /* G(0), G2(0) */
    double *dev[2][BETA_NCOMPONENTS]; /* [blocks] each */
};

static void lag0_free(struct lag0 *z)
{
    errors_free(&z->errors);
    free(z->y);
}

static int lag0_make(struct lag0 *z, const struct g4_result *r, int levels, const char *names)
{
    static const int f[2] = {G4_G, G4_G2};
    size_t blocks = r->blocks, ncomp = (size_t)r->ncomp;
    *z = (struct lag0){.blocks = blocks, .ncomp = ncomp};
    if (!(z->y = calloc((3 + 2 * ncomp) * blocks, sizeof *z->y)) ||
        errors_init(&z->errors, levels, blocks, NULL) != 0)
        return -1;
    z->n = z->y + blocks;
    z->d = z->n + blocks;
    for (size_t b = 0; b < blocks; b++)
        z->n[b] = (double)r->counts[b * r->lags];
    for (size_t c = 0; c < ncomp; c++) {
        if (!names || series_word(names, c, z->name[c], SERIES_WORD) != 1)
            snprintf(z->name[c], SERIES_WORD, "%zu", c + 1);
        for (int k = 0; k < 2; k++) {
            z->dev[k][c] = z->d + (1 + 2 * c + (size_t)k) * blocks;
            for (size_t b = 0; b < blocks; b++)
                z->y[b] = sum_at(r, b, 0, (int)c, f[k]);
            z->m[k][c] = stats_ratio(blocks, z->y, z->n, NULL, z->dev[k][c], 1);
        }
    }
    return 0;
}

static const char *const lag0_names[] = {"G", "G2"};

#define PIECES 16 /* pieces of a run whose scatter gives the error of a difference */

/* Returns the standard error of a difference from pieces of the run, including the correlation of
 * adjacent pieces. Its degrees of freedom are known. Returns NaN if there are fewer blocks than
 * half the pieces. */
static struct error by_pieces(const struct lag0 *z, const double *d)
{
    double piece[PIECES] = {0.0}, square = 0.0, product = 0.0, k = PIECES;
    if (z->blocks < PIECES / 2)
        return (struct error){NAN, 0.0, 0.0, false};
    if (z->blocks < PIECES)
        k = (double)z->blocks;
    for (size_t b = 0; b < z->blocks; b++)
        piece[(size_t)(k * ((double)b + 0.5) / (double)z->blocks)] += d[b];
    for (size_t p = 0; p < (size_t)k; p++) {
        square += piece[p] * piece[p];
        product += p ? piece[p] * piece[p - 1] : 0.0;
    }
    double r = square > 0.0 ? fmax(0.0, product / square + 1.0 / k) : 0.0;
    return (struct error){sqrt(square * k / (k - 1.0) * (1.0 + 2.0 * r)), k - 1.0, k, true};
}

/* Compares components a and b of a group. *worst is the lowest probability so far. */
static void compare_two(struct g4_report *p, struct lag0 *z, int levels, int k, size_t a, size_t b,
                        double *worst, char *text, size_t size)
{
    for (size_t i = 0; i < z->blocks; i++)
        z->d[i] = z->dev[k][a][i] - z->dev[k][b][i];
    double diff = z->m[k][a] - z->m[k][b];
    struct error e = levels ? by_pieces(z, z->d) : errors_of(&z->errors, z->d, 1, z->n);
    double chance = e.se > 0.0 ? errors_tail(diff / e.se, e.dof) : 1.0;
    if (e.se > 0.0 && !(fabs(diff) / e.se <= p->separate))
        p->separate = fabs(diff) / e.se;
    if (isnan(e.se) || !(chance < *worst))
        return;
    *worst = chance;
    snprintf(text, size, "%s(0) is %.6g for %s and %.6g for %s, a difference of %.3g +- %.2g",
             lag0_names[k], z->m[k][a], z->name[a], z->m[k][b], z->name[b], fabs(diff), e.se);
}

/* Compares the two groups, which a finite cube affects differently. */
static void between(struct g4_report *p, struct lag0 *z, int k)
{
    double n[2] = {0.0, 0.0}, m[2] = {0.0, 0.0};
    char text[2][64];
    for (size_t c = 0; c < z->ncomp; c++) {
        n[group(z->name[c])] += 1.0;
        m[group(z->name[c])] += z->m[k][c];
    }
    if (n[0] == 0.0 || n[1] == 0.0)
        return;
    for (size_t i = 0; i < z->blocks; i++) {
        z->d[i] = 0.0;
        for (size_t c = 0; c < z->ncomp; c++)
            z->d[i] += group(z->name[c]) ? -z->dev[k][c][i] / n[1] : z->dev[k][c][i] / n[0];
    }
    struct error e = errors_of(&z->errors, z->d, 1, z->n);
    double a = m[0] / n[0], b = m[1] / n[1], unit = 200.0 / (a + b);
    notes_add(p->notes, NOTE_TELL,
              "isotropy: %s(0) is %.6g for %s and %.6g for %s, a difference of %.2g +- %.2g %% (in "
              "a periodic cubic cell, these two groups of components may differ)",
              lag0_names[k], a, group_names(0, text[0]), b, group_names(1, text[1]), (a - b) * unit,
              e.se * unit);
}

static int isotropy(struct g4_report *p, const struct g4_result *r, int levels, bool cube,
                    const char *names)
{
    struct lag0 z;
    char text[256] = "";
    double worst = 1.0, tests = 0.0;
    int bad = lag0_make(&z, r, levels, names);
    p->ncomp = r->ncomp;
    for (size_t c = 0; !bad && c < z.ncomp; c++) {
        p->g[c] = z.m[0][c];
        p->g2[c] = z.m[1][c];
    }
    for (int k = 0; !bad && k < (cube ? 2 : 1) && r->blocks > 1; k++) {
        for (size_t a = 0; a < z.ncomp; a++)
            for (size_t b = 0; b < a; b++)
                if (group(z.name[a]) == group(z.name[b])) {
                    compare_two(p, &z, levels, k, a, b, &worst, text, sizeof text);
                    tests += 1.0;
                }
        between(p, &z, k);
    }
    const char *why =
        r->blocks > 1 ? "the run is too short for its correlation time" : "there is only one block";
    if (!bad && isnan(p->separate))
        notes_add(p->notes, NOTE_TELL, "isotropy: the components cannot be compared: %s", why);
    p->chance = fmin(1.0, worst * tests);
    const char *more = p->chance < 1e-6 ? "more than " : "",
               * or = levels ? "" : ", or the blocks are shorter than its correlation time";
    if (!bad && !isnan(p->separate) && p->chance < G4_ISOTROPY_CHANCE)
        notes_add(p->notes, NOTE_WARN,
                  "isotropy: %s, which occurs by chance in one in %s%.0f isotropic samples; the "
                  "sample is therefore probably anisotropic%s (use a longer run, or --components "
                  "for separate components)",
                  text, more, fmin(1e6, 1.0 / p->chance), or);
    lag0_free(&z);
    return bad;
}

/* Returns the integral of G/G(0) over the lags up to its first zero, in steps. */
static double memory(const struct g4_result *r)
{
    double first = 0, tau = 0;
    for (size_t l = 0; l < r->lags; l++) {
        double sum = 0, n = 0;
        for (size_t b = 0; b < r->blocks; b++) {
            n += (double)r->counts[b * r->lags + l];
            for (int k = 0; k < r->ncomp; k++)
                sum += sum_at(r, b, l, k, G4_G);
        }
        double v = n > 0 ? sum / n : 0;
        if (l == 0)
            first = v;
        if (!(first > 0))
            return NAN;
        if (v <= 0)
            break;
        tau += (l == 0 ? 0.5 : 1.0) * v / first;
    }
    return tau;
}

int g4_report_make(struct g4_report *p, struct notes *notes, const struct g4_result *r, double dt,
                   int levels, bool cube, const char *names)
{
    *p = (struct g4_report){.notes = notes, .separate = NAN};
    double steps = memory(r), unit = isnan(dt) ? 1.0 : dt;
    const char *name = isnan(dt) ? "steps" : "ps";
    p->tau = steps * unit;
    if (r->ncomp > 1 && isotropy(p, r, levels, cube, names))
        return -1;
    if (r->blocks > 1 && !levels && !isnan(steps)) {
        uint64_t min = UINT64_MAX;
        for (size_t b = 0; b < r->blocks; b++)
            min = r->counts[b * r->lags] < min ? r->counts[b * r->lags] : min;
        if ((double)min < 2.0 * steps)
            notes_add(
                p->notes, NOTE_WARN,
                "the shortest block has %llu time origins (%g %s), less than twice the correlation "
                "time of %.4g %s. The blocks are not independent, so the errors are too small",
                (unsigned long long)min, (double)min * unit, name, p->tau, name);
    }
    return 0;
}

int g4_report_meta(const struct g4_report *p, struct meta *m)
{
    int bad = 0;
    if (p->ncomp > 1) {
        bad |= meta_set_f64(m, "data.isotropy.g", p->g, (size_t)p->ncomp);
        bad |= meta_set_f64(m, "data.isotropy.g2", p->g2, (size_t)p->ncomp);
        if (!isnan(p->separate))
            bad |= meta_set_f64(m, "data.isotropy.sigma", &p->separate, 1) |
                   meta_set_f64(m, "data.isotropy.chance", &p->chance, 1);
    }
    if (!isnan(p->tau))
        bad |= meta_set_f64(m, "data.correlation_time", &p->tau, 1);
    return bad;
}
