/* SPDX-License-Identifier: MIT */
/* cli_reduce.h: runs a program that computes one result for each of its input trajectories. In the
 * name of an output, % stands for the name of the input without its directory and last extension,
 * and %d stands for the number of the input, counted from 0. If the input is stdin, nothing in the
 * name is replaced. Several inputs must be files, and the name of the output must then contain a %.
 * The outputs of several inputs must differ from each other and from every input. If an input
 * fails, only the result of this input is missing. The exit status of the program is the highest
 * status of all inputs. */
#pragma once

#include "cli/cli.h"
#include "stats/analysis.h"

/* Values of the common options of all analyses. The members for --threads and --max-mem are set by
 * cli_reduce. */
extern struct analysis_options cli_shared;

/* Members of struct cli_tool for all programs that call cli_reduce(). */
#define CLI_REDUCE_TOOL(name_)                                                                     \
    .name = name_, .operands = "[FILE...]", .opts = opts, .max_operands = -1,                      \
    .writes_frames = true, .reads_steps = true

#define CLI_BLOCKS_OF_STEPS                                                                        \
    CLI_OPT(                                                                                       \
        "blocks", "B", UINT, &cli_shared.blocks,                                                   \
        "number of blocks into which the steps are divided to estimate errors; with 1, no errors " \
        "are estimated (default: up to 128, with a correction for correlations between blocks)",   \
        .max = 65536)
#define CLI_BLOCKS_OF_ORIGINS(to)                                                                  \
    CLI_OPT("blocks", "B", UINT, &(to),                                                            \
            "number of blocks into which the time origins are divided to estimate errors; with "   \
            "1, no errors are estimated (default: up to 128, with a correction for correlations "  \
            "between blocks)",                                                                     \
            .min = 1, .max = 1e6)
#define CLI_TMAX(to)                                                                               \
    CLI_OPT("tmax", "PS", REAL, &(to), "largest time lag, as an alternative to --lags", .max = 1e12)
/* The argument `what` is "steps" or "time origins". */
#define CLI_SHARD(what)                                                                            \
    CLI_OPT("shard", "K/N", CUSTOM, &cli_shared.shard,                                             \
            "divide the " what " of a run into N parts and process only part K; frame-merge "      \
            "combines the results of the parts (default: process all " what ")",                   \
            .parse = shard_parse)
#define CLI_PAIR(text) CLI_OPT("pair", "A-B", CUSTOM, NULL, text, .parse = cli_shared_pair)
#define CLI_EXCLUDE(to)                                                                            \
    CLI_OPT("exclude", "M|FILE", STRING, &(to),                                                    \
            "omit pairs of atoms in the same molecule; give M if each molecule consists of M "     \
            "consecutive atoms, or a FILE in which each line lists the atom numbers of one "       \
            "molecule, counted from 0 (default: use all pairs)")
/* The options of the pair anisotropy beta, whose values are stored in the struct pairs_choice p
 * (pair/pairs.h). The text `note` is a part of the help text of --component, and the text `more` is
 * appended to the help text of --sum. */
#define CLI_BETA(p, note, more)                                                                    \
    CLI_OPT("component", "NAME", CHOICE, &(p).component,                                           \
            "component of the tensor beta, such as xy; the word all selects the " note             \
            " (default: xz); with a --pair-function of rank 1, the component is x (default), y, "  \
            "z or all",                                                                            \
            .choices = pairs_component_names),                                                     \
        CLI_OPT("sigma", "ANGSTROM", REAL, &(p).sigma,                                             \
                "length sigma that makes beta dimensionless (default: from the input)",            \
                .min = 1e-6, .max = 1e6),                                                          \
        CLI_OPT("cutoff", "ANGSTROM", REAL, &(p).cutoff,                                           \
                "set the pair anisotropy beta to 0 beyond this distance; implies --sum mic "       \
                "(default: no cutoff)",                                                            \
                .min = 1e-6, .max = 1e9),                                                          \
        CLI_OPT("sum", "mic|taper|ewald", CUSTOM, &(p).sum,                                        \
                "periodic images to include: all images (ewald), only the minimum image (mic), "   \
                "or the minimum image with beta switched off smoothly between the distances R1 "   \
                "and R2 in Å (taper[:R1,R2]) (default: mic if --cutoff is given, otherwise "      \
                "ewald, or taper if an axis is non-periodic)" more,                                \
                .parse = sum_word),                                                                \
        CLI_OPT("prefactor", "X", REAL, &(p).prefactor,                                            \
                "factor X in the formula beta = X sigma^3 x z / r^5 (default: 3); use 1 to "       \
                "reproduce the results of Dawid (2019)",                                           \
                .min = -1e6, .max = 1e6),                                                          \
        CLI_OPT("beta-weights", "A=W,...", CUSTOM, &(p).factors.weights,                           \
                "weight of each species, such as its polarizability (Ar=1.64,Kr=2.48); the "       \
                "anisotropy beta of each pair is multiplied by the weights of its two atoms "      \
                "(default: 1)",                                                                    \
                .parse = weights_parse, .was = "weights"),                                         \
        CLI_OPT("pair", "A-B", CUSTOM, &(p).factors.pairs,                                         \
                "use only pairs of species A and B; may be repeated (default: all pairs)",         \
                .parse = pair_wanted_parse),                                                       \
        CLI_EXCLUDE((p).factors.exclude),                                                          \
        CLI_OPT("within", "M|FILE", STRING, &(p).factors.within,                                   \
                "use only pairs of atoms in the same molecule; define the molecules as for "       \
                "--exclude (default: use all pairs)"),                                             \
        CLI_OPT("between", "M|FILE", STRING, &(p).factors.between, "older name of --exclude")
#define CLI_PAIR_FUNCTION(to)                                                                      \
    CLI_OPT(                                                                                       \
        "pair-function", "FILE", STRING, &(to),                                                    \
        "table of a pair function to use for beta, instead of the dipole-induced-dipole formula "  \
        "or in addition to it; see beta-gen(1) (default: no table)")
#define CLI_DEVICE                                                                                 \
    CLI_OPT("device", "N", CUSTOM, NULL,                                                           \
            "number of the GPU to use, among the visible ones (default: 0)",                       \
            .parse = cli_shared_device)
#define CLI_DEVICES                                                                                \
    CLI_OPT("devices", "LIST", STRING, &cli_shared.devices,                                        \
            "use several GPUs: all, or a list such as 0,2")
int cli_shared_pair(const char *s, void *dst, struct err *e);
int cli_shared_device(const char *s, void *dst, struct err *e);

/* Returns the value of --devices or --device, or NULL without these options. */
const char *cli_devices(void);

/* Runs the analysis `a` with the options `choice` for each input, after the command line has been
 * parsed. The argument `also` is the name of the second output on the command line, or NULL.
 * Returns the exit status. */
int cli_reduce(const struct cli_tool *tool, const struct cli_common *c, const struct analysis *a,
               const void *choice, const char *also);
