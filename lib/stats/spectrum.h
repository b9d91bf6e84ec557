/* SPDX-License-Identifier: MIT */
/*
 * spectrum.h: from a correlation function to its spectrum, with errors, quantum corrections and
 * moments.
 *
 * A one-sided CF C(k dt), k < L, is made even about lag 0, so that lag 0 counts once and every
 * other lag twice:
 *     I(nu_j) = dt [C_0 + 2 sum_{k=1}^{L-1} w_k C_k cos(2 pi j k / M)],   nu_j = j / (M dt),  j =
 *       0..M/2
 * with a window w that is 1 at lag 0 and even about it. Then the sum over all M bins, both signs,
 * of I times the bin width is exactly C_0: in the chosen unit the integral of I is G(0). M = 2 m,
 * where m >= pad * L is the smallest such number without a prime factor above 7; what lies beyond
 * the last lag is zero.
 *
 * Windows, t = k dt, first zero at L dt: hann cos²(pi k / 2L); blackman 0.42 + 0.5 cos(pi k/L) +
 * 0.08 cos(2 pi k/L); gauss exp(-t²/2 s²), s in ps.
 *
 * Quantum corrections with x = h nu / kT, on the side nu >= 0 (I(-nu) = e^-x I(nu) holds for each,
 * so half of it says all): standard 2/(1 + e^-x), harmonic x/(1 - e^-x), schofield e^(x/2),
 * egelstaff: C at sqrt(t² + (hbar/2kT)²), by cubic interpolation, then e^(x/2). Source: Borysow,
 * Moraldi, Frommhold, Mol. Phys. 56 (1985) 913; Egelstaff, Adv. Phys. 11 (1962) 203; Schofield,
 * Phys. Rev. Lett. 4 (1960) 239.
 *
 * A window adds -w''(0) C(0) / (2 pi)² to the second moment, in 1/ps² (w'' = -(pi/L dt)²/2 for hann,
 * -0.82 (pi/L dt)² for blackman, -1/s² for gauss): stated in META, not taken off. Egelstaff's
 * correction needs lags that are near each other against hbar/2kT: 125 fs at 90 K, three times it,
 * give 0.80 of the intensity at 100 cm⁻¹ and 0.28 at 120.
 *
 * Weights turn it into what is measured, w(nu) on either side: nu2 = nu², the classical absorption of
 * infrared light by a dipole's function (McQuarrie, Statistical Mechanics, 1976, 21-1), nu-tanh =
 * (2kT/h) nu tanh(h nu/2kT), the same with the standard correction, nu² for h -> 0 (Ramirez,
 * Lopez-Ciudad, Kumar, Marx, J. Chem. Phys. 121 (2004) 3973); nu, the imaginary part of the response
 * -(1/kT) dC/dt but for pi/kT; nu4 = (1 - nu/nu_0)^4 of light scattered from a laser at nu_0, nu3 the
 * same counted in photons. The first three know both directions of a transition: they need C as it is,
 * without a correction; the others go with each.
 *
 * The ratio of two functions, VH/VV, has the deviations (dev_a - ratio dev_b) / b: what both have
 * in common cancels.
 *
 * Every step is linear in C, so errors are carried exactly: each deviation of series.h is
 * transformed like C itself, which keeps the correlations between lags, and errors.h finds the
 * level of blocks for each frequency.
 */
#ifndef MBF_SPECTRUM_H
#define MBF_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/series.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Windows a + b cos(pi k/L) + c cos(2 pi k/L), a + b + c = 1: NAME, word, a, b, c and b + 4 c, which
 * is -w''(0) (L dt/pi)². One more is a row here, and on its page. */
#define SPECTRUM_COSINES(ROW)                                                                      \
    ROW(HANN, "hann", 0.5, 0.5, 0.0, 0.5)                                                          \
    ROW(BLACKMAN, "blackman", 0.42, 0.5, 0.08, 0.82)

#define SPECTRUM_WINDOW(NAME, ...) SPECTRUM_##NAME,
enum spectrum_window {
    SPECTRUM_NO_WINDOW,
    SPECTRUM_COSINES(SPECTRUM_WINDOW) /* commas of their own */
    SPECTRUM_GAUSS
};
#undef SPECTRUM_WINDOW
enum spectrum_unit { SPECTRUM_CM1, SPECTRUM_THZ, SPECTRUM_RAD_PS, SPECTRUM_MEV };
enum spectrum_quantum {
    SPECTRUM_CLASSICAL,
    SPECTRUM_STANDARD,
    SPECTRUM_HARMONIC,
    SPECTRUM_SCHOFIELD,
    SPECTRUM_EGELSTAFF,
    SPECTRUM_BOSE /* harmonic: x (n + 1), n = 1/(e^x - 1) */
};
enum spectrum_weight {
    SPECTRUM_NO_WEIGHT,
    SPECTRUM_NU,
    SPECTRUM_NU2,
    SPECTRUM_NU_TANH,
    SPECTRUM_NU3,
    SPECTRUM_NU4
};

