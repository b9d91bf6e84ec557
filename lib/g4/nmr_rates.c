/* SPDX-License-Identifier: MIT */
#include "g4/nmr_rates.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "stats/series_source.h"

#define MU0_4PI 1.00000000055e-7 /* mu_0/4 pi, N/A² */
#define HBAR 1.054571817e-34     /* J s */
#define A6_PS 1e48               /* Å⁻⁶ ps in m⁻⁶ s */
#define TAIL_LAGS 8              /* smallest number of lags for the fit */

static const struct {
    double gamma;
    int twice_spin;
} nuclei[] = {
#define NUMBERS(name, gamma, twice) {gamma, twice},
    NMR_NUCLEI(NUMBERS)};
#define NAMES(name, ...) name,
const char *const nmr_nuclei[] = {NMR_NUCLEI(NAMES) NULL};

/* Returns the constant K of a nucleus, including the conversion from Å⁻⁶ ps to 1/s. */
static double factor_of(int nucleus)
{
    double g = nuclei[nucleus].gamma * 1e6, s = 0.5 * nuclei[nucleus].twice_spin,
           pair = MU0_4PI * g * g * HBAR;
    return 1.5 * pair * pair * s * (s + 1.0) * A6_PS;
}

/* Returns K/6 of quadrupolar rates, including the conversion from ps to s. */
static double quadrupolar(const struct nmr_params *p)
{
    double s = 0.5 * nuclei[p->nucleus].twice_spin, chi = 1e3 * p->coupling;
    return 0.03 * UNITS_PI * UNITS_PI * (2.0 * s + 3.0) / (s * s * (2.0 * s - 1.0)) *
           (1.0 + p->asymmetry * p->asymmetry / 3.0) * chi * chi * 1e-12;
}

const char *nmr_function(const struct nmr_params *p)
{
    return isnan(p->coupling) ? "G2" : "C_2";
}

int nmr_scale(const struct meta *m, double spins, double *scale, struct err *e)
{
    double sigma, prefactor = 3.0, s3;
    const char *pairs = meta_get(m, "data.pairs");
    size_t half = pairs ? (strlen(pairs) - (strlen(pairs) > 0)) / 2 : 0;
    if (meta_get_f64(m, "data.sigma", &sigma, 1) != 1 || !(sigma > 0.0))
        return err_bad(e, "expected the sigma of G2 (data.sigma, from g4-cpu), found none");
    const char *given = meta_get(m, "data.prefactor"), *species = meta_get(m, "sys.species");
    if (meta_get_f64(m, "data.prefactor", &prefactor, 1) < 0 || !(prefactor > 0.0))
        return err_bad(e, "data.prefactor: expected a positive number, found %.40s", given);
    if (!(spins > 0.0)) {
        if (meta_get(m, "data.weights"))
            return err_bad(e, "the number of spins is unknown for weighted pairs (give --spins N, "
                              "the number of atoms whose weight is not 0)");
        if (pairs && (strlen(pairs) != 2 * half + 1 || pairs[half] != '-' ||
                      memcmp(pairs, pairs + half + 1, half) != 0))
            return err_bad(e,
                           "expected pairs of one species, found %.60s (use g4-cpu --pair H-H, or "
                           "give --spins N)",
                           pairs);
        spins = series_atoms(m, pairs, half);
    }
    if (!(spins > 0.0) && species)
        return err_bad(e,
                       "expected pairs of one species, found all pairs of %.60s (use g4-cpu --pair "
                       "H-H, or first frame-cut --species H)",
                       species);
    if (!(spins > 0.0))
        return err_bad(e, "expected atom names, found none (give --spins N if all atoms have "
                          "spins, or name the atoms with traj2bin --species)");
    s3 = sigma * sigma * sigma;
    *scale = 8.0 / (3.0 * spins) * (3.0 / prefactor) * (3.0 / prefactor) / s3 / s3;
    return 0;
}

/* Returns Fresnel's C + iS at u >= 0, from their series. From u = 1.5 on, uses the continued
 * fraction of the complementary error function (Abramowitz, Stegun, 7.3.11 to 7.3.22). */
