/* SPDX-License-Identifier: MIT */
/* shard.h: describes part K of a run that is divided into N parts (--shard K/N). The steps of part
 * K, and the keys of its result (run_begin, run_meta), depend only on the input, the options, K and
 * N. Parts begin and end at block boundaries (blocks.h). */
#pragma once

#include "stream/traj.h"
#include "stream/window.h"

#define SHARD_MAX 1000000

struct shard {
    uint64_t k, n;        /* 1 <= k <= n; n = 0: whole run */
    uint64_t total;       /* steps of the whole input */
    unsigned char of[16]; /* content hash of the input */
    struct window window;
    bool windowed;
};

/* Parses "K/N" or "K-of-N" into the struct shard at `dst`. Returns 0, or -1 with an error in e. */
int shard_parse(const char *s, void *dst, struct err *e);
/* For a part of a run, reads the number of steps and the content hash from the END of the file that
 * r reads, and finds the steps within the time window of t. For a whole run, does nothing. Returns
 * 0, or -1 with an error message in e if the input is a pipe or has several segments. */
int shard_open(struct shard *s, const struct frame_reader *r, const struct traj_reader *t,
               struct err *e);
