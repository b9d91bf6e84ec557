/* SPDX-License-Identifier: MIT */
/* traj_given.h: declares the properties that the user gives as options for a trajectory of another
 * program. These options override the values in the file. Start with TRAJ_GIVEN_DEFAULT. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct traj_given {
    bool has_cell, has_pbc;
    double cell[9]; /* the rows are the cell vectors in Å */
    int pbc[3];
    double dt_ps;               /* time between frames, or NaN */
    double timestep_ps;         /* time per MD step, or NaN */
    bool uneven;                /* whether to accept frames at uneven times */
    uint64_t first, stop, step; /* the frames first, first + step, ... below stop */
    int f64;                    /* 1 to return f64 numbers instead of f32 numbers */
    bool allow_partial;         /* whether to accept a truncated file and use its complete frames */
    bool unsorted_ok;           /* whether to accept rows without ids, in the order of the file */
    bool jumps_ok;              /* whether to accept frames in which many atoms jump */
    bool keep_duplicates;       /* whether to keep repeated frames */
    bool drop_overlap;          /* whether to use the later part if parts of a run overlap */
};
#define TRAJ_GIVEN_DEFAULT                                                                         \
    {                                                                                              \
        .dt_ps = NAN, .timestep_ps = NAN, .stop = UINT64_MAX, .step = 1                            \
    }
