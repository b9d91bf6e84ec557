/* SPDX-License-Identifier: MIT */
/* xyz_opts.h: what the user says about a text trajectory. */
#ifndef MBF_XYZ_OPTS_H
#define MBF_XYZ_OPTS_H

#include <math.h>

#include "base/input.h"
#include "xyz/xyz_header.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the user says; it overrides what the file says. Start from XYZ_OPTS_DEFAULT. */
struct xyz_opts {
    enum xyz_dialect dialect;
    bool has_cell, has_pbc;
    double cell[9]; /* rows are vectors, Å */
    int pbc[3];
    double dt_ps;               /* between consecutive frames of the input; NaN: not given */
    double timestep_ps;         /* of one MD step (LAMMPS); NaN: not given */
    double time_unit_fs;        /* of a Time= that does not name its unit; NaN: not given */
    double sigma;               /* Å; NaN: not given */
    uint64_t first, stop, step; /* frames first, first + step, ... below stop */
    bool f64;                   /* hand out f64 instead of f32 */
    bool allow_partial;         /* a cut end is no error: the whole frames before it count */
    bool unsorted_ok;           /* do not look for atoms that changed places */
    bool keep_duplicates;       /* keep a restart's copy of the last frame */
    int threads;
    size_t max_mem; /* bytes; 0: no limit */
};
#define XYZ_OPTS_DEFAULT                                                                           \
    {                                                                                              \
        .dialect = XYZ_AUTO, .dt_ps = NAN, .timestep_ps = NAN, .time_unit_fs = NAN, .sigma = NAN,  \
        .stop = UINT64_MAX, .step = 1, .threads = 1                                                \
    }

#ifdef __cplusplus
}
#endif
#endif
