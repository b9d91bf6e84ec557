/* SPDX-License-Identifier: MIT */
/*
 * g4_series.h: writes S(t) = sum_p beta_p of each component as a stream of SERI arrays. G is the
 * correlation function of this series (identity.h). The host computes it for every engine from beta
 * with the same bits, so the stream does not depend on the engine. The cost equals that of
 * beta-gen, about the same as 40 lags of method factored on a CPU.
 */
#ifndef MBF_G4_SERIES_H
#define MBF_G4_SERIES_H

#include "pair/pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct g4_series;

/* Begins a segment on w with META m, which holds data.component; adds data.columns (S_xz ...) and
 * the other keys of a series. info describes the input, p how beta is computed from positions.
 * Returns NULL and sets e on failure. Uses 1 MiB plus the positions of one step per thread. */
struct g4_series *g4_series_open(const struct traj_info *info, const struct pairs *p, int threads,
                                 struct frame_writer *w, struct meta *m, struct err *e);
/* Adds S of a block; frame is the index of its first step, for messages. Returns 0, or -1 and sets
 * e: two atoms coincide, or w failed. */
int g4_series_add(struct g4_series *s, const struct traj_block *b, uint64_t frame,
                  struct err *e) FRAME_MUST;
/* Writes the last array and the END of the segment after the last step. */
int g4_series_end(struct g4_series *s, struct err *e) FRAME_MUST;
void g4_series_free(struct g4_series *s); /* NULL is allowed; w stays open */

#ifdef __cplusplus
}
#endif
#endif
