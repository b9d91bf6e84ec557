/* SPDX-License-Identifier: MIT */
/*
 * g4_report.h: what a result of g4-* says about itself: are the components alike, are the blocks
 * long enough?
 */
#ifndef MBF_G4_REPORT_H
#define MBF_G4_REPORT_H

#include <stdbool.h>

#include "g4/g4.h"
#include "stats/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Chance below which components are said to differ, all comparisons of a sample together. */
#define G4_ISOTROPY_CHANCE 0.005

struct g4_report {
    struct notes *notes; /* where its sentences go: the caller's */
    int ncomp;           /* with several components: their lag 0 and how far apart they are */
    double g[BETA_NCOMPONENTS], g2[BETA_NCOMPONENTS];
    double apart;  /* largest difference within {xz, xy, yz} or {xx-yy, zz} in its standard errors,
                     block by block; NaN: not known */
    double chance; /* of a difference as unlikely as the worst of these in an isotropic sample */
    double tau;    /* integral of G/G(0), ps or steps; NaN: G(0) is 0 */
};

/*
 * dt: ps, NaN unknown (then times are in steps); levels: blocks are those of errors.h; names of the
 * components, as in data.component; cube: in another cell, but for a taper, G2 differs by component
 * in an isotropic sample, too, and is not compared. 0, or -1: out of memory.
 */
int g4_report_make(struct g4_report *p, struct notes *notes, const struct g4_result *r, double dt,
                   int levels, bool cube, const char *names) FRAME_MUST;
/* Keys data.isotropy.* and data.correlation_time. 0 or -1. */
int g4_report_meta(const struct g4_report *p, struct meta *m);

#ifdef __cplusplus
}
#endif
#endif
