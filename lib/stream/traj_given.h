/* SPDX-License-Identifier: MIT */
/* traj_given.h: declares the properties of a trajectory of another program that the user gives as
 * options. The options in this struct take precedence over the values in the file. Initialise the
 * struct with TRAJ_GIVEN_DEFAULT. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct traj_given {
    bool has_cell, has_pbc;
    double cell[9]; /* cell vectors in Å, as rows */
    int pbc[3];
    double dt_ps;               /* time between frames in ps, or NaN */
    double timestep_ps;         /* time per MD step, or NaN */
    bool uneven;                /* whether frames at uneven times are accepted */
    uint64_t first, stop, step; /* selected frames: first, first + step, ... below stop */
    int f64;                    /* whether to return f64 numbers instead of f32 numbers */
    bool allow_partial;         /* whether a truncated file is accepted, and its complete frames are
                                 * used */
    bool unsorted_ok;           /* whether rows without ids are accepted, in the order of the
                                 * file */
    bool jumps_ok;              /* whether frames in which many atoms jump are accepted */
    bool keep_duplicates;       /* whether repeated frames are kept */
    bool drop_overlap;          /* whether the later part is used if parts of a run overlap */
};
#define TRAJ_GIVEN_DEFAULT                                                                         \
    {                                                                                              \
        .dt_ps = NAN, .timestep_ps = NAN, .stop = UINT64_MAX, .step = 1                            \
    }