static double complex fresnel(double u)
{
    double t = 0.5 * UNITS_PI * u * u;
    if (u < 1.5) {
        double complex term = u, sum = u;
        for (int n = 1; n < 60 && cabs(term) > 1e-17 * u; n++) {
            term *= I * t / n;
            sum += term / (2 * n + 1);
        }
        return sum;
    }
    double complex b = 1.0 - 2.0 * I * t, c = 1e300, d = 1.0 / b, h = d;
    for (int n = 1; n < 400; n++) {
        double a = -(2.0 * n - 1.0) * (2.0 * n);
        b += 4.0;
        d = 1.0 / (a * d + b);
        c = b + a / c;
        h *= c * d;
        if (cabs(c * d - 1.0) < 1e-16)
            break;
    }
    h *= u - I * u;
    return (0.5 + 0.5 * I) * (1.0 - (cos(t) + I * sin(t)) * h);
}

/* Sets v[0] to the integral of u^(-3/2) cos(x u) du from 1 to infinity, for x >= 0, and v[1] to the
 * same integral with u^(-5/2). */
static void tail_integrals(double x, double v[2])
{
    double complex left =
        x > 0.0 ? sqrt(2.0 * UNITS_PI / x) * (0.5 + 0.5 * I - fresnel(sqrt(2.0 * x / UNITS_PI)))
                : 0.0; /* integral of exp(i x u)/sqrt(u) from 1 on */
    v[0] = 2.0 * cos(x) - 2.0 * x * cimag(left);
    v[1] = (2.0 * cos(x) - 2.0 * x * (2.0 * sin(x) + 2.0 * x * creal(left))) / 3.0;
}

/* ---- weights of the lags */

/* Computes fit[2][lags], with which the coefficients a and b of the tail are linear functions of C.
 * They come from a least-squares fit of C t^(3/2) = a + b/t over t = 1/2 .. 1, with t in units of
 * the last lag. */
static void tail_weights(size_t lags, double *fit)
{
    size_t first = lags / 2;
    double last = (double)(lags - 1), s[3] = {0};
    for (size_t k = first; k < lags; k++) {
        double x = last / (double)k;
        s[0] += 1.0;
        s[1] += x;
        s[2] += x * x;
    }
    double det = s[0] * s[2] - s[1] * s[1];
    for (size_t k = 0; k < lags; k++) {
        double x = k < first ? 0.0 : last / (double)k, y = k < first ? 0.0 : pow(x, -1.5);
        fit[k] = y * (s[2] - s[1] * x) / det;
        fit[lags + k] = y * (s[0] * x - s[1]) / det;
    }
}

/* Computes w[lags] such that J(nu) = sum w C, with nu in 1/ps. */
static void density_weights(double nu, double dt, size_t lags, const double *fit, double *w)
{
    double turn = 2.0 * UNITS_PI * nu * dt, last = (double)(lags - 1), v[2];
    for (size_t k = 0; k < lags; k++)
        w[k] = 2.0 * dt * (k == 0 || k == lags - 1 ? 0.5 : 1.0) * cos(turn * (double)k);
    if (!fit)
        return;
    tail_integrals(turn * last, v);
    for (size_t k = 0; k < lags; k++)
        w[k] += 2.0 * dt * last * (v[0] * fit[k] + v[1] * fit[lags + k]);
}

static double dot(const double *w, const double *c, size_t stride, size_t lags)
{
    double sum = 0.0;
    for (size_t k = 0; k < lags; k++)
        sum += w[k] * c[k * stride];
    return sum;
}

/* ---- rates */

double nmr_excess(double nu, double dt)
{
    double x = UNITS_PI * nu * 1e-6 * dt, one = x > 0.0 ? x / sin(x) : 1.0,
           two = x > 0.0 ? 2.0 * x / sin(2.0 * x) : 1.0;
    return x < 0.25 * UNITS_PI ? 0.5 * (one * one + two * two) - 1.0 : INFINITY;
}

