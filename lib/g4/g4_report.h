/* SPDX-License-Identifier: MIT */
/* g4_report.h: checks whether the components of a result of g4-cpu or g4-gpu agree, and whether its
 * blocks are long enough. */
#pragma once

#include <stdbool.h>

#include "g4/g4.h"
#include "stats/analysis.h"

/* Components are reported as different if a difference as large as theirs has a probability below
 * G4_ISOTROPY_CHANCE in an isotropic sample. The probability takes the number of comparisons into
 * account. */
#define G4_ISOTROPY_CHANCE 0.005

struct g4_report {
    struct notes *notes; /* list to which the messages are appended */
    int ncomp;           /* number of components */
    double g[BETA_NCOMPONENTS], g2[BETA_NCOMPONENTS];
    /* Largest difference between components of the same group, {xz, xy, yz} or {xx-yy, zz}, divided
     * by its standard error, or NaN if unknown. */
    double separate;
    double chance; /* probability of the largest difference in an isotropic sample */
    double tau;    /* integral of G/G(0) over the lag, in ps or steps, or NaN if G(0) <= 0 */
};

/* Makes the report. The time step dt is in ps. If dt is NaN, all times are in steps. Set the flag
 * `levels` if the number of blocks was chosen automatically (stats/errors.h). The string `names`
 * lists the components as in the key data.component. If `cube` is false, G2 is not compared,
 * because its components may differ even in an isotropic sample. Returns 0, or -1 if memory runs
 * out. */
int g4_report_make(struct g4_report *p, struct notes *notes, const struct g4_result *r, double dt,
                   int levels, bool cube, const char *names) FRAME_MUST;
/* Sets the keys data.isotropy.* and data.correlation_time in the META m. Returns 0 or -1. */
int g4_report_meta(const struct g4_report *p, struct meta *m);
