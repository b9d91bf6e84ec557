/* SPDX-License-Identifier: MIT */
/*
 * shard.h: --shard K/N, the K-th of N shares of one trajectory: which steps it reads, and what its
 * result says so that frame-merge can put N of them together. A pure function of the input, the
 * options, K and N; boundaries are those of blocks (blocks.h).
 */
#ifndef MBF_SHARD_H
#define MBF_SHARD_H

#include "stats/blocks.h"
#include "stream/traj.h"
#include "stream/window.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SHARD_MOST 1000000

struct shard {
    uint64_t k, n;        /* 1 <= k <= n; n 0: not asked for, the whole */
    uint64_t total;       /* steps of the whole input */
    unsigned char of[16]; /* its content hash */
    struct window window; /* of time, where it is not all of it: windowed */
    bool windowed;
};

/* "K/N" or "K-of-N" into the struct shard at dst. 0, or -1 with e. */
int shard_parse(const char *s, void *dst, struct err *e);
/* Where a share is wanted: total and content hash from the END of r's file, steps of its window of
 * time from t. 0, or -1 with e: a pipe, several segments. */
int shard_open(struct shard *s, const struct frame_reader *r, const struct traj_reader *t,
               struct err *e);
/* Blocks b, to which nothing was added yet, want of them (0: as they come): which steps the share
 * has; of the whole, from 0 to UINT64_MAX and the rest not known. */
void shard_begin(const struct shard *s, const struct stats_blocks *b, size_t want,
                 struct stats_share *share);
/* Steps share->first to end were added: keep the share's blocks alone. 0, or -1 with e: no steps,
 * more blocks than steps, not the steps that END told; memory. */
int shard_finish(const struct shard *s, struct stats_blocks *b, size_t want, uint64_t end,
                 struct stats_share *share, struct err *e);
/* data.shard, data.window and data.whole.blocks (want, resolved) of a result, where it is a share's.
 * 0 or -1. */
int shard_meta(const struct shard *s, const struct stats_share *share, struct meta *m);
/* frame_end of a result, and what it is a share of. 0 or -1: frame_writer_error(). */
int shard_end(const struct shard *s, struct frame_writer *w) FRAME_MUST;

#ifdef __cplusplus
}
#endif
#endif
