/* SPDX-License-Identifier: MIT */
/* spectrum.h: computes the spectrum of a correlation function C, with errors and moments.
 *
 * The values C_k = C(k dt), k < L, are continued to negative lags as an even function, so that lag
 * 0 counts once and all other lags count twice. The spectrum at nu_j = j / (M dt), j = 0..M/2, is
 *     I(nu_j) = dt [C_0 + 2 sum_{0<k<L} w_k C_k cos(2 pi j k / M)].
 * The window w is 1 at lag 0, and is an even function of the lag. The sum of I over all M bins, for
 * both signs of nu, times the width of a bin is then exactly C_0. In any unit of frequency, the
 * integral of I is therefore C_0. M is 2 m, where m is the smallest number that is at least pad * L
 * and has no prime factor above 7. Beyond the last lag, C is taken to be zero.
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
 * needs a lag spacing that is small compared with hbar/2kT, which is 42 fs at 90 K. With a lag
 * spacing of 125 fs, the intensity is too small by a factor of 0.80 at 100 cm⁻¹ and of 0.28 at 120
 * cm⁻¹.
 *
 * The weights w(nu), which apply to both signs of nu, convert the spectrum to the measured
 * quantity.
 *   - The weight "nu2" = nu² gives the classical absorption of infrared light from a dipole
 *     correlation function (McQuarrie, Statistical Mechanics, 1976, 21-1).
 *   - The weight "nu-tanh" = (2kT/h) nu tanh(h nu/2kT) gives the absorption with the standard
 *     correction, and tends to nu² for h -> 0 (Ramirez, Lopez-Ciudad, Kumar, Marx, J Chem Phys 121
 *     (2004) 3973).
 *   - The weight "nu" gives a spectrum that, multiplied by pi/kT, is the imaginary part of the
 *     Fourier transform of the response function -(1/kT) dC/dt.
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
 * A time derivative that was computed from the difference between two steps is a mean over dt. The
 * spectrum of such derivatives is multiplied by (y/sin y)², with y = pi nu dt.
 *
 * The ratio a/b of two spectra, such as VH/VV, has the deviations (dev_a - a/b dev_b) / b, so that
 * common fluctuations cancel.
 *
 * Spectra are linear in C. The deviations of series.h are transformed like C, which preserves the
 * correlations between lags. From the transformed deviations, errors.h computes the error at each
 * frequency. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/series.h"

/* Table of the windows a + b cos(pi k/L) + c cos(2 pi k/L), with a + b + c = 1. Each row contains
 * two names, the numbers a, b and c, and b + 4 c = -w''(0) (L dt/pi)². A further window needs a row
 * here and an entry on the page fft-spectrum(1). */
#define SPECTRUM_COSINES(ROW)                                                                      \
    ROW(HANN, "hann", 0.5, 0.5, 0.0, 0.5)                                                          \
    ROW(BLACKMAN, "blackman", 0.42, 0.5, 0.08, 0.82)

#define SPECTRUM_WINDOW(NAME, ...) SPECTRUM_##NAME,
enum spectrum_window { SPECTRUM_NO_WINDOW, SPECTRUM_COSINES(SPECTRUM_WINDOW) SPECTRUM_GAUSS };
#undef SPECTRUM_WINDOW
enum spectrum_unit { SPECTRUM_CM1, SPECTRUM_THZ, SPECTRUM_RAD_PS, SPECTRUM_MEV };
enum spectrum_quantum {
    SPECTRUM_CLASSICAL,
    SPECTRUM_STANDARD,
    SPECTRUM_HARMONIC,
    SPECTRUM_SCHOFIELD,
    SPECTRUM_EGELSTAFF,
    SPECTRUM_BOSE /* Equals SPECTRUM_HARMONIC, written as x (n + 1) with n = 1/(e^x - 1). */
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
    double gauss_ps; /* s of SPECTRUM_GAUSS, ps, > 0 */
    double pad;      /* factor >= 1 */
    enum spectrum_unit unit;
    enum spectrum_quantum quantum;
    double temperature; /* K, if needed */
    enum spectrum_weight weight;
    double absolute, volume; /* factor; Å³ */
    /* The spectrum is divided by the densities of two species, unless they are 0. */
    double amagat[2];
    bool current;        /* SPECTRUM_ABSORPTION is for a current, not for a dipole moment. */
    double laser;        /* nu_0, cm⁻¹, or NaN */
    bool difference;     /* data.derivative */
    bool two_sided;      /* j = -M/2..M/2 */
    const char *ratio;   /* "A/B" or NULL */
    const char *names;   /* NULL: I and I_NAME */
    const char *unit_of; /* data.unit, or NULL */
    const char *units;   /* data.unit.of, or NULL */
};

