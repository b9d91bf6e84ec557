/* SPDX-License-Identifier: MIT */
/* green_kubo.h: computes a transport coefficient, its standard error and its running integral from
 * fluxes.
 *
 * A transport coefficient is the integral over the correlation function C(t) of a flux,
 *     lambda = factor int_0^inf C(t) dt = factor dt S(0) / 2, with S(0) = sum_t C(t).
 * The sum S(0) is over positive and negative t. The product dt S(0)/2 is the trapezoidal integral
 * for instantaneous fluxes, and exact for fluxes that are means over the interval between steps.
 * Unless a cut-off is chosen, S(0) is estimated from the sine coefficients of all components and
 * runs (stats/zero.h). With a cut-off, the result is the trapezoidal sum of C up to the cut-off, as
 * in acf --integral, and the error is computed from blocks of time origins (stats/errors.h).
 *
 * The means of currents, heat fluxes and traceless stresses are 0 by symmetry. A mean that is 0 by
 * symmetry is subtracted only if it differs from 0 by more than chance explains. Means that need
 * not be 0 are always subtracted. After the mean over n steps has been subtracted, C(t) is
 * corrected by S(0)/n, the variance of the mean. Without the correction, the integral up to time t
 * of a run of length T would lose the fraction 2t/T.
 *
 * Different runs are treated as independent. The steps of a run must be consecutive. */
#pragma once

#include "acf/acf.h"
#include "acf/acf_jumps.h"
#include "acf/flux.h"

struct green_kubo_choice {
    int property; /* enum flux_property */
    const char *columns, *unit;
    /* Temperature in K and volume in Å³, or in reduced units, or NaN to use the input. */
    double temperature, volume;
    int flux;      /* enum flux_scale, or FLUX_UNKNOWN to use the input */
    double natoms; /* for FLUX_PER_ATOM, or NaN to use META */
    double cutoff; /* ps, or NaN: no cut-off */
    double tmax; /* End of the running integral in ps. NaN selects twice the cut-off, but at most a
                    * quarter of the shortest run. */
    int threads;
    uint64_t max_mem;
};

struct green_kubo_value {
    /* Jumps of the flux component with the index `jumping`. If no flux component jumps, jumps.n
     * is 0. */
    struct acf_jumps jumps;
    size_t jumping;
    double value, se; /* se is NaN if unknown */
    /* The cut-off in ps. If no cut-off is chosen, the value is five correlation times, but at most
     * a quarter of the shortest run. */
    double cutoff;
    /* Fluctuations above the highest frequency may cause over half of se (false with a cut-off). */
    bool coarse;
    bool means;        /* Means that are 0 by symmetry differ from 0 by more than chance. */
    char changed[640]; /* why there is no error if a run was not stationary, or "" */
    double temperature, volume; /* NaN: not needed */
    struct flux_unit unit;
    size_t comps, runs;
    double ps; /* total length of all runs */
};

struct green_kubo;
struct green_kubo *green_kubo_open(const struct green_kubo_choice *c, struct err *e);
/* Reads and stores one run, which must be a whole SERI stream. Returns 0, or -1 and sets *e. */
int green_kubo_add(struct green_kubo *g, struct frame_reader *in, struct err *e) FRAME_MUST;
/* Computes the transport coefficient from all runs. Returns 0, or -1 and sets *e. */
int green_kubo_solve(struct green_kubo *g, struct green_kubo_value *v, struct err *e) FRAME_MUST;
/* Writes the running integral as a CORR segment, with META from m. Returns 0, or -1 and sets *e. */
int green_kubo_put(struct green_kubo *g, struct frame_writer *w, struct meta *m,
                   struct err *e) FRAME_MUST;
const struct meta *green_kubo_meta(const struct green_kubo *g);
void green_kubo_close(struct green_kubo *g); /* g may be NULL */
