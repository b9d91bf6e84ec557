/* SPDX-License-Identifier: MIT */
/*
 * spectrum.h: computes the spectrum of a correlation function, with errors, quantum corrections and
 * moments.
 *
 * A one-sided CF C(k dt), k < L, is made even about lag 0, so that lag 0 counts once and every
 * other lag twice:
 *     I(nu_j) = dt [C_0 + 2 sum_{k=1}^{L-1} w_k C_k cos(2 pi j k / M)],   nu_j = j / (M dt),  j =
 *       0..M/2.
 * The window w is 1 at lag 0 and even in the lag. The sum of I over all M bins, of both signs,
 * times the bin width is then exactly C_0: in the chosen unit the integral of I is G(0). M = 2 m,
 * where m is the smallest number without a prime factor above 7 that is at least pad * L. The
 * function is zero beyond the last lag.
 *
 * Windows, t = k dt, first zero at L dt: hann cos²(pi k / 2L); blackman 0.42 + 0.5 cos(pi k/L) +
 * 0.08 cos(2 pi k/L); gauss exp(-t²/2 s²), s in ps.
 *
 * Quantum corrections, with x = h nu / kT, are given for nu >= 0 (I(-nu) = e^-x I(nu) holds for
 * each): standard 2/(1 + e^-x); harmonic x/(1 - e^-x); schofield e^(x/2); egelstaff: C at sqrt(t² +
 * (hbar/2kT)²), by cubic interpolation, then e^(x/2). Sources: Borysow, Moraldi, Frommhold, Mol
 * Phys 56 (1985) 913; Egelstaff, Adv Phys 11 (1962) 203; Schofield, Phys Rev Lett 4 (1960) 239.
 *
 * A window adds -w''(0) C(0) / (2 pi)² to the second moment, in 1/ps² (w'' = -(pi/L dt)²/2 for
 * hann, -0.82 (pi/L dt)² for blackman, -1/s² for gauss). META states this contribution of the
 * window, which is not subtracted. Egelstaff's correction needs a lag spacing that is small
 * compared with hbar/2kT. A spacing of 125 fs at 90 K, three times hbar/2kT, gives 0.80 of the
 * intensity at 100 cm⁻¹ and 0.28 at 120 cm⁻¹.
 *
 * Weights w(nu), for both signs, convert the spectrum to the measured quantity. The weight nu2 =
 * nu² is the classical absorption of infrared light from a dipole correlation function (McQuarrie,
 * Statistical Mechanics, 1976, 21-1). The weight nu-tanh = (2kT/h) nu tanh(h nu/2kT) is the
 * absorption with the standard correction, nu² for h -> 0 (Ramirez, Lopez-Ciudad, Kumar, Marx, J
 * Chem Phys 121 (2004) 3973). The weight nu gives the imaginary part of the response -(1/kT) dC/dt
 * except for a factor pi/kT. The weight nu4 = (1 - nu/nu_0)^4 applies to light scattered from a
 * laser at nu_0, and nu3 to this light counted in photons. The weights nu2, nu-tanh and nu include
 * both directions of a transition and need C without a correction; nu3 and nu4 can be combined with
 * any correction.
 *
 * The ratio of two functions, VH/VV, has the deviations (dev_a - ratio dev_b) / b, in which common
 * fluctuations cancel.
 *
 * Every step is linear in C, so errors are propagated exactly. Each deviation of series.h is
 * transformed like C itself, which keeps the correlations between lags, and errors.h computes the
 * error at each frequency.
 */
#ifndef MBF_SPECTRUM_H
#define MBF_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/series.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Windows a + b cos(pi k/L) + c cos(2 pi k/L), a + b + c = 1: NAME, word, a, b, c and b + 4 c,
 * which is -w''(0) (L dt/pi)². A new window needs one more row here, and an entry on its page. */
#define SPECTRUM_COSINES(ROW)                                                                      \
    ROW(HANN, "hann", 0.5, 0.5, 0.0, 0.5)                                                          \
    ROW(BLACKMAN, "blackman", 0.42, 0.5, 0.08, 0.82)

#define SPECTRUM_WINDOW(NAME, ...) SPECTRUM_##NAME,
enum spectrum_window {
    SPECTRUM_NO_WINDOW,
    SPECTRUM_COSINES(SPECTRUM_WINDOW) /* includes its commas */
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
    double laser; /* for SPECTRUM_NU3 and SPECTRUM_NU4: nu_0, cm⁻¹, where the axis ends; else NaN */
    bool two_sided;      /* -M/2 .. M/2 instead of 0 .. M/2 */
    const char *ratio;   /* "A/B", two functions: adds a column A/B after the spectra; NULL: none */
    const char *names;   /* list of the names of all spectra; NULL: I for G, I_NAME for NAME */
    const char *unit_of; /* unit of the functions as in META (data.unit), for names; NULL: none */
    const char *units;   /* functions with another unit (data.unit.of); NULL: none */
};

