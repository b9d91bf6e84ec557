/* SPDX-License-Identifier: MIT */
#include "g4/g4_report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/blocks.h"

static void say(struct g4_report *p, bool warn, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void say(struct g4_report *p, bool warn, const char *fmt, ...)
{
    if (p->n == G4_REPORT_LINES)
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(p->text[p->n], sizeof p->text[p->n], fmt, ap);
    va_end(ap);
    p->warn[p->n++] = warn;
}

static double sum_at(const struct g4_result *r, size_t block, size_t lag, int comp, int f)
{
    return r->sums[((block * r->lags + lag) * (size_t)r->ncomp + (size_t)comp) * G4_NFUNCTIONS +
                   (size_t)f];
}

/* Mean over origins of function f at lag 0, and its standard error from the blocks (NaN: fewer than
 * two). work: [2][blocks]. */
static double lag0(const struct g4_result *r, int comp, int f, double *se, double *work)
{
    for (size_t b = 0; b < r->blocks; b++) {
        work[b] = sum_at(r, b, 0, comp, f);
        work[r->blocks + b] = (double)r->counts[b * r->lags];
    }
    return stats_ratio(r->blocks, work, work + r->blocks, se, NULL, 0);
}

static int isotropy(struct g4_report *p, const struct g4_result *r)
{
    static const char *const names[] = {"G", "G2"};
    double se[2][BETA_NCOMPONENTS], worst = 0;
    int wf = 0, wa = 0, wb = 0;
    double *work = malloc(2 * r->blocks * sizeof *work);
    if (!work)
        return -1;
    p->ncomp = r->ncomp;
    for (int k = 0; k < r->ncomp; k++) {
        p->g[k] = lag0(r, k, G4_G, &se[0][k], work);
        p->g2[k] = lag0(r, k, G4_G2, &se[1][k], work);
    }
    free(work);
    for (int f = 0; f < 2; f++)
        for (int a = 0; a < r->ncomp; a++)
            for (int b = 0; b < a; b++) {
                const double *v = f ? p->g2 : p->g;
                double d = fabs(v[a] - v[b]) / sqrt(se[f][a] * se[f][a] + se[f][b] * se[f][b]);
                if (d > worst) {
                    worst = d;
                    wf = f, wa = a, wb = b;
                }
            }
    p->apart = r->blocks > 1 ? worst : NAN;
    const double *v = wf ? p->g2 : p->g;
    if (r->blocks < 2)
        say(p, false, "isotropy: %d components; --blocks would tell whether they agree", r->ncomp);
    else
        say(p, worst > G4_ISOTROPY_SIGMA,
            "isotropy: components differ by at most %.1f combined standard errors (%s(0) %.6g of "
            "component %d, %.6g of %d)%s",
            worst, names[wf], v[wa], wa + 1, v[wb], wb + 1,
            worst > G4_ISOTROPY_SIGMA ? ": not an isotropic sample, or blocks shorter than its "
                                        "memory; --apart keeps them apart"
                                      : "");
    return 0;
}

/* Integral of G/G(0) over the lags until it first passes 0, in steps. */
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

int g4_report_make(struct g4_report *p, const struct g4_result *r, double dt)
{
    memset(p, 0, sizeof *p);
    p->apart = NAN;
    double steps = memory(r), unit = isnan(dt) ? 1.0 : dt;
    p->tau = steps * unit;
    if (r->ncomp > 1 && isotropy(p, r))
        return -1;
    if (r->blocks > 1 && !isnan(steps)) {
        uint64_t least = UINT64_MAX;
        for (size_t b = 0; b < r->blocks; b++)
            least = r->counts[b * r->lags] < least ? r->counts[b * r->lags] : least;
        if ((double)least < 2.0 * steps)
            say(p, true,
                "the shortest block has %llu origins (%g %s), less than twice the correlation time "
                "of %.4g %s: "
                "blocks are not independent, errors come out too small",
                (unsigned long long)least, (double)least * unit, isnan(dt) ? "steps" : "ps", p->tau,
                isnan(dt) ? "steps" : "ps");
    }
    return 0;
}

int g4_report_meta(const struct g4_report *p, struct meta *m)
{
    int bad = 0;
    if (p->ncomp > 1) {
        bad |= meta_set_f64(m, "data.isotropy.g", p->g, (size_t)p->ncomp);
        bad |= meta_set_f64(m, "data.isotropy.g2", p->g2, (size_t)p->ncomp);
        if (!isnan(p->apart))
            bad |= meta_set_f64(m, "data.isotropy.sigma", &p->apart, 1);
    }
    if (!isnan(p->tau))
        bad |= meta_set_f64(m, "data.correlation_time", &p->tau, 1);
    return bad;
}
