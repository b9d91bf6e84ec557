/* SPDX-License-Identifier: MIT */
/* cli_motion.h: defines the options that msd-cpu and vacf-cpu share. */
#pragma once

#include "cli/cli_reduce.h"
#include "motion/motion.h"

extern const char *const cli_motion_drifts[]; /* enum tracks_drift */

/* The option --drift-of, whose value is stored in the variable `of`. */
#define CLI_DRIFT_OF(of)                                                                           \
    CLI_OPT("drift-of", "A,...", STRING, &(of),                                                    \
            "subtract the centre-of-mass motion of these species, such as a framework (default: "  \
            "all species)")
/* The options of the struct motion_choice c. */
#define CLI_MOTION(c)                                                                              \
    CLI_OPT("lags", "N", UINT, &(c).lags, "compute the time lags 0 to N-1 (default: all)",         \
            .min = 1, .max = 1e12),                                                                \
        CLI_TMAX((c).tmax),                                                                        \
        CLI_OPT(                                                                                   \
            "method", "auto|fft|window", CHOICE, &(c).method,                                      \
            "method of computing the functions: fft keeps all steps in memory, window keeps only " \
            "one step per lag, and auto chooses window for fewer than 64 lags and otherwise fft "  \
            "(default: auto)",                                                                     \
            .choices = motion_methods),                                                            \
        CLI_OPT("axes", NULL, FLAG, &(c).separate,                                                 \
                "also write the functions along the x, y and z axes in separate columns",          \
                .was = "apart"),                                                                   \
        CLI_OPT("molecules", "M|FILE", STRING, &(c).tracks.molecules,                              \
                "use the centres of mass of molecules; give M if each molecule consists of M "     \
                "consecutive atoms, or a FILE in which each line lists the atom numbers of one "   \
                "molecule, counted from 0 (default: use single atoms)"),                           \
        CLI_OPT("masses", "A=M,...", CUSTOM, &(c).tracks.masses,                                   \
                "atomic masses of species, g/mol (default: from the element names)",               \
                .parse = weights_parse),                                                           \
        CLI_OPT(                                                                                   \
            "drift", "auto|subtract|keep", CHOICE, &(c).tracks.drift,                              \
            "subtract or keep the motion of the centre of mass; auto keeps this motion if the "    \
            "input contains a single particle or only some of the atoms "                          \
            "(default: auto)",                                                                     \
            .choices = cli_motion_drifts),                                                         \
        CLI_DRIFT_OF((c).tracks.drift_of), CLI_BLOCKS_OF_ORIGINS(cli_shared.blocks),               \
        CLI_SHARD("time origins")

/* Ends the program with an error if the options cannot be combined. */
void cli_motion_check(const struct cli_common *c, const struct motion_choice *m);