/* Properties of the spectrum of a function. The moments 0, 1 and 2 are the integrals of I, nu I and
 * nu² I over both signs of nu, up to the end of the axis, or NaN if unknown. The unit of moment k
 * is the unit of the function times the k-th power of the unit of the axis. */
struct spectrum_function {
    char name[SERIES_NAME];
    double moment0, moment2, moment0_se, moment2_se;
    double moment1, moment1_se;
    /* Contribution of the window to moment2, or NaN without a window or with a quantum
     * correction. */
    double window2;
    double first, last, last_se; /* C at first, last lag */
    size_t negative;             /* bins with I < 0 */
};

struct spectrum {
    struct series s;             /* FRAME_SPEC */
    size_t nfunctions, groups;   /* groups: second axis */
    struct spectrum_function *f; /* [groups or 1][nfunctions] */
    size_t ratio[2];             /* A and B, or 0 and 0 */
    size_t length, lags;         /* M; lags that are used */
    double nyquist, step;        /* of the axis, in its unit */
    /* The last frequency if the axis ends early, or NaN. An axis ends early at the frequency of the
     * laser, or where the factor of the weight and the quantum correction is too large. */
    double end;
    /* Set to hbar/2kT in ps if dt is too large for "egelstaff", and otherwise to 0. */
    double coarse;
    size_t unsure; /* lag without error, or 0 */
};

/* Returns the number of bytes that spectrum_compute needs for cf, or SIZE_MAX on overflow. */
size_t spectrum_bytes(const struct series *cf, const struct spectrum_params *p);

/* Computes the spectra of the correlation functions in cf, a FRAME_CORR from series_read, with
 * dt_ps > 0. Returns 0, or -1 with an error message in e if there are no lags, if a lag has no time
 * origins, if a function of the ratio is unknown, or if memory runs out. The axis ends below the
 * frequency of the laser, or where a quantum correction would overflow. The columns have the names
 * p->names or, by default, I for G, I2 for G2 and I_NAME for any other NAME. If unit_of is a power,
 * such as "(A^3)^2", the unit is appended to the name, as in I_NAME_A6cm. */
int spectrum_compute(const struct series *cf, double dt_ps, const struct spectrum_params *p,
                     struct spectrum *out, struct err *e) FRAME_MUST;
/* Works like spectrum_compute, but accepts a second axis, which becomes the second column. */
int spectrum_compute_groups(const struct series *cf, double dt_ps, const struct spectrum_params *p,
                            struct spectrum *out, struct err *e) FRAME_MUST;
void spectrum_free(struct spectrum *s);
/* Sets the keys data.* of the SPEC segment in m. The keys for the moments contain a number per
 * function, in the order of the columns. Keys that remain valid are copied from `in`, the META of
 * the CORR segment. Returns 0, or -1 if memory runs out. */
int spectrum_describe(const struct spectrum *s, const struct spectrum_params *p,
                      const struct meta *in, struct meta *m) FRAME_MUST;
/* Names on the command line and in META. NULL ends each array. */
extern const char *const spectrum_windows[], *const spectrum_units[], *const spectrum_quanta[],
                                                                          *const spectrum_weights[];

/* Returns the factor of a quantum correction at x = h nu / kT, which may be negative. The factor is
 * 1 without a correction, and e^(x/2) for "egelstaff". */
double spectrum_quantum_factor(enum spectrum_quantum q, double x);
/* Returns 0, or -1 with an error message in e if a temperature or laser frequency is missing or has
 * no effect, or if the weight does not allow the quantum correction. */
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
/* Returns I, R or alpha_n, the symbol of the spectra in column names. */
const char *spectrum_symbol(const struct spectrum_params *p);
/* Sets `word` to the unit of the spectra for column names, or to an empty text if p->unit_of is not
 * a power of a unit. For example, correlation functions in (A^3)^2 and frequencies in cm-1 give the
 * unit "A6cm" without a weight. */
void spectrum_unit_word(const struct spectrum_params *p, char *word, size_t size);
/* Returns the window at lag k < lags. */
double spectrum_window_at(const struct spectrum_params *p, size_t k, size_t lags, double dt_ps);
/* Returns 0 if the functions of a CORR segment have a value at every lag, or -1 with an error
 * message in e. Sets *unsure to the first lag without an error, to 0 if every lag has an error, or
 * to 1 if lag 0 has no error. */
int spectrum_inspect(const struct series *cf, size_t *unsure, struct err *e) FRAME_MUST;
/* Format of the warning, with the argument *unsure. */
#define SPECTRUM_UNSURE                                                                            \
    "no error estimates from lag %zu on: fewer than two blocks contain time origins (use fewer "   \
    "--lags or --blocks)"
/* Returns 1 ps⁻¹ in the unit of the axis. */
double spectrum_unit_scale(enum spectrum_unit unit);
