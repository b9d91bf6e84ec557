/* SPDX-License-Identifier: MIT */
/* Tests spectra of correlation functions whose spectra are known. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "stats/spectrum.h"
#include "tap.h"

#define FFT_ROUNDING                                                                               \
    1e-12 /* relative to the largest intensity: some hundred additions in double  \
           */
#define INTERPOLATION                                                                              \
    1e-6 /* fourth-order interpolation of a Gaussian of 8 steps: (1/8)^4 * 3/128 of its fourth     \
            derivative */

enum { LAGS = 200 };
static const double dt = 0.05;
static const struct spectrum_params plain = {
    .gauss_ps = NAN, .pad = 1.0, .unit = SPECTRUM_THZ, .temperature = NAN};

static double cosine(double t)
{
    return cos(2.0 * M_PI * 2.0 * t);
}
static double gauss(double t)
{
    return exp(-0.5 * t * t / 0.16);
}
static double decay(double t)
{
    return exp(-t / 0.25);
}

/* G = f, G2 = 2f, G3 = -3f, G4 = 2f and, with blocks, some deviations. */
static void make(struct series *s, size_t lags, double (*f)(double), size_t blocks)
{
    static const char *const names[] = {"t_ps", "origins", "G",     "G2",    "G3",
                                        "G4",   "G_se",    "G2_se", "G3_se", "G4_se"};
    static const double scale[4] = {1, 2, -3, 2};
    if (series_alloc(s, FRAME_CORR, lags, blocks ? 10 : 6, blocks) != 0)
        exit(3);
    s->nfunctions = 4;
    s->nsets = 1;
    for (size_t c = 0; c < s->cols; c++) {
        strcpy(s->name[c], names[c]);
        if (blocks && c >= 2 && c < 6)
            s->se[c] = (int)c + 4;
    }
    for (size_t k = 0; k < lags; k++)
        for (size_t c = 0; c < 4; c++) {
            s->v[k * s->cols + 2 + c] = scale[c] * f((double)k * dt);
            double var = 0.0;
            for (size_t b = 0; b < blocks; b++) {
                double d = 0.01 * cos((double)(b * 7 + k * (c + 1)));
                s->dev[(b * lags + k) * s->cols + 2 + c] = d;
                var += d * d;
            }
            if (blocks)
                s->v[k * s->cols + 6 + c] = sqrt(var);
        }
}

static int compute(const struct series *cf, const struct spectrum_params *p, struct spectrum *out)
{
    struct err e;
    int rc = spectrum_compute(cf, dt, p, out, &e);
    if (rc != 0)
        printf("# %s\n", e.text);
    return rc;
}

/* Returns the largest |I - want(nu)| over the axis. */
static double worst(const struct spectrum *s, double (*want)(double))
{
    double w = 0.0;
    for (size_t j = 0; j < s->s.rows; j++)
        w = tap_max(w, fabs(s->s.v[j * s->s.cols + 1] - want(s->s.v[j * s->s.cols])));
    return w;
}

static void test_line(void)
{
    static const struct {
        enum spectrum_unit unit;
        double at;
        const char *name;
    } u[] = {{SPECTRUM_THZ, 2.0, "nu_THz"},
             {SPECTRUM_CM1, 66.71281903963041, "nu_cm-1"},
             {SPECTRUM_RAD_PS, 12.566370614359172, "omega_rad/ps"}};
    struct series cf;
    make(&cf, LAGS, cosine, 0);
    for (int k = 0; k < 3; k++) {
        struct spectrum s;
        struct spectrum_params p = plain;
        p.unit = u[k].unit;
        if (compute(&cf, &p, &s) != 0)
            continue;
        size_t best = 0;
        double second = 0.0;
        for (size_t j = 0; j < s.s.rows; j++)
            if (s.s.v[j * s.s.cols + 1] > s.s.v[best * s.s.cols + 1])
                best = j;
        for (size_t j = 0; j < s.s.rows; j++)
            if (j != best)
                second = tap_max(second, fabs(s.s.v[j * s.s.cols + 1]));
        tap_near(s.s.v[best * s.s.cols], u[k].at, 1e-12 * u[k].at, u[k].name);
        tap_ok(second < 0.02 * s.s.v[best * s.s.cols + 1], "a cosine is one line");
        tap_ok(strcmp(s.s.name[0], u[k].name) == 0 && strcmp(s.s.name[3], "I3") == 0,
               "columns are named");
        tap_near(s.f[0].moment0, 1.0, FFT_ROUNDING, "its integral is G(0)");
        tap_near(s.f[2].moment0, -3.0, FFT_ROUNDING, "and that of I3 is G3(0)");
        spectrum_free(&s);
    }
    series_free(&cf);
}

