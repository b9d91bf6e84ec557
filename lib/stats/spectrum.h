/* SPDX-License-Identifier: MIT */
/* spectrum.h: computes the spectrum of a correlation function (CF), with errors and moments.
 *
 * A one-sided CF C(k dt), k < L, is continued to negative lags as an even function, so that lag 0
 * counts once and all other lags count twice. The spectrum at nu_j = j / (M dt), j = 0..M/2, is
 *     I(nu_j) = dt [C_0 + 2 sum_{0<k<L} w_k C_k cos(2 pi j k / M)].
 * The window w is 1 at lag 0, and is an even function of the lag. The sum of I over all M bins, for
 * both signs of nu, times the width of a bin is then exactly C_0. In any unit of frequency, the
 * integral of I is G(0). M is 2 m, where m is the smallest number that is at least pad * L and has
 * no prime factor above 7. Beyond the last lag, the correlation function is taken to be zero.
 *
 * The windows "hann" and "blackman" first reach zero at the time L dt.
 *   - Window "hann" is cos²(pi k / 2L).
 *   - Window "blackman" is 0.42 + 0.5 cos(pi k/L) + 0.08 cos(2 pi k/L).
 *   - Window "gauss" is exp(-t²/2 s²) with t = k dt and s in ps.
 *
 * Quantum corrections are given for nu >= 0, with x = h nu / kT. At negative frequencies, I(-nu) =
 * e^-x I(nu).
 *   - The correction "standard" multiplies I by 2/(1 + e^-x).
 *   - The correction "harmonic" multiplies I by x/(1 - e^-x).
 *   - The correction "schofield" multiplies I by e^(x/2).
 *   - The correction "egelstaff" replaces C(t) by its value at sqrt(t² + (hbar/2kT)²), from cubic
 *     interpolation, and then multiplies the spectrum by e^(x/2).
 * For the quantum corrections, see Borysow, Moraldi and Frommhold, Mol Phys 56 (1985) 913,
 * Egelstaff, Adv Phys 11 (1962) 203, and Schofield, Phys Rev Lett 4 (1960) 239.
 *
 * A window adds -w''(0) C(0) / (2 pi)² to the second moment, in 1/ps². The second derivative w''(0)
 * is -(pi/L dt)²/2 for "hann", -0.82 (pi/L dt)² for "blackman", and -1/s² for "gauss". META records
 * the contribution of the window, which is not subtracted from the moment. Egelstaff's correction
 * needs a lag spacing that is small compared with hbar/2kT. At 90 K, hbar/2kT is 42 fs. If the lag
 * spacing is 125 fs, the intensity is too small by a factor of 0.80 at 100 cm⁻¹ and of 0.28 at 120
 * cm⁻¹.
 *
 * The weights w(nu), which apply to both signs of nu, convert the spectrum to the measured
 * quantity.
 *   - The weight "nu2" = nu² gives the classical absorption of infrared light from a dipole
 *     correlation function (McQuarrie, Statistical Mechanics, 1976, 21-1).
 *   - The weight "nu-tanh" = (2kT/h) nu tanh(h nu/2kT) gives the absorption with the standard
 *     correction, and tends to nu² for h -> 0 (Ramirez, Lopez-Ciudad, Kumar, Marx, J Chem Phys 121
 *     (2004) 3973).
 *   - The weight "nu" gives the imaginary part of the response -(1/kT) dC/dt, except for a factor
 *     pi/kT.
 *   - The weight "nu4" = (1 - nu/nu_0)^4 is for the scattered light of a laser at nu_0.
 *   - The weight "nu3" = (1 - nu/nu_0)^3 is for scattered light whose photons are counted.
 *   - The weight "rayleigh" = (2 pi)^4 (nu_0 - nu)^4/V converts the spectrum of a polarizability to
 *     the Rayleigh ratio, which is the cross section per volume and solid angle.
 *   - The weight "absorption" gives the absorption coefficient times the refractive index from one
 *     component of a dipole moment, and needs a quantum correction (fft-spectrum(1)).
 * The weights "nu2", "nu-tanh" and "nu" include both directions of a transition, and therefore need
 * C without a quantum correction. The weights "nu3", "nu4" and "rayleigh" allow any quantum
 * correction. For the moments of pairs of molecules in gases, the factor `absolute` also contains
 * 1/(n_A n_B), with the densities in amagat. Without a weight, `absolute` is then 1/(V n_A n_B).
 *
 * If time derivatives were computed from differences between steps, each derivative is a mean over
 * dt. For such derivatives, the spectrum is multiplied by (y/sin y)², with y = pi nu dt.
 *
 * The ratio of two functions, such as VH/VV, has the deviations (dev_a - ratio dev_b) / b, so that
 * common fluctuations cancel.
 *
 * All operations are linear in C, so that errors are propagated exactly. Each deviation of series.h
 * is transformed like C, so that the correlations between lags are kept. The error at each
 * frequency is then computed by errors.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/series.h"

/* Table of the windows a + b cos(pi k/L) + c cos(2 pi k/L), with a + b + c = 1. Each row contains
 * the name in the enum, the name as a word, the numbers a, b and c, and b + 4 c, which is -w''(0)
 * (L dt/pi)². To define another window, add a row here and an entry on the page fft-spectrum(1). */
