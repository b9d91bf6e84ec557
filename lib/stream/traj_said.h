/* SPDX-License-Identifier: MIT */
/* traj_said.h: what the user says about a trajectory of another program, whatever its format; it
 * overrides what the file says. Start from TRAJ_SAID_DEFAULT. */
#ifndef MBF_TRAJ_SAID_H
#define MBF_TRAJ_SAID_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct traj_said {
    bool has_cell, has_pbc;
    double cell[9]; /* rows are vectors, Å */
    int pbc[3];
    double dt_ps;               /* between consecutive frames of the input; NaN: not given */
    double timestep_ps;         /* of one MD step, where the file counts steps; NaN: not given */
    uint64_t first, stop, step; /* frames first, first + step, ... below stop */
    int f64;                    /* 1: hand out f64 instead of f32 */
    bool allow_partial;         /* a cut end is no error: the whole frames before it count */
    bool unsorted_ok;     /* rows without ids stay as they are; atoms that jump are not told */
    bool keep_duplicates; /* keep copies of frames */
    bool drop_overlap;    /* where parts of a restarted run overlap, take the later one */
};
#define TRAJ_SAID_DEFAULT                                                                          \
    {                                                                                              \
        .dt_ps = NAN, .timestep_ps = NAN, .stop = UINT64_MAX, .step = 1                            \
    }

#endif