static double want_gauss(double nu)
{
    return 0.4 * sqrt(2.0 * M_PI) * exp(-2.0 * M_PI * M_PI * 0.16 * nu * nu);
}
static double want_lorentz_sum(double nu)
{
    double r = exp(-dt / 0.25),
           c = cos(2.0 * M_PI * nu * dt); /* the geometric series of a sampled exponential */
    return dt * (1.0 - r * r) / (1.0 - 2.0 * r * c + r * r);
}

static void test_shapes(void)
{
    struct series cf;
    struct spectrum s;
    make(&cf, LAGS, gauss, 0);
    for (double pad = 1.0; pad < 4.0; pad += 1.3) {
        struct spectrum_params p = plain;
        p.pad = pad;
        if (compute(&cf, &p, &s) != 0)
            continue;
        tap_near(worst(&s, want_gauss), 0.0, FFT_ROUNDING, "a Gaussian gives a Gaussian");
        tap_near(s.f[0].moment2, 1.0 / (4.0 * M_PI * M_PI * 0.16), FFT_ROUNDING,
                 "with its second moment");
        tap_ok(s.length >= (size_t)(2 * LAGS * pad), "padded to at least the length asked for");
        spectrum_free(&s);
    }
    series_free(&cf);
    make(&cf, LAGS, decay, 0);
    if (compute(&cf, &plain, &s) == 0) {
        tap_near(worst(&s, want_lorentz_sum), 0.0, FFT_ROUNDING,
                 "an exponential gives the sampled Lorentzian");
        tap_near(s.s.v[1], 0.5, 0.5 * dt * dt / 0.25 / 0.25,
                 "2 tau at 0, to order dt² of the trapezoid rule");
        double nu = s.s.v[20 * s.s.cols];
        tap_near(s.s.v[20 * s.s.cols + 1], 0.5 / (1.0 + pow(2.0 * M_PI * nu * 0.25, 2)), 0.01,
                 "Lorentzian at 20 bins");
        spectrum_free(&s);
    }
    series_free(&cf);
}

