/* SPDX-License-Identifier: MIT */
/*
 * g4_series.h: S(t) = sum_p beta_p of each component as a stream of SERI arrays: the series of which
 * G is the correlation (identity.h). Made on the host for every engine, from beta of the same bits,
 * so that the stream does not depend on the engine; costs as much as beta-gen, which is about as
 * much again as 40 lags by factored on a CPU.
 */
#ifndef MBF_G4_SERIES_H
#define MBF_G4_SERIES_H

#include "pair/pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct g4_series;

/*
 * A segment on w, with META m, which holds data.component: sets data.columns (S_xz ...) and what
 * else a series has. info: of the input; p: how beta is made of positions. NULL with e. Memory:
 * 1 MiB, and positions of one step a thread.
 */
struct g4_series *g4_series_open(const struct traj_info *info, const struct pairs *p, int threads,
                                 struct frame_writer *w, struct meta *m, struct err *e);
/* S of a block; frame: number of its first step, for messages. 0, or -1: two atoms are at the same
 * place, or w failed. */
int g4_series_add(struct g4_series *s, const struct traj_block *b, uint64_t frame,
                  struct err *e) FRAME_MUST;
/* All steps are in: the last array, and the END of the segment. */
int g4_series_end(struct g4_series *s, struct err *e) FRAME_MUST;
void g4_series_free(struct g4_series *s); /* NULL is allowed; w stays open */

#ifdef __cplusplus
}
#endif
#endif