/* Properties of one function. Moments are the integrals of I and nu² I over both signs of nu, up to
 * the end of the axis. */
struct spectrum_function {
    char name[SERIES_NAME]; /* name of the correlation function: G, G2_xz, ... */
    double moment0, moment2, moment0_se, moment2_se; /* [G] and [G] (axis unit)²; se NaN: unknown */
    double window2; /* window's part of moment2; NaN: no window, or a quantum correction */
    double first, last, last_se; /* C at lag 0 and at the last lag */
    size_t negative;             /* bins with I < 0 */
};

struct spectrum {
    struct series s;             /* FRAME_SPEC: axis, spectra, and their _se if the CF has errors */
    size_t nfunctions, groups;   /* groups: values of a second axis; 0: none */
    struct spectrum_function *f; /* [groups or 1][nfunctions] */
    size_t ratio[2];             /* the two functions; both 0: no ratio */
    size_t length, lags;         /* M, and lags used (egelstaff cannot use the last few) */
    double nyquist, step;        /* Nyquist frequency and bin width, in the chosen unit */
    double end;    /* last frequency, if the laser or an overflow ends the axis earlier; else NaN */
    double coarse; /* egelstaff: hbar/2kT in ps, if the lag spacing is too large for it; else 0 */
    size_t unsure; /* first lag without an error, so that errors cannot be propagated; 0: none */
};

/* Returns the number of bytes that spectrum_compute needs for a CF of this size, or SIZE_MAX on
 * overflow. */
size_t spectrum_bytes(const struct series *cf, const struct spectrum_params *p);

/* Computes the spectra of cf, the FRAME_CORR columns of series_read, with dt_ps > 0. Returns 0, or
 * -1 and sets e: no lag, a lag without time origins, a ratio of unknown functions, or no memory.
 * The axis ends before the laser, and where a quantum correction is about to overflow. Columns are
 * named by p->names or else after the functions: I for G, I2 for G2, I_NAME for any other NAME. The
 * unit is appended if unit_of is a power: I_NAME_A6cm for "(A^3)^2". */
int spectrum_compute(const struct series *cf, double dt_ps, const struct spectrum_params *p,
                     struct spectrum *out, struct err *e) FRAME_MUST;
/* Like spectrum_compute, also for functions with a second axis, which is kept: axis, second axis,
 * spectra. */
int spectrum_compute_groups(const struct series *cf, double dt_ps, const struct spectrum_params *p,
                            struct spectrum *out, struct err *e) FRAME_MUST;
void spectrum_free(struct spectrum *s);
/* Writes the data.* keys of the SPEC segment into m: columns, unit, convention, window, moments
 * (one number per function, in the order of the columns), and the keys of the CORR segment's META,
 * in, that still hold. Returns 0, or -1 if memory runs out. */
int spectrum_describe(const struct spectrum *s, const struct spectrum_params *p,
                      const struct meta *in, struct meta *m) FRAME_MUST;
/* Names as on the command line and in META. */
extern const char *const spectrum_windows[], *const spectrum_units[],
                                                 *const spectrum_quanta[],
                                                     *const spectrum_weights[]; /* end with NULL */

/* Returns the factor of a correction at x = h nu / kT of any sign (1 for classical, e^(x/2) for
 * egelstaff). */
double spectrum_quantum_factor(enum spectrum_quantum q, double x);
/* Returns the weight at nu, of either sign, in the unit of the axis; nu-tanh has the unit of
 * nu². */
double spectrum_weight_at(const struct spectrum_params *p, double nu);
/* Returns 0, or -1 and sets e if a temperature or laser is missing or not used, or if the weight
 * excludes the correction. */
int spectrum_refuse(const struct spectrum_params *p, struct err *e) FRAME_MUST;
/* Writes the short unit of the spectra: "A6cm" for "(A^3)^2", cm-1 and no weight; "" if unit_of is
 * not a power. */
void spectrum_unit_word(const struct spectrum_params *p, char *word, size_t size);
/* Returns the window at lag k of lags. */
double spectrum_window_at(const struct spectrum_params *p, size_t k, size_t lags, double dt_ps);
/* Returns 1 ps⁻¹ in units of the axis. */
double spectrum_unit_scale(enum spectrum_unit unit);

#ifdef __cplusplus
}
#endif
#endif
