/* SPDX-License-Identifier: MIT */
/* cli_motion.h: options of what points do in time: msd, vacf. */
#ifndef MBF_CLI_MOTION_H
#define MBF_CLI_MOTION_H

#include "cli/cli_reduce.h"
#include "motion/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const char *const cli_motion_drifts[]; /* enum tracks_drift */

/* Rows into c, a struct motion_choice. */
#define CLI_MOTION(c)                                                                              \
    CLI_OPT("lags", "N", UINT, &(c).lags, "lags 0 to N-1 (all)", .min = 1, .max = 1e12),           \
        CLI_TMAX((c).tmax),                                                                        \
        CLI_OPT("method", "WHICH", CHOICE, &(c).method,                                            \
                "fft, of all steps; window, of as many as there are lags (below 64 lags window)",  \
                .choices = motion_methods),                                                        \
        CLI_OPT("axes", NULL, FLAG, &(c).apart, "also along x, y and z, each in a column",         \
                .was = "apart"),                                                                   \
        CLI_OPT("molecules", "M|FILE", STRING, &(c).tracks.molecules,                              \
                "centres of mass: M atoms that follow one another, or the atoms (from 0) of each " \
                "line of FILE (atoms)"),                                                           \
        CLI_OPT("masses", "A=M,...", CUSTOM, &(c).tracks.masses,                                   \
                "of each species, g/mol (of the element of its name)", .parse = weights_parse),    \
        CLI_OPT("drift", "WHAT", CHOICE, &(c).tracks.drift,                                        \
                "subtract, or keep the motion of the centre of mass of all atoms; auto: subtract " \
                "it, unless the stream is a selection or one point (auto)",                        \
                .choices = cli_motion_drifts),                                                     \
        CLI_BLOCKS_OF_ORIGINS(cli_shared.blocks), CLI_SHARD("origins")

/* What is wrong with the options together. Dies. */
void cli_motion_check(const struct cli_common *c, const struct motion_choice *m);

#ifdef __cplusplus
}
#endif
#endif
