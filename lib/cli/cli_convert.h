/* SPDX-License-Identifier: MIT */
/* cli_convert.h: the common part of the tools that convert trajectories of other programs. In
 * addition, each of these tools has its own table of options. */
#pragma once

#include "cli/cli_traj.h"
#include "formats/formats.h"

/* Values of the options of the conversion tools, except those in cli_traj. */
extern struct formats_opts cli_convert;

extern int cli_convert_time_unit; /* Index of the unit in cli_convert_time_units. */
extern const char *const cli_convert_dialects[], *const cli_convert_time_units[];
/* Parses the value of --species. A list that contains '=', a blank or a bracket gives names to
 * types or atoms. Any other list selects atoms by name. Each of the two kinds of list may be given
 * once. */
int cli_convert_species(const char *s, void *dst, struct err *e);
/* Parses the value of --scalars, which is a list of names. */
int cli_convert_scalars(const char *s, void *dst, struct err *e);
/* Parses the value of --info, which is a list of keys. */
int cli_convert_info(const char *s, void *dst, struct err *e);
#define CLI_CONVERT_SCALARS                                                                        \
    CLI_OPT("scalars", "NAME,...", CUSTOM, NULL,                                                   \
            "also write these values of each atom (SCAL), named as in the input: columns of a "    \
            "LAMMPS dump (such as q), properties in extended XYZ, or elements of an H5MD file "    \
            "(such as charge)",                                                                    \
            .parse = cli_convert_scalars)
/* Row of an option table for the option --charges, whose value is stored in a variable. */
#define CLI_CONVERT_CHARGES                                                                        \
    CLI_OPT("charges", "A=Q,...|FILE", STRING, &cli_convert_charges,                               \
            "also write the charge of each atom, in units of e, as a scalar named charge (SCAL); " \
            "give the charge of each species, a file with one charge per line for each atom, "     \
            "a PQR file, or a GROMACS topology (TOP)")
extern const char *cli_convert_charges;
/* Rows of an option table for --velocities and --velocity-unit. */
#define CLI_CONVERT_VELOCITIES                                                                     \
    CLI_OPT("velocities", NULL, FLAG, &cli_convert.velocities,                                     \
            "also write velocities (VELO); the input must contain them"),                          \
        CLI_OPT(                                                                                   \
            "velocity-unit", "UNIT", STRING, &cli_convert.velocity_unit,                           \
            "unit of velocities in XYZ files that do not state it, such as A/ps, A/fs, nm/ps, "    \
            "bohr/au or ase (default: none)")
/* Rows of an option table for the options of XYZ input. */
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

extern const struct cli_opt cli_import_options[]; /* options of traj2bin, which cli_import.c
                                                   * defines */
/* Parses a NULL-terminated list of words such as "dt=0.5" and "velocities". Returns 0 on success,
 * or -1 with an error message in e. */
int cli_parse_words(const struct cli_opt *opts, char *const *words, struct err *e);

/* An input to convert. */
struct cli_source {
    struct formats_opts opts;
    struct atoms atoms;  /* the selected atoms */
    const char *charges; /* value of --charges, or NULL if the option was not given */
    struct formats *x;
    char *scalars; /* scalars with the charge of each atom for --charges, otherwise NULL */
};
/* Sets *s from the values of the options, after checking them. Returns 0 on success, or -1 with an
 * error message in e. */
int cli_source_options(struct cli_source *s, struct err *e);
/* Returns the META for the selected atoms, or NULL with an error message in e. The caller frees the
 * META. Call this function once, after the first frame. */
struct meta *cli_source_meta(struct cli_source *s, const char *tool, const char *args,
                             struct err *e);
/* Returns the scalars of a step, with the charge of each atom after the scalars of the input. If
 * there are no scalars, returns NULL. */
const void *cli_source_scalars(const struct cli_source *s, const void *scalars);
/* Closes the reader and frees the members of *s. */
void cli_source_close(struct cli_source *s);

/* The function cli_convert_run converts the operands, or the file cli_convert.source, to POSN and
 * VELO frames. If cli_convert.keys is set, cli_convert_run converts the numbers of these keys to
 * SERI frames instead. Unless the name `energies` is NULL, the energies are written to this file as
 * SERI frames. The function cli_convert_run returns the exit status. The function cli_convert_main
 * parses the command line and calls cli_convert_run without energies. */
int cli_convert_run(const struct cli_tool *tool, const struct cli_common *common,
                    const char *energies);
int cli_convert_main(const struct cli_tool *tool, int argc, char **argv);
