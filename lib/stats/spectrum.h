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
 * Every step is linear in C, so errors are carried exactly: each deviation of series.h is
 * transformed like C itself, which keeps the correlations between lags, and errors.h finds the
 * level of blocks for each frequency.
 */
#ifndef MBF_SPECTRUM_H
#define MBF_SPECTRUM_H

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
enum spectrum_unit { SPECTRUM_CM1, SPECTRUM_THZ, SPECTRUM_RAD_PS };
enum spectrum_quantum {
    SPECTRUM_CLASSICAL,
    SPECTRUM_STANDARD,
    SPECTRUM_HARMONIC,
    SPECTRUM_SCHOFIELD,
    SPECTRUM_EGELSTAFF
};

struct spectrum_params {
    enum spectrum_window window;
    double gauss_ps; /* SPECTRUM_GAUSS: standard deviation, ps, > 0 */
    double pad;      /* >= 1 */
    enum spectrum_unit unit;
    enum spectrum_quantum quantum;
    double temperature; /* K, > 0; unused for SPECTRUM_CLASSICAL */
};

/* About one function. Moments are integrals over both signs of nu of I and nu² I, up
 * to Nyquist. */
struct spectrum_function {
    char name[SERIES_NAME]; /* of the correlation function: G, G2_xz, ... */
    double moment0, moment2, moment0_se,
        moment2_se; /* unit, unit³... of the axis: [G] and [G] axis²; se NaN: unknown */
    double window2; /* of moment2: what the window adds; NaN: no window, or a quantum correction */
    double first, last, last_se; /* C at lag 0 and at the last lag */
    size_t negative;             /* bins with I < 0 */
};

struct spectrum {
    struct series s; /* FRAME_SPEC: axis, spectra, and their _se when the CF has errors */
    size_t nfunctions;
    struct spectrum_function *f;
    size_t length, lags;  /* M, and lags used (egelstaff cannot use the last few) */
    double nyquist, step; /* end of the axis and bin width, in the chosen unit */
    double coarse; /* egelstaff, hbar/2kT in ps where lags are too far apart for it; else 0 */
    size_t unsure; /* first lag without an error, so that no errors are carried; 0: none */
};

/* Bytes that spectrum_compute will hold for a CF of that size; SIZE_MAX when that is too large to
 * count. */
size_t spectrum_bytes(const struct series *cf, const struct spectrum_params *p);

/*
 * cf: FRAME_CORR columns of series_read; dt_ps > 0. Returns 0, or -1 with e: no lag, a lag
 * without origins, a correction that overflows, memory. Columns are named after the functions: G
 * gives I, G2 I2, any other NAME I_NAME.
 */
int spectrum_compute(const struct series *cf, double dt_ps, const struct spectrum_params *p,
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
                                                 *const spectrum_quanta[]; /* end with NULL */

/* The factor of a correction at x = h nu / kT, any sign (1 for classical; the factor e^(x/2) for
 * egelstaff). */
double spectrum_quantum_factor(enum spectrum_quantum q, double x);
/* Window at lag k of lags. */
double spectrum_window_at(const struct spectrum_params *p, size_t k, size_t lags, double dt_ps);
/* Axis units in 1 ps⁻¹. */
double spectrum_unit_scale(enum spectrum_unit unit);

#ifdef __cplusplus
}
#endif
#endif
