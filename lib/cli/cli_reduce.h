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
    {                                                                                              \
        .name = "blocks", .arg = "B", .kind = CLI_UINT, .dst = &cli_shared.blocks, .max = 65536,   \
        .help = "errors from so many blocks of steps; 1: none (up to 128, and what they "          \
                "remember)"                                                                        \
    }
#define CLI_BLOCKS_OF_ORIGINS(to)                                                                  \
    {                                                                                              \
        .name = "blocks", .arg = "B", .kind = CLI_UINT, .dst = &(to), .min = 1, .max = 1e6,        \
        .help = "errors from so many blocks of origins; 1: none (up to 128, and what they "        \
                "remember)"                                                                        \
    }
#define CLI_TMAX(to)                                                                               \
    {                                                                                              \
        .name = "tmax", .arg = "PS", .kind = CLI_REAL, .dst = &(to), .max = 1e12,                  \
        .help = "lags up to this time, instead of --lags"                                          \
    }
/* "steps", "origins" */
#define CLI_SHARD(what)                                                                            \
    {                                                                                              \
        .name = "shard", .arg = "K/N", .kind = CLI_CUSTOM, .dst = &cli_shared.shard,               \
        .parse = shard_parse,                                                                      \
        .help = "the K-th of N shares of a file's " what                                           \
                "; frame-merge makes the whole of all N (all)"                                     \
    }
#define CLI_PAIR(text)                                                                             \
    {                                                                                              \
        .name = "pair", .arg = "A-B", .kind = CLI_CUSTOM, .parse = cli_shared_pair, .help = text   \
    }
#define CLI_EXCLUDE                                                                                \
    {                                                                                              \
        .name = "exclude", .arg = "M|FILE", .kind = CLI_STRING, .dst = &cli_shared.exclude,        \
        .help = "leave out pairs within a molecule: M atoms that follow one another, or the "      \
                "atoms (from 0) of each line of FILE (none)"                                       \
    }
/* Rows of what beta of a pair is multiplied by, into f, a struct factors_choice (g4/factors.h). */
#define CLI_FACTORS(f)                                                                             \
    {.name = "weights",                                                                            \
     .arg = "A=W,...",                                                                             \
     .kind = CLI_CUSTOM,                                                                           \
     .dst = &(f).weights,                                                                          \
     .parse = weights_parse,                                                                       \
     .help = "beta of a pair times the weights of its species (1)"},                               \
        {.name = "pair",                                                                           \
         .arg = "A-B",                                                                             \
         .kind = CLI_CUSTOM,                                                                       \
         .dst = &(f).pairs,                                                                        \
         .parse = pair_wanted_parse,                                                               \
         .help = "pairs of these two species only; repeatable (all)"},                             \
        {.name = "exclude",                                                                        \
         .arg = "M|FILE",                                                                          \
         .kind = CLI_STRING,                                                                       \
         .dst = &(f).exclude,                                                                      \
         .help =                                                                                   \
             "leave out pairs within a molecule: M atoms that follow one another, or the atoms "   \
             "(from 0) of each line of FILE (none)"},                                              \
        {.name = "within",                                                                         \
         .arg = "M|FILE",                                                                          \
         .kind = CLI_STRING,                                                                       \
         .dst = &(f).within,                                                                       \
         .help = "pairs within a molecule only"},                                                  \
    {                                                                                              \
        .name = "between", .arg = "M|FILE", .kind = CLI_STRING, .dst = &(f).between,               \
        .help = "pairs between molecules only: another name of --exclude"                          \
    }
#define CLI_DEVICE                                                                                 \
    {                                                                                              \
        .name = "device", .arg = "N", .kind = CLI_CUSTOM, .parse = cli_shared_device,              \
        .help = "which of the visible GPUs (0)"                                                    \
    }
#define CLI_DEVICES                                                                                \
    {                                                                                              \
        .name = "devices", .arg = "LIST", .kind = CLI_STRING, .dst = &cli_shared.devices,          \
        .help = "several GPUs: all, or a list such as 0,2"                                         \
    }
/* Their parsers, of cli_opt.parse. */
int cli_shared_pair(const char *s, void *dst, struct err *e);
int cli_shared_device(const char *s, void *dst, struct err *e);

/* All of main behind the options: a's run, of choice, for each input. also: name of its second
 * output as it was given, NULL: none. Returns the exit status. */
int cli_reduce(const struct cli_tool *tool, const struct cli_common *c, const struct analysis *a,
               const void *choice, const char *also);

#ifdef __cplusplus
}
#endif
#endif
