/* SPDX-License-Identifier: MIT */
/* shard.h: divides one run into N parts (--shard K/N). The module finds the steps that part K
 * reads, and the keys with which frame-merge combines the results of N parts. Steps and keys depend
 * only on the input, the options, K and N. Parts begin and end at block boundaries (blocks.h). */
#pragma once

#include "stats/blocks.h"
#include "stream/traj.h"
#include "stream/window.h"

#define SHARD_MAX 1000000

struct shard {
    uint64_t k, n;        /* 1 <= k <= n, or n is 0 */
    uint64_t total;       /* steps of the whole input */
    unsigned char of[16]; /* content hash of the input */
    struct window window; /* time window, if windowed */
    bool windowed;
};

/* Parses "K/N" or "K-of-N" into the struct shard at dst. Returns 0, or -1 and sets e. */
int shard_parse(const char *s, void *dst, struct err *e);
/* For a part, reads the number of steps and the content hash from END of the file of r, and the
 * steps of the time window from t. Returns 0, or -1 and sets e for a pipe or several segments. */
int shard_open(struct shard *s, const struct frame_reader *r, const struct traj_reader *t,
               struct err *e);
/* Finds the steps of the part if the run is divided into `want` blocks (0: chosen automatically).
 * No sample may have been added to b. For a whole run, the steps are 0 to UINT64_MAX, the rest
 * unknown. */
void shard_begin(const struct shard *s, const struct stats_blocks *b, size_t want,
                 struct stats_share *share);
/* Keeps only the blocks of the part after steps share->first to end have been added. Returns 0, or
 * -1 and sets e if there are no steps, if blocks outnumber steps, if the number of steps differs
 * from END, or if memory runs out. */
int shard_finish(const struct shard *s, struct stats_blocks *b, size_t want, uint64_t end,
                 struct stats_share *share, struct err *e);
/* Sets data.shard, data.window and data.whole.blocks of a part's result. Returns 0 or -1. */
int shard_meta(const struct shard *s, const struct stats_share *share, struct meta *m);
/* Writes END of a result, with the input's hash for a part. Returns 0, or -1 and sets
 * frame_writer_error. */
int shard_end(const struct shard *s, struct frame_writer *w) FRAME_MUST;
