/* SPDX-License-Identifier: MIT */
/* cli_convert.h: defines the common options and functions of the programs that convert trajectories
 * of other programs. */
#pragma once

#include "cli/cli_traj.h"
#include "formats/formats.h"

/* Values of the options that are not in cli_traj. */
extern struct formats_opts cli_convert;

extern int cli_convert_time_unit; /* index of the unit */
extern const char *const cli_convert_dialects[], *const cli_convert_time_units[];
/* Parses the value of --species, which may be given once to name types or atoms, and once to select
 * atoms. A list that contains '=', a blank or a bracket names types or atoms, and any other list
 * selects atoms by name. */
int cli_convert_species(const char *s, void *dst, struct err *e);
/* Parses the value of --scalars, a list of names. */
int cli_convert_scalars(const char *s, void *dst, struct err *e);
/* Parses the value of --info, a list of keys. */
int cli_convert_info(const char *s, void *dst, struct err *e);
#define CLI_CONVERT_SCALARS                                                                        \
    CLI_OPT("scalars", "NAME,...", CUSTOM, NULL,                                                   \
            "also write these values of each atom (SCAL), named as in the input: columns of a "    \
            "LAMMPS dump (such as q), properties in extended XYZ, or elements of an H5MD file "    \
            "(such as charge)",                                                                    \
            .parse = cli_convert_scalars)
#define CLI_CONVERT_CHARGES                                                                        \
    CLI_OPT("charges", "A=Q,...|FILE", STRING, &cli_convert_charges,                               \
            "also write the charge of each atom, in units of e, as a scalar named charge (SCAL); " \
            "give the charge of each species, a file with one charge per line for each atom, "     \
            "a PQR file, or a GROMACS topology (TOP)")
extern const char *cli_convert_charges;
#define CLI_CONVERT_VELOCITIES                                                                     \
    CLI_OPT("velocities", NULL, FLAG, &cli_convert.velocities,                                     \
            "also write velocities (VELO); the input must contain them"),                          \
        CLI_OPT(                                                                                   \
            "velocity-unit", "UNIT", STRING, &cli_convert.velocity_unit,                           \
            "unit of velocities in XYZ files that do not state it, such as A/ps, A/fs, nm/ps, "    \
            "bohr/au or ase (default: none)")
#define CLI_CONVERT_XYZ                                                                            \
    CLI_OPT("dialect", "NAME", CHOICE, &cli_convert.dialect,                                       \
            "dialect of the comment lines in XYZ files, such as extended; auto recognises the "    \
            "dialect (default: auto)",                                                             \
            .choices = cli_convert_dialects),                                                      \
        CLI_OPT("time-unit", "UNIT", CHOICE, &cli_convert_time_unit,                               \
                "unit of Time= in extended XYZ files that do not state it (default: none)",        \
                .choices = cli_convert_time_units),                                                \
        CLI_OPT("sigma", "ANGSTROM", REAL, &cli_convert.sigma,                                     \
                "Lennard-Jones sigma to store in the output, for programs that need it (default: " \
                "from the input)",                                                                 \
                .min = 1e-6, .max = 1e6)

extern const struct cli_opt cli_import_options[]; /* in cli_import.c */
/* Parses a NULL-terminated list of words such as "dt=0.5" and "velocities". Returns 0, or -1 and
 * sets *e. */
int cli_parse_words(const struct cli_opt *opts, char *const *words, struct err *e);

struct cli_source {
    struct formats_opts opts;
    struct atoms atoms;
    const char *charges; /* --charges, or NULL */
    struct formats *x;
    char *scalars; /* of --charges, or NULL */
};
/* Checks the values of the options and stores them in *s. Returns 0, or -1 and sets *e. */
int cli_source_options(struct cli_source *s, struct err *e);
/* Returns the META for the selected atoms, which the caller frees, or NULL and sets *e. Call this
 * function once, after the first frame. */
struct meta *cli_source_meta(struct cli_source *s, const char *tool, const char *args,
                             struct err *e);
/* Returns the scalars of a frame followed by the charge of each atom, or NULL without scalars. */
const void *cli_source_scalars(const struct cli_source *s, const void *scalars);
void cli_source_close(struct cli_source *s);

/* Converts the operands, or the file cli_convert.source, to POSN and VELO frames, and returns the
 * exit status. If cli_convert.keys is set, the values of the keys are converted to SERI frames
 * instead. Unless `energies` is NULL, the energies are written as SERI frames to the file with this
 * name. The function cli_convert_main parses the command line and calls cli_convert_run without
 * energies. */
int cli_convert_run(const struct cli_tool *tool, const struct cli_common *common,
                    const char *energies);
int cli_convert_main(const struct cli_tool *tool, int argc, char **argv);
