/* SPDX-License-Identifier: MIT */
/* cli_waves.h: options of who sums over wave vectors (waves/waves_factors.h). */
#ifndef MBF_CLI_WAVES_H
#define MBF_CLI_WAVES_H

#include "cli/cli_reduce.h"
#include "waves/waves_factors.h"

/* Rows of a table, into c, a struct waves_choice. most: how many vectors, as a word of the help. of:
 * what the weights are in. */
#define CLI_WAVES_SHELLS(c, most_)                                                                 \
    CLI_OPT("qmax", "Q", REAL, &(c).qmax, "upper edge of the last shell, 1/Å (default: 4)",        \
            .min = 1e-6, .max = 1e6),                                                              \
        CLI_OPT("qstep", "Q", REAL, &(c).qstep, "width of a shell, 1/Å (default: 0.05)",           \
                .min = 1e-6, .max = 1e6),                                                          \
        CLI_OPT("vectors", "N", UINT, &(c).most,                                                   \
                "largest number of wave vectors; if there are more, an even selection from every " \
                "shell is used (default: " most_ ")",                                              \
                .min = 1, .max = 1e8)
#define CLI_WAVES_WEIGHTS(of)                                                                      \
    CLI_OPT("weights", "A=W,...", CUSTOM, NULL, "weight of each species in " of " (default: 1)",   \
            .parse = cli_waves_weights),                                                           \
        CLI_OPT("form-factor", "FILE", CUSTOM, NULL,                                               \
                "read weights that depend on q from FILE: a column q and one named column per "    \
                "species",                                                                         \
                .parse = cli_waves_form)
/* Their parsers. */
int cli_waves_weights(const char *s, void *dst, struct err *e);
int cli_waves_form(const char *s, void *dst, struct err *e);

/* Once the options are in: whole shells, and the factors, from their file where they have one. Exits
 * where they are none. */
void cli_waves_take(struct waves_choice *c);

#endif
