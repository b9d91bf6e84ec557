/* SPDX-License-Identifier: MIT */
/* traj_given.h: declares the command-line options for reading a trajectory of another program. The
 * options take precedence over the values in the file. Initialise the struct with
 * TRAJ_GIVEN_DEFAULT. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct traj_given {
    bool has_cell, has_pbc;
    double cell[9]; /* Å, cell vectors as rows */
    int pbc[3];
    double dt_ps;               /* between frames, or NaN */
    double timestep_ps;         /* per MD step, or NaN */
    bool uneven;                /* Accept frames at uneven times. */
    uint64_t first, stop, step; /* Take frames first, first + step, ... below stop. */
    int f64;                    /* Return f64 numbers instead of f32. */
    bool allow_partial;         /* Use the complete frames of a truncated file. */
    bool unsorted_ok;           /* Accept rows without ids, in the order of the file. */
    bool jumps_ok;              /* Accept frames in which many atoms jump. */
    bool keep_duplicates;
    bool drop_overlap; /* Use the later part of a run if parts overlap. */
};
#define TRAJ_GIVEN_DEFAULT                                                                         \
    {                                                                                              \
        .dt_ps = NAN, .timestep_ps = NAN, .stop = UINT64_MAX, .step = 1                            \
    }