/* Compares the transform with the sum of spectrum.h, term by term over both signs of time. */
static void test_windows(void)
{
    static const char *const names[] = {"none", "hann", "blackman", "gauss"};
    static const double quarter[] = {
        1.0, 0.85355339059327373, 0.77355339059327377,
        0.45783336177161427}; /* at 10 of 40 lags, 0.5 ps; s = 0.4 ps */
    for (int k = 0; k < 4; k++) {
        struct spectrum_params p = {.window = (enum spectrum_window)k, .gauss_ps = 0.4};
        tap_near(spectrum_window_at(&p, 10, 40, dt), quarter[k], 1e-15, "a quarter of the way");
        if (k == SPECTRUM_HANN || k == SPECTRUM_BLACKMAN)
            tap_near(spectrum_window_at(&p, 40, 40, dt), 0.0, 1e-15, "0 just past the last lag");
    }
    struct series cf;
    make(&cf, 37, decay, 0);
    for (int k = 0; k < 4; k++) {
        struct spectrum s;
        struct spectrum_params p = plain;
        p.window = (enum spectrum_window)k;
        p.gauss_ps = 0.3;
        p.pad = 1.5;
        if (compute(&cf, &p, &s) != 0)
            continue;
        double bad = 0.0, odd = 0.0, power = 0.0, energy = 0.0;
        for (size_t j = 0; j < s.s.rows; j++) {
            double re = 0.0, im = 0.0;
            for (long t = -36; t <= 36; t++) {
                double c = dt * spectrum_window_at(&p, (size_t)labs(t), 37, dt) *
                           decay((double)labs(t) * dt);
                double a = 2.0 * M_PI * (double)((long)j * t % (long)s.length) / (double)s.length;
                re += c * cos(a);
                im += c * sin(a);
                energy += j == 0 ? c * c / dt : 0.0;
            }
            bad = tap_max(bad, fabs(re - s.s.v[j * s.s.cols + 1]));
            odd = tap_max(odd, fabs(im));
            power += (j == 0 || j + 1 == s.s.rows ? 1.0 : 2.0) * s.step *
                     pow(s.s.v[j * s.s.cols + 1], 2);
        }
        tap_near(bad, 0.0, FFT_ROUNDING, names[k]);
        tap_near(odd, 0.0, FFT_ROUNDING, "even about lag 0: no imaginary part");
        tap_near(power, energy, FFT_ROUNDING, "Parseval");
        tap_near(spectrum_window_at(&p, 0, 37, dt), 1.0, 1e-15, "window 1 at lag 0");
        tap_near(s.f[0].moment0, 1.0, FFT_ROUNDING, "so that the integral stays G(0)");
        spectrum_free(&s);
    }
    series_free(&cf);
}

static void test_quantum(void)
{
    static const struct {
        enum spectrum_quantum q;
        double at1;
        const char *name;
    } q[] = {{SPECTRUM_STANDARD, 1.4621171572600098, "standard: 2/(1+1/e)"},
             {SPECTRUM_HARMONIC, 1.5819767068693265, "harmonic: 1/(1-1/e)"},
             {SPECTRUM_SCHOFIELD, 1.6487212707001282, "schofield: sqrt(e)"}};
    for (int k = 0; k < 3; k++) {
        tap_near(spectrum_quantum_factor(q[k].q, 1.0), q[k].at1, 1e-15, q[k].name);
        tap_near(spectrum_quantum_factor(q[k].q, 0.0), 1.0, 0.0, "1 at zero frequency");
        tap_near(spectrum_quantum_factor(q[k].q, 1e-9), 1.0 + 5e-10, 1e-15,
                 "and 1 + x/2 next to it");
        for (double x = 0.01; x < 40.0; x *= 3.0)
            tap_near(spectrum_quantum_factor(q[k].q, -x) /
                         (exp(-x) * spectrum_quantum_factor(q[k].q, x)),
                     1.0, 1e-13, "detailed balance");
    }
    struct series cf;
    struct spectrum s, c;
    struct spectrum_params p = plain;
    double t = 120.0;
    make(&cf, LAGS, gauss, 0);
    p.temperature = t;
    p.quantum = SPECTRUM_STANDARD;
    if (compute(&cf, &plain, &c) == 0 && compute(&cf, &p, &s) == 0) {
        tap_near(s.f[0].moment0, 1.0, FFT_ROUNDING,
                 "standard leaves the integral over both signs alone");
        double nu = c.s.v[3 * c.s.cols], x = 47.992430733662114 * nu / t;
        tap_near(s.s.v[3 * s.s.cols + 1], c.s.v[3 * c.s.cols + 1] * 2.0 / (1.0 + exp(-x)),
                 FFT_ROUNDING, "x = h nu / kT");
        spectrum_free(&s);
        p.quantum = SPECTRUM_EGELSTAFF;
        if (compute(&cf, &p, &s) == 0) {
            double tau = 47.992430733662114 / (4.0 * M_PI * t), bad = 0.0;
            for (size_t j = 0; j < 30; j++) {
                x = 47.992430733662114 * s.s.v[j * s.s.cols] / t;
                bad = tap_max(bad, fabs(s.s.v[j * s.s.cols + 1] -
                                        exp(-0.5 * tau * tau / 0.16) *
                                            want_gauss(s.s.v[j * s.s.cols]) * exp(0.5 * x)));
            }
            tap_near(bad, 0.0, INTERPOLATION * 10, "egelstaff of a Gaussian is known");
            tap_ok(s.lags < LAGS && s.lags > LAGS - 5, "it cannot use the last lags");
            spectrum_free(&s);
        }
        spectrum_free(&c);
    }
    series_free(&cf);
}

