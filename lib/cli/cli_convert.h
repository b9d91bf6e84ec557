/* SPDX-License-Identifier: MIT */
/* cli_convert.h: all of a tool that reads trajectories of other programs, but its options. */
#ifndef MBF_CLI_CONVERT_H
#define MBF_CLI_CONVERT_H

#include "cli/cli_traj.h"
#include "formats/formats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What its options say, with cli_traj. */
extern struct formats_opts cli_convert;

extern int cli_convert_time_unit; /* index into the names */
extern const char *const cli_convert_dialects[], *const cli_convert_time_units[];
/* The parser of --species: names given to types or atoms have a '=', a blank or a bracket, a list of
 * names chooses; once each. */
int cli_convert_species(const char *s, void *dst, struct err *e);
/* Rows of its table: what is said of XYZ. */
#define CLI_CONVERT_XYZ                                                                            \
    CLI_OPT("dialect", "NAME", CHOICE, &cli_convert.dialect,                                       \
            "dialect of the comment lines in XYZ files (default: auto)",                           \
            .choices = cli_convert_dialects),                                                      \
        CLI_OPT("time-unit", "UNIT", CHOICE, &cli_convert_time_unit,                               \
                "unit of Time= in extended XYZ files that do not state it (default: none)",        \
                .choices = cli_convert_time_units),                                                \
        CLI_OPT("sigma", "ANGSTROM", REAL, &cli_convert.sigma,                                     \
                "Lennard-Jones sigma (default: from the input)", .min = 1e-6, .max = 1e6)

/* From the operands, or cli_convert.source, to POSN (and VELO) frames, and where energies names a file
 * to SERI in it; returns the exit status. cli_convert_main parses before, and has no energies. */
int cli_convert_run(const struct cli_tool *tool, const struct cli_common *common,
                    const char *energies);
int cli_convert_main(const struct cli_tool *tool, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
