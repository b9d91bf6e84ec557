/* SPDX-License-Identifier: MIT */
/* xyz_opts.h: what the user says about a text trajectory. */
#ifndef MBF_XYZ_OPTS_H
#define MBF_XYZ_OPTS_H

#include <math.h>

#include "base/input.h"
#include "stream/traj_said.h"
#include "xyz/xyz_header.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the user says; it overrides what the file says. Start from XYZ_OPTS_DEFAULT. */
struct xyz_opts {
    enum xyz_dialect dialect;
    struct traj_said said;
    double time_unit_fs; /* of a Time= that does not name its unit; NaN: not given */
    double sigma;        /* Å; NaN: not given */
    int threads;
    size_t max_mem; /* bytes; 0: no limit */
};
#define XYZ_OPTS_DEFAULT                                                                           \
    {                                                                                              \
        .dialect = XYZ_AUTO, .said = TRAJ_SAID_DEFAULT, .time_unit_fs = NAN, .sigma = NAN,         \
        .threads = 1                                                                               \
    }

#ifdef __cplusplus
}
#endif
#endif
