/* SPDX-License-Identifier: MIT */
/* cli_traj.h: defines the options of programs that read trajectories of other programs or select
 * atoms, and variables for their values. */
#pragma once

#include "cli/cli.h"
#include "stream/atoms.h"
#include "stream/traj_given.h"

struct cli_traj {
    struct traj_given given;
    struct atoms atoms;
};
extern struct cli_traj cli_traj;
extern const char *const cli_traj_dtypes[];

/* The options of programs that read files or IMD sessions. The text `counts` lists the formats
 * whose files contain MD step numbers. */
#define CLI_TRAJ_READ(counts)                                                                      \
    CLI_OPT("dt", "PS", REAL, &cli_traj.given.dt_ps,                                               \
            "time between consecutive frames of the input (default: from the input)",              \
            .min = 1e-12, .max = 1e12),                                                            \
        CLI_OPT(                                                                                   \
            "timestep", "PS", REAL, &cli_traj.given.timestep_ps,                                   \
            "length of one MD step, for input with step numbers instead of times, as in " counts   \
            " (default: from the input)",                                                          \
            .min = 1e-12, .max = 1e12),                                                            \
        CLI_OPT("cell", "A[,B,C[,alpha,beta,gamma]]", CUSTOM, NULL,                                \
                "cell edges in Å and angles in degrees (default: from the input)",                 \
                .parse = cli_traj_cell),                                                           \
        CLI_OPT("pbc", "AXES", CUSTOM, NULL,                                                       \
                "periodic axes, such as xy or xyz, or none (default: from the input, "             \
                "otherwise all axes of the cell)",                                                 \
                .parse = cli_traj_pbc),                                                            \
        CLI_OPT("select", "A:B:C", CUSTOM, NULL,                                                   \
                "select every C-th frame from A to B-1, counting from 0 (default: all frames)",    \
                .parse = cli_traj_select),                                                         \
        CLI_OPT("dtype", "TYPE", CHOICE, &cli_traj.given.f64,                                      \
                "number type of the output, f32 or f64 (default: f32)",                            \
                .choices = cli_traj_dtypes)
/* The options of programs that read files. The text `formerly` is the old name of --jumps-ok, or
 * NULL. */
#define CLI_TRAJ_OPTIONS(counts, formerly)                                                         \
    CLI_TRAJ_READ(counts),                                                                         \
        CLI_OPT(                                                                                   \
            "uneven", NULL, FLAG, &cli_traj.given.uneven,                                          \
            "accept frames at uneven times, such as logarithmic spacing, and keep the time of "    \
            "each frame (default: stop with an error)"),                                           \
        CLI_OPT("allow-partial", NULL, FLAG, &cli_traj.given.allow_partial,                        \
                "use the complete frames of a truncated file"),                                    \
        CLI_OPT("jumps-ok", NULL, FLAG, &cli_traj.given.jumps_ok,                                  \
                "accept sudden jumps of many atoms between frames", .was = formerly),              \
        CLI_OPT("keep-duplicates", NULL, FLAG, &cli_traj.given.keep_duplicates,                    \
                "keep frames that are copies of the preceding frame (default: drop them)"),        \
        CLI_OPT("drop-overlap", NULL, FLAG, &cli_traj.given.drop_overlap,                          \
                "where two parts of a run overlap, drop the frames of the earlier part (default: " \
                "stop with an error)")
#define CLI_TRAJ_ATOMS                                                                             \
    CLI_OPT("atoms", "A:B:C", CUSTOM, NULL,                                                        \
            "select every C-th atom from A to B-1, counting from 0 (default: all atoms)",          \
            .parse = cli_traj_atoms)
#define CLI_TRAJ_SPECIES                                                                           \
    CLI_OPT("species", "LIST", STRING, &cli_traj.atoms.species,                                    \
            "select atoms by name, for example O,H (default: all)")

int cli_traj_cell(const char *s, void *dst, struct err *e); /* Å, degrees */
int cli_traj_pbc(const char *s, void *dst, struct err *e);  /* of x, y, z, or "none" */
int cli_traj_select(const char *s, void *dst, struct err *e);
int cli_traj_atoms(const char *s, void *dst, struct err *e);

/* Parses a text "A:B:C" as a Python slice of non-negative integers, which may be an empty slice.
 * The forms "A:", ":B" and "::C" are also accepted, and a single number N selects item N only.
 * Returns 0, or -1 and sets *e. */
int cli_parse_slice(const char *s, uint64_t *first, uint64_t *stop, uint64_t *step,
                    struct err *e) MUST_USE;
