/* SPDX-License-Identifier: MIT */
/* g4_series.h: writes S(t) = sum_p beta_p of each component as a stream of SERI arrays. G is the
 * correlation function of S(t) (identity.h). The host computes S(t) for both engines, so that the
 * stream does not depend on the engine. The computation of S(t) takes as long as a run of beta-gen.
 * A run of beta-gen takes as long as about 40 time lags with the method `factored` on a CPU. */
#pragma once

#include "pair/pairs.h"

struct g4_series;

/* Begins a segment with META m in the output w. The caller must set the key data.component in m
 * first. The function sets data.columns and the other keys of a time series. The argument `info`
 * describes the input, and p holds the parameters of beta. Returns NULL with an error message in e
 * on failure. The function uses 1 MiB of memory, plus the positions of one step per thread. */
struct g4_series *g4_series_open(const struct traj_info *info, const struct pairs *p, int threads,
                                 struct frame_writer *w, struct meta *m, struct err *e);
/* Computes S(t) for a block of steps. The argument `frame` is the index of the first step, for
 * error messages. Returns 0 on success, or -1 with an error message in e if two atoms coincide or
 * writing fails. */
int g4_series_add(struct g4_series *s, const struct traj_block *b, uint64_t frame,
                  struct err *e) FRAME_MUST;
/* After the last step, writes the last array and the END of the segment. */
int g4_series_end(struct g4_series *s, struct err *e) FRAME_MUST;
void g4_series_free(struct g4_series *s); /* NULL is allowed */