struct spectrum_params {
    enum spectrum_window window;
    double gauss_ps; /* SPECTRUM_GAUSS: standard deviation, ps, > 0 */
    double pad;      /* >= 1 */
    enum spectrum_unit unit;
    enum spectrum_quantum quantum;
    double temperature; /* K, > 0; unused for SPECTRUM_CLASSICAL without SPECTRUM_NU_TANH */
    enum spectrum_weight weight;
    double laser; /* of SPECTRUM_NU3, SPECTRUM_NU4: nu_0, cm⁻¹, where the axis ends; else NaN */
    bool two_sided;      /* -M/2 .. M/2 instead of 0 .. M/2 */
    const char *ratio;   /* "A/B", two functions: a column A/B behind the spectra; NULL: none */
    const char *names;   /* of the spectra of all functions, a list; NULL: I of G, I_NAME of NAME */
    const char *unit_of; /* unit of the functions as in META (data.unit), for names; NULL: none */
    const char *units;   /* functions with another unit (data.unit.of); NULL: none */
};

/* About one function. Moments are integrals over both signs of nu of I and nu² I, up
 * to the end of the axis. */
struct spectrum_function {
    char name[SERIES_NAME]; /* of the correlation function: G, G2_xz, ... */
    double moment0, moment2, moment0_se,
        moment2_se; /* unit, unit³... of the axis: [G] and [G] axis²; se NaN: unknown */
    double window2; /* of moment2: what the window adds; NaN: no window, or a quantum correction */
    double first, last, last_se; /* C at lag 0 and at the last lag */
    size_t negative;             /* bins with I < 0 */
};

struct spectrum {
    struct series s;           /* FRAME_SPEC: axis, spectra, and their _se when the CF has errors */
    size_t nfunctions, groups; /* groups: values of a second axis; 0: there is none */
    struct spectrum_function *f; /* [groups or 1][nfunctions] */
    size_t ratio[2];             /* functions; both 0: no ratio */
    size_t length, lags;         /* M, and lags used (egelstaff cannot use the last few) */
    double nyquist, step;        /* Nyquist frequency and bin width, in the chosen unit */
    double end; /* last frequency, where the laser or an overflow ends the axis earlier; else NaN */
    double coarse; /* egelstaff, hbar/2kT in ps where lags are too far apart for it; else 0 */
    size_t unsure; /* first lag without an error, so that no errors are carried; 0: none */
};

/* Bytes that spectrum_compute will hold for a CF of that size; SIZE_MAX when that is too large to
 * count. */
size_t spectrum_bytes(const struct series *cf, const struct spectrum_params *p);

/*
 * cf: FRAME_CORR columns of series_read; dt_ps > 0. Returns 0, or -1 with e: no lag, a lag
 * without origins, a ratio of what is not there, memory. The axis ends before the laser, and where
 * a quantum correction is about to overflow. Columns are named as p->names says, else after the functions: G gives I, G2 I2, any other NAME I_NAME, and
 * their unit, where unit_of is a power: of "(A^3)^2" I_NAME_A6cm.
 */
int spectrum_compute(const struct series *cf, double dt_ps, const struct spectrum_params *p,
                     struct spectrum *out, struct err *e) FRAME_MUST;
/* The same of functions with a second axis, too, which stays one: axis, second axis, spectra. */
int spectrum_compute_groups(const struct series *cf, double dt_ps, const struct spectrum_params *p,
                            struct spectrum *out, struct err *e) FRAME_MUST;
void spectrum_free(struct spectrum *s);
/*
 * Write the data.* keys of the SPEC segment into m: columns, unit, convention, window, moments (one
 * number a function, in the order of the columns) and what of the CORR segment's META, in, still
 * holds. 0, or -1: out of memory.
 */
int spectrum_describe(const struct spectrum *s, const struct spectrum_params *p,
                      const struct meta *in, struct meta *m) FRAME_MUST;
/* Names as on the command line and in META. */
extern const char *const spectrum_windows[], *const spectrum_units[],
                                                 *const spectrum_quanta[],
                                                     *const spectrum_weights[]; /* end with NULL */

/* The factor of a correction at x = h nu / kT, any sign (1 for classical; the factor e^(x/2) for
 * egelstaff). */
double spectrum_quantum_factor(enum spectrum_quantum q, double x);
/* The weight at nu, in the unit of the axis, of either sign; unit of nu-tanh: nu². */
double spectrum_weight_at(const struct spectrum_params *p, double nu);
/* 0, or -1 with e where a temperature or laser is missing or means nothing, or a correction goes with no weight. */
int spectrum_refuse(const struct spectrum_params *p, struct err *e) FRAME_MUST;
/* Short unit of the spectra: "A6cm" of "(A^3)^2", cm-1 and no weight; "" where unit_of is no power. */
void spectrum_unit_word(const struct spectrum_params *p, char *word, size_t size);
/* Window at lag k of lags. */
double spectrum_window_at(const struct spectrum_params *p, size_t k, size_t lags, double dt_ps);
/* Axis units in 1 ps⁻¹. */
double spectrum_unit_scale(enum spectrum_unit unit);

#ifdef __cplusplus
}
#endif
#endif
