/* SPDX-License-Identifier: MIT */
/*
 * g4_report.h: checks a result of g4-*: do the components agree, and are the blocks long enough?
 */
#ifndef MBF_G4_REPORT_H
#define MBF_G4_REPORT_H

#include <stdbool.h>

#include "g4/g4.h"
#include "stats/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Probability, over all comparisons of a sample, below which components are said to differ. */
#define G4_ISOTROPY_CHANCE 0.005

struct g4_report {
    struct notes *notes; /* list of the caller to which the messages are added */
    int ncomp;           /* number of components; if several, g and g2 hold their lag 0 */
    double g[BETA_NCOMPONENTS], g2[BETA_NCOMPONENTS];
    double apart;  /* largest difference within {xz, xy, yz} or {xx-yy, zz}, in errors; or NaN */
    double chance; /* probability of so large a difference in an isotropic sample */
    double tau;    /* integral of G/G(0), ps or steps; NaN: G(0) is not positive */
};

/* Makes the report. The time step dt is in ps, or NaN if unknown (times are then in steps). The
 * flag levels is nonzero for the automatic blocks of errors.h. The string names lists the
 * components as in data.component. The flag cube is false if G2 may differ by component even in an
 * isotropic sample (other cells, without a taper); G2 is then not compared. Returns 0, or -1 if out
 * of memory. */
int g4_report_make(struct g4_report *p, struct notes *notes, const struct g4_result *r, double dt,
                   int levels, bool cube, const char *names) FRAME_MUST;
/* Sets the keys data.isotropy.* and data.correlation_time. Returns 0 or -1. */
int g4_report_meta(const struct g4_report *p, struct meta *m);

#ifdef __cplusplus
}
#endif
#endif