#define SPECTRUM_COSINES(ROW)                                                                      \
    ROW(HANN, "hann", 0.5, 0.5, 0.0, 0.5)                                                          \
    ROW(BLACKMAN, "blackman", 0.42, 0.5, 0.08, 0.82)

#define SPECTRUM_WINDOW(NAME, ...) SPECTRUM_##NAME,
enum spectrum_window {
    SPECTRUM_NO_WINDOW,
    SPECTRUM_COSINES(SPECTRUM_WINDOW) /* The rows of this macro include their commas. */
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
    SPECTRUM_BOSE /* the same as SPECTRUM_HARMONIC, written as x (n + 1) with n = 1/(e^x - 1) */
};
enum spectrum_weight {
    SPECTRUM_NO_WEIGHT,
    SPECTRUM_NU,
    SPECTRUM_NU2,
    SPECTRUM_NU_TANH,
    SPECTRUM_ABSORPTION,
    SPECTRUM_NU3,
    SPECTRUM_NU4,
    SPECTRUM_RAYLEIGH
};

struct spectrum_params {
    enum spectrum_window window;
    double gauss_ps; /* Standard deviation of SPECTRUM_GAUSS in ps, which must be positive. */
    double pad;      /* factor, at least 1, by which the number of lags is padded */
    enum spectrum_unit unit;
    enum spectrum_quantum quantum;
    double temperature; /* temperature in K, needed for quantum corrections and for
                         * SPECTRUM_NU_TANH */
    enum spectrum_weight weight;
    double absolute, volume; /* factor of a spectrum in measured units, and volume in Å³ */
    double amagat[2];        /* densities in amagat of two species by which the spectrum is divided,
                              * or 0 for no division */
    bool current;            /* whether SPECTRUM_ABSORPTION is for a current instead of a dipole
                              * moment */
    double laser;        /* frequency nu_0 in cm⁻¹ for the weights of scattered light, or NaN */
    bool difference;     /* whether the series was differentiated by finite differences
                          * (data.derivative) */
    bool two_sided;      /* whether the frequency index j runs from -M/2, not from 0, to M/2 */
    const char *ratio;   /* "A/B" for the ratio of the spectra of the functions A and B, or NULL */
    const char *names;   /* names of all spectra, or NULL for the default names I and I_NAME */
    const char *unit_of; /* unit that is appended to the names (data.unit), or NULL for none */
    const char *units;   /* list of other units (data.unit.of), or NULL for none */
};

/* Properties of the spectrum of one function. The moments are integrals of I, nu I and nu² I over
 * both signs of nu, up to the end of the axis, or NaN if unknown. The unit of moment0 is the unit
 * of the function. The unit of moment1 and moment2 also contains the unit of the axis, or its
 * square. */
struct spectrum_function {
    char name[SERIES_NAME];                          /* such as G or G2_xz */
    double moment0, moment2, moment0_se, moment2_se; /* moments 0 and 2, in the unit of the function
                                                      * and powers of the unit of the axis */
    double moment1, moment1_se;                      /* 0 for an even spectrum */
    /* contribution of the window to moment2. The contribution of the window is NaN without a window
     * or with a quantum correction. */
    double window2;
    double first, last, last_se; /* values of C at the first and at the last lag */
    size_t negative;             /* number of bins in which I is negative */
};

struct spectrum {
    struct series s;             /* columns of FRAME_SPEC: the axis, the spectra and their errors */
    size_t nfunctions, groups;   /* number of values of the second axis (groups) */
    struct spectrum_function *f; /* results for each function, [groups or 1][nfunctions] */
    size_t ratio[2];             /* indices of the functions A and B of the ratio, or 0 and 0 */
    size_t length, lags;         /* M, and number of lags that are used, which is smaller for
                                  * "egelstaff" */
    double nyquist, step;        /* Nyquist frequency and spacing of the axis, in the chosen unit */
    double end;    /* last frequency if the laser or an overflow shortens the axis, otherwise NaN */
    double coarse; /* hbar/2kT in ps if the lag spacing is too large for "egelstaff", otherwise 0 */
    size_t unsure; /* index of the first lag without an error, or 0 if there is no such lag */
};

