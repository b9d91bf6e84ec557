/* SPDX-License-Identifier: MIT */
/*
 * cli_reduce.h: tools that make one result of a trajectory, and of several trajectories a result
 * each, with one start of the engine.
 *
 * Of one input a % in -o is its stem (the name without its folder and its last ending), and %d its
 * number, from 0; stdin has none, and the name stays as it is. Several inputs need a %, must be
 * files, and give names that differ from each other and from every input. One that fails has no
 * result; the others have theirs, and the exit status is the highest of all.
 */
#ifndef MBF_CLI_REDUCE_H
#define MBF_CLI_REDUCE_H

#include "cli/cli.h"
#include "stats/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the options land that analyses share; cli_reduce adds threads and memory. */
extern struct analysis_options cli_shared;

/* Their rows in a table of options. */
#define CLI_BLOCKS_OF_STEPS                                                                        \
    CLI_OPT("blocks", "B", UINT, &cli_shared.blocks,                                               \
            "errors from so many blocks of steps; 1: none (up to 128, and what they remember)",    \
            .max = 65536)
#define CLI_BLOCKS_OF_ORIGINS(to)                                                                  \
    CLI_OPT("blocks", "B", UINT, &(to),                                                            \
            "errors from so many blocks of origins; 1: none (up to 128, and what they remember)",  \
            .min = 1, .max = 1e6)
#define CLI_TMAX(to)                                                                               \
    CLI_OPT("tmax", "PS", REAL, &(to), "lags up to this time, instead of --lags", .max = 1e12)
/* "steps", "origins" */
#define CLI_SHARD(what)                                                                            \
    CLI_OPT("shard", "K/N", CUSTOM, &cli_shared.shard,                                             \
            "the K-th of N shares of a file's " what                                               \
            "; frame-merge makes the whole of all N (all)",                                        \
            .parse = shard_parse)
#define CLI_PAIR(text) CLI_OPT("pair", "A-B", CUSTOM, NULL, text, .parse = cli_shared_pair)
#define CLI_EXCLUDE(to)                                                                            \
    CLI_OPT("exclude", "M|FILE", STRING, &(to),                                                    \
            "leave out pairs within a molecule: M atoms that follow one another, or the atoms "    \
            "(from 0) of each line of FILE (none)")
/* Rows of what beta of a pair is, into p, a struct pairs_choice (pair/pairs.h). note: on the first of
 * them; ewald: what --sum says of it. */
#define CLI_BETA(p, note, ewald)                                                                   \
    CLI_OPT("component", "NAME", CHOICE, &(p).component,                                           \
            "tensor component, or all five (xz)" note, .choices = pairs_component_names),          \
        CLI_OPT("sigma", "ANGSTROM", REAL, &(p).sigma, "length in beta (as the input says)",       \
                .min = 1e-6, .max = 1e6),                                                          \
        CLI_OPT("cutoff", "ANGSTROM", REAL, &(p).cutoff,                                           \
                "beta is 0 beyond it, by --sum mic (none)", .min = 1e-6, .max = 1e9),              \
        CLI_OPT(                                                                                   \
            "sum", "mic|taper|ewald", CUSTOM, &(p).sum,                                            \
            "images that count: mic, the nearest; taper[:R1,R2], the nearest, smoothly to 0 (Å; " \
            "0.7 and 1 of half the smallest width); " ewald " (ewald, taper in cells that are "    \
            "not periodic along all three axes; mic with --cutoff)",                               \
            .parse = sum_word),                                                                    \
        CLI_OPT("prefactor", "X", REAL, &(p).prefactor,                                            \
                "factor of sigma^3 x z / r^5; 1 reproduces the published program (3)",             \
                .min = -1e6, .max = 1e6),                                                          \
        CLI_OPT("beta-weights", "A=W,...", CUSTOM, &(p).factors.weights,                           \
                "multiply beta of a pair by the weights of its two species (default: 1)",          \
                .parse = weights_parse, .was = "weights"),                                         \
        CLI_OPT("pair", "A-B", CUSTOM, &(p).factors.pairs,                                         \
                "pairs of these two species only; repeatable (all)", .parse = pair_wanted_parse),  \
        CLI_EXCLUDE((p).factors.exclude),                                                          \
        CLI_OPT("within", "M|FILE", STRING, &(p).factors.within, "pairs within a molecule only"),  \
        CLI_OPT("between", "M|FILE", STRING, &(p).factors.between,                                 \
                "pairs between molecules only: another name of --exclude")
#define CLI_DEVICE                                                                                 \
    CLI_OPT("device", "N", CUSTOM, NULL, "which of the visible GPUs (0)",                          \
            .parse = cli_shared_device)
#define CLI_DEVICES                                                                                \
    CLI_OPT("devices", "LIST", STRING, &cli_shared.devices,                                        \
            "several GPUs: all, or a list such as 0,2")
/* Their parsers, of cli_opt.parse. */
int cli_shared_pair(const char *s, void *dst, struct err *e);
int cli_shared_device(const char *s, void *dst, struct err *e);

/* What CLI_DEVICE and CLI_DEVICES were given; NULL: none. */
const char *cli_devices(void);

/* All of main behind the options: a's run, of choice, for each input. also: name of its second
 * output as it was given, NULL: none. Returns the exit status. */
int cli_reduce(const struct cli_tool *tool, const struct cli_common *c, const struct analysis *a,
               const void *choice, const char *also);

#ifdef __cplusplus
}
#endif
#endif
