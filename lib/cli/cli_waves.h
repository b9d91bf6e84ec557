/* SPDX-License-Identifier: MIT */
/* cli_waves.h: defines the options of programs that sum over wave vectors
 * (waves/waves_factors.h). */
#pragma once

#include "cli/cli_reduce.h"
#include "waves/waves_factors.h"

/* The options of the struct waves_choice c, where the text `max_` is the default of --vectors. The
 * text `of` names the function to which the weights apply. */
#define CLI_WAVES_SHELLS(c, max_)                                                                  \
    CLI_OPT("qmax", "Q", REAL, &(c).qmax,                                                          \
            "upper edge of the last shell of wave vectors, 1/Å (default: 4)", .min = 1e-6,         \
            .max = 1e6),                                                                           \
        CLI_OPT("qstep", "Q", REAL, &(c).qstep,                                                    \
                "width of each shell of wave vectors, 1/Å (default: 0.05)", .min = 1e-6,           \
                .max = 1e6),                                                                       \
        CLI_OPT("vectors", "N", UINT, &(c).max,                                                    \
                "maximum number of wave vectors; if there are more, an evenly spaced selection "   \
                "from every shell is used (default: " max_ ")",                                    \
                .min = 1, .max = 1e8)
#define CLI_WAVES_WEIGHTS(of)                                                                      \
    CLI_OPT("weights", "A=W,...", CUSTOM, NULL,                                                    \
            "scattering weight of each species in " of " (default: 1)",                            \
            .parse = cli_waves_weights),                                                           \
        CLI_OPT("form-factor", "FILE", CUSTOM, NULL,                                               \
                "read q-dependent scattering weights from FILE, which has a column q and one "     \
                "column per species",                                                              \
                .parse = cli_waves_form)
int cli_waves_weights(const char *s, void *dst, struct err *e);
int cli_waves_form(const char *s, void *dst, struct err *e);

/* Checks the shells and sets the weights, which are read from the file of --form-factor if it was
 * given. Call this function after the command line has been parsed. Ends the program with an error
 * if the shells or weights are invalid. */
void cli_waves_take(struct waves_choice *c);
