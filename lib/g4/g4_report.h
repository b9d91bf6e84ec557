/* SPDX-License-Identifier: MIT */
/* g4_report.h: checks whether the components of a result of g4-cpu or g4-gpu agree, and whether the
 * blocks of the result are long enough. */
#pragma once

#include <stdbool.h>

#include "g4/g4.h"
#include "stats/analysis.h"

/* Two components are reported as different if the probability of their difference is below
 * G4_ISOTROPY_CHANCE in an isotropic sample. The probability takes the number of comparisons into
 * account. */
#define G4_ISOTROPY_CHANCE 0.005

struct g4_report {
    struct notes *notes; /* messages are added */
    int ncomp;
    double g[BETA_NCOMPONENTS], g2[BETA_NCOMPONENTS];
    /* The largest difference between components of the group {xz, xy, yz} or {xx-yy, zz} is
     * `separate` standard errors, or NaN if unknown. */
    double separate;
    double chance; /* chance of `separate` */
    /* The integral of G/G(0) over the lag is `tau`, in ps or steps, or NaN if G(0) <= 0. */
    double tau;
};

/* Makes the report, with times in steps if the time step dt (in ps) is NaN. Set the flag `levels`
 * if the number of blocks was chosen automatically (stats/errors.h). The string `names` lists the
 * components as in the key data.component. If `cube` is false, G2 is not compared, because its
 * components may differ even in an isotropic sample. Returns 0, or -1 if memory runs out. */
int g4_report_make(struct g4_report *p, struct notes *notes, const struct g4_result *r, double dt,
                   int levels, bool cube, const char *names) FRAME_MUST;
/* Writes data.isotropy.* and data.correlation_time to the META m. Returns 0 or -1. */
int g4_report_meta(const struct g4_report *p, struct meta *m);
