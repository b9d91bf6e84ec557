/* SPDX-License-Identifier: MIT */
/* shard.h: describes one part of a run that is divided into N parts (--shard K/N). The steps that
 * part K reads, and the keys of its result (run_begin, run_meta), depend only on the input, the
 * options, K and N. Parts begin and end at block boundaries (blocks.h). */
#pragma once

#include "stream/traj.h"
#include "stream/window.h"

#define SHARD_MAX 1000000

struct shard {
    uint64_t k, n;        /* number k of the part, with 1 <= k <= n, or n = 0 for the whole run */
    uint64_t total;       /* steps of the whole input */
    unsigned char of[16]; /* content hash of the input */
    struct window window; /* time window, if the user gives one */
    bool windowed;
};

/* Parses a text "K/N" or "K-of-N", and sets the struct shard at `dst`. Returns 0 on success, or -1
 * with an error message in e. */
int shard_parse(const char *s, void *dst, struct err *e);
/* If s is a part of a run, reads the number of steps and the content hash from the END of the file
 * that r reads, and finds the steps within the time window of t. If s is a whole run, the function
 * does nothing. If the input is a pipe or has several segments, returns -1 with an error message in
 * e. Otherwise, returns 0. */
int shard_open(struct shard *s, const struct frame_reader *r, const struct traj_reader *t,
               struct err *e);
