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
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A trajectory on its way to its result. */
struct cli_result {
    struct frame_reader *in;
    struct traj_reader *traj;    /* announced (traj.h) */
    const char *also;            /* name of its second output; NULL: none */
    struct frame_writer *second; /* which open begins; NULL: none */
    uint64_t first, last;        /* the steps that are wanted; open narrows them */
    double seconds;              /* of reading and computing, once the engine was ready */
};

/* What a tool does. Errors need no name of the input: it is put before them. */
struct cli_reducer {
    enum frame_type want; /* of traj_announce */
    const char *also;     /* the second output as it was given; NULL: none */
    /* The run of a trajectory, with its second output begun; NULL with e. */
    void *(*open)(struct cli_result *r, struct err *e);
    /* The next block; fresh: it begins a segment. 0, or -1 with e. */
    int (*add)(void *run, const struct traj_block *b, bool fresh, struct err *e);
    /* All steps are in: the data.* keys of m. 0, or -1 with e. */
    int (*finish)(void *run, struct meta *m, struct err *e);
    /* The arrays and END to w, whose META is out. 0, or -1 with e. */
    int (*put)(void *run, struct frame_writer *w, struct err *e);
    /* Warnings and notes; what bound the time, or NULL. */
    const char *(*say)(void *run, const struct cli_result *r);
    void (*close)(void *run);
};

/* All of main behind the options. Returns the exit status. */
int cli_reduce(const struct cli_tool *tool, const struct cli_common *c,
               const struct cli_reducer *how);

#ifdef __cplusplus
}
#endif
#endif