/* Returns the number of bytes that spectrum_compute needs for cf, or SIZE_MAX on overflow. */
size_t spectrum_bytes(const struct series *cf, const struct spectrum_params *p);

/* Computes the spectra of the correlation functions in cf. The struct cf holds the FRAME_CORR
 * columns that series_read returns, and dt_ps must be above 0. If there are no lags, a lag has no
 * time origins, a ratio of unknown functions is requested, or memory runs out, returns -1 with an
 * error message in e. Otherwise, returns 0. The axis ends below the frequency of the laser, or
 * where a quantum correction would overflow. The columns have the names p->names or, by default, I
 * for G, I2 for G2 and I_NAME for any other NAME. If unit_of is a power, such as "(A^3)^2", the
 * unit is appended to the name, as in I_NAME_A6cm. */
int spectrum_compute(const struct series *cf, double dt_ps, const struct spectrum_params *p,
                     struct spectrum *out, struct err *e) FRAME_MUST;
/* Works like spectrum_compute, but also accepts functions with a second axis. If there is a second
 * axis, the columns are the axis, the second axis and the spectra. */
int spectrum_compute_groups(const struct series *cf, double dt_ps, const struct spectrum_params *p,
                            struct spectrum *out, struct err *e) FRAME_MUST;
void spectrum_free(struct spectrum *s);
/* Writes the keys data.* of the SPEC segment to m. The keys for the moments contain one number per
 * function, in the order of the columns. Copies those keys of `in`, the META of the CORR segment,
 * that are still valid. Returns 0, or -1 if memory runs out. */
int spectrum_describe(const struct spectrum *s, const struct spectrum_params *p,
                      const struct meta *in, struct meta *m) FRAME_MUST;
/* Names of the windows, units, corrections and weights, on the command line and in META. */
extern const char *const spectrum_windows[], *const spectrum_units[],
                                                 *const spectrum_quanta[],
                                                     *const spectrum_weights[]; /* end with NULL */

/* Returns the factor of a quantum correction at x = h nu / kT. The argument x may be negative. The
 * factor is 1 if there is no correction, and e^(x/2) for "egelstaff". */
double spectrum_quantum_factor(enum spectrum_quantum q, double x);
/* Returns 0 if p is valid. If a temperature or laser frequency is missing or has no effect, or if
 * the weight does not allow the quantum correction, returns -1 with an error message in e.
 * Otherwise, returns 0. */
int spectrum_refuse(const struct spectrum_params *p, struct err *e) FRAME_MUST;
/* Returns whether the spectrum is divided by the product of two densities in amagat. */
static inline bool spectrum_binary(const struct spectrum_params *p)
{
    return p->amagat[0] > 0.0;
}
/* Returns whether the weight gives a spectrum in measured units. */
static inline bool spectrum_absolute(const struct spectrum_params *p)
{
    return p->weight == SPECTRUM_ABSORPTION || p->weight == SPECTRUM_RAYLEIGH;
}
/* Returns the symbol of the spectra in column names, which is I, R or alpha_n. */
const char *spectrum_symbol(const struct spectrum_params *p);
/* Sets `word` to the unit of the spectra as it appears in column names, or to an empty text if the
 * unit of the correlation functions is not a power of a unit (unit_of). For example, correlation
 * functions in (A^3)^2 and frequencies in cm-1 give the unit "A6cm" if there is no weight. */
void spectrum_unit_word(const struct spectrum_params *p, char *word, size_t size);
/* Returns the window at lag k, where 0 <= k < lags. */
double spectrum_window_at(const struct spectrum_params *p, size_t k, size_t lags, double dt_ps);
/* Checks that the functions of a CORR segment have a value at every lag. Also sets *unsure to the
 * index of the first lag without an error, or to 0 if every lag has an error. If lag 0 has no
 * error, *unsure is 1. Returns 0 on success, or -1 with an error message in e. */
int spectrum_inspect(const struct series *cf, size_t *unsure, struct err *e) FRAME_MUST;
/* Format of the warning about *unsure. The only argument of this format is *unsure. */
#define SPECTRUM_UNSURE                                                                            \
    "no error estimates from lag %zu on: fewer than two blocks contain time origins (use fewer "   \
    "--lags or --blocks)"
/* Returns the value of 1 ps⁻¹ in the unit of the axis. */
double spectrum_unit_scale(enum spectrum_unit unit);