static void test_errors(void)
{
    struct series cf;
    struct spectrum s, t;
    make(&cf, 60, gauss, 3);
    if (compute(&cf, &plain, &s) != 0)
        return;
    size_t cols = s.s.cols;
    double bad = 0.0;
    for (size_t j = 0; j < s.s.rows; j++)
        bad = tap_max(bad, fabs(s.s.v[j * cols + 1] - s.s.v[j * cols + 2] - s.s.v[j * cols + 3] -
                                s.s.v[j * cols + 4]));
    tap_near(bad, 0.0, FFT_ROUNDING * 4, "I = I2 + I3 + I4");
    tap_ok(cols == 9 && strcmp(s.s.name[5], "I_se") == 0 && s.s.se[1] == 5, "errors have columns");
    tap_near(s.f[0].moment0_se, cf.v[6], FFT_ROUNDING,
             "the error of the integral is the error of G(0)");
    /* with a single deviation, the error is the modulus of its transform */
    for (size_t i = 0; i < 2 * cf.rows * cf.cols; i++)
        cf.dev[cf.rows * cf.cols + i] = 0.0;
    struct series one;
    make(&one, 60, gauss, 0);
    for (size_t k = 0; k < 60; k++)
        one.v[k * one.cols + 2] = cf.dev[k * cf.cols + 2];
    spectrum_free(&s);
    if (compute(&cf, &plain, &s) == 0 && compute(&one, &plain, &t) == 0) {
        bad = 0.0;
        for (size_t j = 0; j < s.s.rows; j++)
            bad = tap_max(bad, fabs(s.s.v[j * cols + 5] - fabs(t.s.v[j * t.s.cols + 1])));
        tap_near(bad, 0.0, FFT_ROUNDING,
                 "an error is transformed like the function, with its signs");
        spectrum_free(&s);
        spectrum_free(&t);
    }
    cf.dev[40 * cf.cols + 2] = NAN;
    if (compute(&cf, &plain, &s) == 0) {
        tap_ok(s.unsure == 40 && s.s.cols == 5,
               "a lag without an error: no errors, and it is named");
        spectrum_free(&s);
    }
    cf.v[41 * cf.cols + 3] = NAN;
    tap_ok(compute(&cf, &plain, &s) == -1, "a lag without origins is refused");
    series_free(&cf);
    series_free(&one);
}

/* Tests the names of functions other than those of g4, and separate components. */
static void test_names(void)
{
    static const char *const from[] = {"G", "G2", "C", "msd_xz"}, *const to[] = {"I", "I2", "I_C",
                                                                                 "I_msd_xz"};
    struct series cf;
    struct spectrum s;
    make(&cf, LAGS, gauss, 2);
    for (size_t k = 0; k < 4; k++)
        strcpy(cf.name[SERIES_FIRST + k], from[k]);
    if (compute(&cf, &plain, &s) == 0) {
        for (size_t k = 0; k < 4; k++) {
            char se[SERIES_NAME];
            snprintf(se, sizeof se, "%s_se", to[k]);
            tap_ok(strcmp(s.s.name[1 + k], to[k]) == 0 && strcmp(s.s.name[5 + k], se) == 0 &&
                       strcmp(s.f[k].name, from[k]) == 0,
                   "the spectrum of %s is %s", from[k], s.s.name[1 + k]);
        }
        spectrum_free(&s);
    }
    series_free(&cf);
}

int main(void)
{
    test_line();
    test_shapes();
    test_windows();
    test_quantum();
    test_errors();
    test_names();
    return tap_done();
}
