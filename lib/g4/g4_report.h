/* SPDX-License-Identifier: MIT */
/*
 * g4_report.h: what a result of g4-* says about itself: are the components alike, are the blocks
 * long enough?
 */
#ifndef MBF_G4_REPORT_H
#define MBF_G4_REPORT_H

#include <stdbool.h>

#include "g4/g4.h"
#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

#define G4_REPORT_LINES 6
#define G4_ISOTROPY_SIGMA                                                                          \
    4.0 /* combined standard errors beyond which components are said to differ */

struct g4_report {
    size_t n;
    char text[G4_REPORT_LINES][512];
    bool warn[G4_REPORT_LINES];
    int ncomp; /* with several components: their lag 0 and how far apart they are */
    double g[BETA_NCOMPONENTS], g2[BETA_NCOMPONENTS];
    double apart; /* largest difference in combined standard errors, NaN without blocks */
    double tau;   /* integral of G/G(0), ps or steps; NaN: G(0) is 0 */
};

/* dt: ps, NaN unknown (then times are in steps). 0, or -1: out of memory. */
int g4_report_make(struct g4_report *p, const struct g4_result *r, double dt) FRAME_MUST;
/* Keys data.isotropy.* and data.correlation_time. 0 or -1. */
int g4_report_meta(const struct g4_report *p, struct meta *m);

#ifdef __cplusplus
}
#endif
#endif
