/* SPDX-License-Identifier: MIT */
/* green_kubo.h: computes a transport coefficient, its error and its running integral from fluxes.
 *
 *     The coefficient is lambda = factor int_0^inf C(t) dt = factor dt S(0) / 2, with S(0) = sum_t
 *     C(t).
 * The module stats/zero.h estimates S(0) from the sine coefficients of all components and runs, so
 * that nobody has to choose a cut-off. For instantaneous values of the fluxes, the sum is the
 * trapezoidal integral. For fluxes that are means over the interval between steps, the sum is
 * exact. If a cut-off is chosen, the result is the trapezoidal sum of C up to the cut-off, as in
 * acf --integral. With a cut-off, the error is computed from blocks of time origins
 * (stats/errors.h).
 *
 * By symmetry, the means of currents, heat fluxes and traceless stresses are 0. A mean that should
 * be 0 is subtracted only if it differs from 0 by more than chance explains. Means that need not be
 * 0 are always subtracted. After the subtraction of a mean over n steps, C(t) is corrected by the
 * variance of the mean, S(0)/n. Without the correction, the integral up to t would lose the
 * fraction 2t/T.
 *
 * Different runs are independent of each other. The steps of one run must be consecutive. */
#pragma once

#include "acf/acf.h"
#include "acf/acf_jumps.h"
#include "acf/flux.h"

struct green_kubo_choice {
    int property; /* enum flux_property */
    const char *columns, *unit;
    /* Temperature in K and volume in Å³, or both in reduced units. The value NaN selects the value
     * in the input. */
    double temperature, volume;
    int flux;      /* normalisation, an enum flux_scale, or FLUX_UNKNOWN to use the input */
    double natoms; /* number of atoms for FLUX_PER_ATOM, or NaN to use META */
    double cutoff; /* cut-off time in ps, or NaN to use no cut-off */
    double tmax;   /* largest time of the running integral in ps. If the largest time is NaN, it is
                    * twice the cut-off, but at most a quarter of the run. */
    int threads;
    uint64_t max_mem;
};

struct green_kubo_value {
    /* Jumps of the flux component with the index `jumping` in a run. If the component `jumping` has
     * no jumps, jumps.n is 0. */
    struct acf_jumps jumps;
    size_t jumping;
    double value, se; /* se is NaN if unknown */
    /* The cut-off in ps. If the caller gives no cut-off, the cut-off is five correlation times, but
     * at most a quarter of a run. */
    double cutoff;
    bool coarse;       /* whether fluctuations above the highest frequency may contribute more than
                        * half of the standard error */
    bool means;        /* whether a mean that must be 0 by symmetry differs from 0 */
    char changed[640]; /* warning about a run that was not stationary, or an empty text */
    double temperature, volume; /* NaN: not needed */
    struct flux_unit unit;
    size_t comps, runs;
    double ps; /* total length of all runs */
};

struct green_kubo;
struct green_kubo *green_kubo_open(const struct green_kubo_choice *c, struct err *e);
/* Reads and stores one run, which must be a whole SERI stream. Returns 0 on success, or -1 with an
 * error message in e. */
int green_kubo_add(struct green_kubo *g, struct frame_reader *in, struct err *e) FRAME_MUST;
/* Computes the coefficient after the last call of green_kubo_add(). Returns 0 on success, or -1
 * with an error message in e. */
int green_kubo_solve(struct green_kubo *g, struct green_kubo_value *v, struct err *e) FRAME_MUST;
/* Writes the running integral as a CORR segment, with META from m. Returns 0 on success, or -1 with
 * an error message in e. */
int green_kubo_put(struct green_kubo *g, struct frame_writer *w, struct meta *m,
                   struct err *e) FRAME_MUST;
const struct meta *green_kubo_meta(const struct green_kubo *g);
void green_kubo_close(struct green_kubo *g); /* g may be NULL */