/* Writes 0 and the frequencies of the axis in MHz to `nu` (if not NULL). Returns their number. */
static size_t axis(const struct nmr_params *p, double dt, double *nu)
{
    double from = isnan(p->from) ? 1.0 : p->from, to = isnan(p->to) ? HUGE_VAL : p->to;
    size_t n = 1;
    if (nu)
        nu[0] = 0.0;
    for (;; n++) {
        double v = from * pow(10.0, (double)(n - 1) / (double)p->decade);
        if (v > to * (1.0 + 1e-12) || nmr_excess(v, dt) > (isnan(p->to) ? NMR_EXCESS : HUGE_VAL))
            break;
        if (nu)
            nu[n] = v;
    }
    return n;
}

struct rates {
    const struct series *cf;
    size_t col, lags;
    double *w[3], *rate[2]; /* weights of J(0), J(nu), J(2 nu), and of R1 and R2 */
    double *fit, *dev;      /* fit: tail that the weights include, or NULL if none */
    double *would;          /* fit of a tail, whether or not it is included, or NULL if there are
                             * too few lags */
};

/* Computes a row of the result. */
static void row(const struct rates *r, struct series *out, size_t j, double dt, double factor)
{
    double nu = out->v[j * out->cols] * 1e-6; /* 1/ps */
    density_weights(nu, dt, r->lags, r->fit, r->w[1]);
    density_weights(2.0 * nu, dt, r->lags, r->fit, r->w[2]);
    for (size_t k = 0; k < r->lags; k++) {
        r->rate[0][k] = factor * (r->w[1][k] + 4.0 * r->w[2][k]);
        r->rate[1][k] = factor * (1.5 * r->w[0][k] + 2.5 * r->w[1][k] + r->w[2][k]);
    }
    for (size_t i = 0; i < 2; i++) {
        const struct series *cf = r->cf;
        out->v[j * out->cols + 1 + i] = dot(r->rate[i], cf->v + r->col, cf->cols, r->lags);
        if (out->se[1 + i] < 0)
            continue;
        for (size_t b = 0; b < cf->blocks; b++)
            r->dev[(b * 2 + i) * out->rows + j] =
                dot(r->rate[i], cf->dev + b * cf->rows * cf->cols + r->col, cf->cols, r->lags);
    }
}

/* Computes the errors of both rates. Returns 0, or -1 if memory runs out. */
static int put_errors(const struct rates *r, struct series *out)
{
    struct error *e = malloc(out->rows * sizeof *e);
    int rc = e ? 0 : -1;
    for (size_t i = 0; rc == 0 && i < 2 && out->se[1 + i] >= 0; i++) {
        struct errors_column c = {
            .dev = r->dev + i * out->rows, .rows = out->rows, .next = 1, .stride = 2 * out->rows};
        rc = errors_column(&r->cf->errors, &c, e);
        for (size_t j = 0; rc == 0 && j < out->rows; j++)
            out->v[j * out->cols + (size_t)out->se[1 + i]] = e[j].se;
    }
    free(e);
    return rc;
}

static int make(struct rates *r, struct series *out, double dt, const struct nmr_params *p,
                struct err *e)
{
    static const char *const names[] = {"nu_MHz", "R1", "R2", "R1_se", "R2_se"};
    size_t n = axis(p, dt, NULL), L = r->lags, errors = r->cf->se[r->col] >= 0;
    double *capacity = malloc(7 * L * sizeof *capacity), *nu = malloc(n * sizeof *nu);
    r->dev = malloc((2 * n * r->cf->blocks + 1) * sizeof *r->dev);
    r->w[0] = capacity;
    if (!capacity || !nu || !r->dev || series_alloc(out, FRAME_SPEC, n, errors ? 5 : 3, 0) != 0) {
        free(nu);
        return err_memory(e, "relaxation rates");
    }
    for (size_t k = 1; k < 3; k++)
        r->w[k] = capacity + k * L;
    r->rate[0] = capacity + 3 * L;
    r->rate[1] = capacity + 4 * L;
    if (L >= 2 * TAIL_LAGS)
        tail_weights(L, r->would = capacity + 5 * L);
    r->fit = p->tail ? r->would : NULL;
    density_weights(0.0, dt, L, r->fit, r->w[0]);
    axis(p, dt, nu);
    for (size_t c = 0; c < out->cols; c++)
        strcpy(out->name[c], names[c]);
    for (size_t c = 1; c < 3 && errors; c++)
        out->se[c] = (int)c + 2;
    for (size_t j = 0; j < n; j++)
        out->v[j * out->cols] = nu[j];
    free(nu);
    return 0;
}

