/* SPDX-License-Identifier: MIT */
/*
 * green_kubo.h: a transport coefficient of the fluxes of flux.h, with its error, and its running
 * integral.
 *
 * lambda = factor int_0^inf C(t) dt = factor dt S(0) / 2, S(0) = sum_t C(t) as stats/zero.h finds it
 * from the periodograms of all components and runs: no cut-off is chosen by eye. Steps are moments
 * (the sum then is the integral by the trapezoidal rule) or means over the time between two of
 * them (then it is exact).
 * With a cut-off, the trapezoidal sum of C up to it, as acf --integral has it, its error from blocks
 * of origins (stats/errors.h).
 *
 * Runs are independent of each other; within one, steps follow one another.
 */
#ifndef MBF_GREEN_KUBO_H
#define MBF_GREEN_KUBO_H

#include "acf/acf.h"
#include "acf/acf_jumps.h"
#include "acf/flux.h"

#ifdef __cplusplus
extern "C" {
#endif

struct green_kubo_choice {
    int property; /* enum flux_property */
    const char *columns, *unit;
    double temperature, volume; /* K, Å³, or reduced; NaN: META, or a column */
    int flux;                   /* enum flux_scale; FLUX_UNKNOWN: as the input states */
    double natoms;              /* of FLUX_PER_ATOM; NaN: as META states */
    double cutoff;              /* ps; NaN: none is chosen */
    double tmax;                /* ps, of the running integral; NaN: ten times the cut-off */
    int threads;
    uint64_t max_mem;
};

struct green_kubo_value {
    struct acf_jumps jumps; /* n 0: none, else of flux component `jumping` of a run */
    size_t jumping;
    double value, se; /* se NaN: not known */
    double
        cutoff; /* ps: that of the choice, or the time up to which the integral alone would have this
                                  error */
    double
        coarse; /* what may lie behind the highest frequency, in units of value; NaN: not known */
    double temperature, volume; /* NaN: not needed */
    struct flux_unit unit;
    size_t comps, runs;
    double ps; /* of all runs */
};

struct green_kubo;
struct green_kubo *green_kubo_open(const struct green_kubo_choice *c, struct err *e);
/* One more run: all steps of a stream of SERI. 0, or -1 with e. */
int green_kubo_add(struct green_kubo *g, struct frame_reader *in, struct err *e) FRAME_MUST;
/* All runs are in. 0, or -1 with e. */
int green_kubo_solve(struct green_kubo *g, struct green_kubo_value *v, struct err *e) FRAME_MUST;
/* The running integral as a CORR segment, its META in m, which is derived. 0, or -1 with e. */
int green_kubo_put(struct green_kubo *g, struct frame_writer *w, struct meta *m,
                   struct err *e) FRAME_MUST;
/* META of the first run. */
const struct meta *green_kubo_meta(const struct green_kubo *g);
void green_kubo_close(struct green_kubo *g); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
