/* SPDX-License-Identifier: MIT */
/* traj_state.h: inside of struct traj_reader. Internal to lib/traj*.c. */
#ifndef MBF_TRAJ_STATE_H
#define MBF_TRAJ_STATE_H

#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

struct traj_reader {
    struct frame_reader *r;
    struct traj_info info;
    enum frame_type want;
    struct meta *first; /* META of the first segment; the others must agree */
    struct traj_block block;
    bool pending, fresh; /* block is read but not handed out; it begins a segment */
    bool known;          /* info is complete */
    uint64_t steps;      /* handed out or passed over */
    uint64_t skip_to;    /* blocks that end before this step are passed over unread */
    uint64_t expected;
    double next_time;    /* where the next block should begin, NaN: anywhere */
    double *time, *cell; /* of the TIME and CELL frames waiting for their block, or their values */
    size_t ntime, ncell;
    bool have_time, have_cell;
    double *times;
    struct box *boxes;
    size_t cap; /* steps that times and boxes hold */
    char left_out[5];
    struct err err;
};

/* Record a failure (once) and return -1. */
int traj_fail(struct traj_reader *t, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Keep a TIME or CELL frame for the block that follows. */
int traj_keep(struct traj_reader *t, const struct frame *f, double **to, size_t *count, bool *have);
/* Do the dimensions fit the first block, or define what the others must be? */
int traj_check_dims(struct traj_reader *t, const struct frame_desc *d);
/* A block whose dimensions are right: check its numbers, times and cells, and make it the next one.
 */
int traj_on_block(struct traj_reader *t, const struct frame *f);

#ifdef __cplusplus
}
#endif
#endif