/* Returns A/B - 1, where A is the trapezoidal integral over every second lag and B is the integral
 * over all lags. Both end at the last common lag. */
static double coarseness(const struct series *cf, size_t col)
{
    size_t last = (cf->rows - 1) / 2 * 2;
    double sum[2] = {0.0, 0.0}; /* sums of even and of odd lags */
    for (size_t k = 0; k <= last; k++)
        sum[k % 2] += (k == 0 || k == last ? 0.5 : 1.0) * cf->v[k * cf->cols + col];
    return last ? 2.0 * sum[0] / (sum[0] + sum[1]) - 1.0 : NAN;
}

int nmr_rates(const struct series *cf, double dt_ps, double scale, const struct nmr_params *p,
              struct series *out, double fit[2], double *coarse, struct err *e)
{
    struct rates r = {.cf = cf, .lags = cf->rows};
    bool dipolar = isnan(p->coupling);
    int col = series_column(cf, nmr_function(p)), rc;
    *out = (struct series){0};
    fit[0] = fit[1] = *coarse = NAN;
    const char *program = dipolar ? "g4-cpu --component all, without --components" : "rotacf-cpu";
    if (cf->type != FRAME_CORR || col < 0)
        return err_bad(e, "the input has no function %s (use %s)", nmr_function(p), program);
    if (!dipolar && nuclei[p->nucleus].twice_spin < 2)
        return err_bad(
            e, "--quadrupolar: expected a nucleus with a spin of at least 1, found %s (use --spin)",
            nmr_nuclei[p->nucleus]);
    if (p->tail && cf->rows < 2 * TAIL_LAGS)
        return err_bad(e,
                       "--tail: expected at least %d lags, found %zu (use more --lags in g4-cpu)",
                       2 * TAIL_LAGS, cf->rows);
    if (!isnan(p->to) && isinf(nmr_excess(p->to, dt_ps)))
        return err_bad(e,
                       "--highest: expected a frequency below %.6g MHz, which is 1/(4 dt), found "
                       "%g (use a lower frequency or a shorter time between frames)",
                       0.25e6 / dt_ps, p->to);
    r.col = (size_t)col;
    for (size_t k = 0; k < cf->rows; k++)
        if (!isfinite(cf->v[k * cf->cols + r.col]))
            return err_bad(e, "%s at lag %zu: expected a number, found none (use fewer --lags)",
                           nmr_function(p), k);
    rc = make(&r, out, dt_ps, p, e);
    for (size_t j = 0; rc == 0 && j < out->rows; j++)
        row(&r, out, j, dt_ps, dipolar ? scale * factor_of(p->nucleus) / 6.0 : quadrupolar(p));
    if (rc == 0 && put_errors(&r, out) != 0)
        rc = err_memory(e, "the errors of the rates");
    if (rc == 0)
        *coarse = coarseness(cf, r.col);
    if (rc == 0 && r.would && dipolar) {
        double a = dot(r.would, cf->v + r.col, cf->cols, r.lags),
               b = dot(r.would + r.lags, cf->v + r.col, cf->cols, r.lags), v[2];
        tail_integrals(0.0, v);
        fit[0] = 2.0 * dt_ps * (double)(r.lags - 1) * (v[0] * a + v[1] * b) /
                 dot(r.w[0], cf->v + r.col, cf->cols, r.lags);
        fit[1] = a / (a + b);
    }
    free(r.w[0]);
    free(r.dev);
    if (rc != 0)
        series_free(out);
    return rc;
}
