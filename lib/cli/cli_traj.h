/* SPDX-License-Identifier: MIT */
/*
 * cli_traj.h: the options that tools share which read trajectories of other programs, or choose
 * atoms: rows of their tables (cli.h), and what was said by them.
 */
#ifndef MBF_CLI_TRAJ_H
#define MBF_CLI_TRAJ_H

#include "cli/cli.h"
#include "stream/atoms.h"
#include "stream/traj_said.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cli_traj {
    struct traj_said said;
    struct atoms atoms;
};
extern struct cli_traj cli_traj;
extern const char *const cli_traj_dtypes[];

/* counts: whose files count steps; unsorted: what --unsorted-ok does. */
#define CLI_TRAJ_OPTIONS(counts, unsorted)                                                          \
    {0,                                                                                             \
     "dt",                                                                                          \
     "PS",                                                                                          \
     CLI_REAL,                                                                                      \
     &cli_traj.said.dt_ps,                                                                          \
     1e-12,                                                                                         \
     1e12,                                                                                          \
     NULL,                                                                                          \
     NULL,                                                                                          \
     "time between consecutive frames of the input, ps (as the file says)"},                        \
        {0,                                                                                         \
         "timestep",                                                                                \
         "PS",                                                                                      \
         CLI_REAL,                                                                                  \
         &cli_traj.said.timestep_ps,                                                                \
         1e-12,                                                                                     \
         1e12,                                                                                      \
         NULL,                                                                                      \
         NULL,                                                                                      \
         "length of an MD step, ps, where the file counts steps (" counts ")"},                     \
        {0,                                                                                         \
         "cell",                                                                                    \
         "A[,B,C[,alpha,beta,gamma]]",                                                              \
         CLI_CUSTOM,                                                                                \
         NULL,                                                                                      \
         0,                                                                                         \
         0,                                                                                         \
         NULL,                                                                                      \
         cli_traj_cell,                                                                             \
         "cell edges in Å, angles in degrees (as the file says)"},                                  \
        {0,                                                                                         \
         "pbc",                                                                                     \
         "AXES",                                                                                    \
         CLI_CUSTOM,                                                                                \
         NULL,                                                                                      \
         0,                                                                                         \
         0,                                                                                         \
         NULL,                                                                                      \
         cli_traj_pbc,                                                                              \
         "periodic axes, any of x y z, or none (as the file says, else all three of a cell)"},      \
        {0,                                                                                         \
         "select",                                                                                  \
         "A:B:C",                                                                                   \
         CLI_CUSTOM,                                                                                \
         NULL,                                                                                      \
         0,                                                                                         \
         0,                                                                                         \
         NULL,                                                                                      \
         cli_traj_select,                                                                           \
         "frames A, A+C, A+2C, ... below B, counted from 0 (all)"},                                 \
        {0, "dtype", "TYPE",          CLI_CHOICE, &cli_traj.said.f64,                               \
         0, 0,       cli_traj_dtypes, NULL,       "numbers as f32 or f64 (f32)"},                   \
        {0,                                                                                         \
         "allow-partial",                                                                           \
         NULL,                                                                                      \
         CLI_FLAG,                                                                                  \
         &cli_traj.said.allow_partial,                                                              \
         0,                                                                                         \
         0,                                                                                         \
         NULL,                                                                                      \
         NULL,                                                                                      \
         "take the whole frames of a file whose end is cut"},                                       \
        {0, "unsorted-ok", NULL, CLI_FLAG, &cli_traj.said.unsorted_ok, 0, 0, NULL, NULL, unsorted}, \
    {                                                                                               \
        0, "keep-duplicates", NULL, CLI_FLAG, &cli_traj.said.keep_duplicates, 0, 0, NULL, NULL,     \
            "keep the frame that a restarted run writes twice"                                      \
    }
#define CLI_TRAJ_ATOMS                                                                             \
    {                                                                                              \
        0, "atoms", "A:B:C", CLI_CUSTOM, NULL, 0, 0, NULL, cli_traj_atoms,                         \
            "atoms A, A+C, A+2C, ... below B only, counted from 0 (all)"                           \
    }
#define CLI_TRAJ_SPECIES                                                                           \
    {                                                                                              \
        0, "species", "LIST", CLI_STRING, &cli_traj.atoms.species, 0, 0, NULL, NULL,               \
            "atoms of these names only, O,H (all)"                                                 \
    }

/* Their parsers, of cli_opt.parse. */
int cli_traj_cell(const char *s, void *dst, struct err *e);
int cli_traj_pbc(const char *s, void *dst, struct err *e);
int cli_traj_select(const char *s, void *dst, struct err *e);
int cli_traj_atoms(const char *s, void *dst, struct err *e);

/* "A:B:C" like a Python slice of whole numbers (A:, :B, ::C and a single A too). 0, or -1 with the
 * reason. */
int cli_parse_slice(const char *s, uint64_t *first, uint64_t *stop, uint64_t *step, struct err *e)
    __attribute__((warn_unused_result));
/* "A[,B,C[,alpha,beta,gamma]]" (Å, degrees) into nine numbers. 0, or -1 with the reason. */
int cli_parse_cell(const char *s, double cell[9], struct err *e)
    __attribute__((warn_unused_result));
/* Any of x y z, or "none". 0, or -1 with the reason. */
int cli_parse_pbc(const char *s, int pbc[3], struct err *e) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
