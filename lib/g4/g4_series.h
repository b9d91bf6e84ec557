/* SPDX-License-Identifier: MIT */
/* g4_series.h: writes S(t) = sum_p beta_p of each component as a stream of SERI arrays. G is the
 * correlation function of S(t) (identity.h). The host computes S(t) for both engines, so that the
 * stream does not depend on the engine. Computing S(t) takes as long as beta-gen, or about 40 time
 * lags with the method `factored` on a CPU. */
#pragma once

#include "pair/pairs.h"

struct g4_series;

/* Begins a segment with META m in the output w. The caller must set the key data.component in m
 * first. Also sets the other keys of a time series, such as data.columns. The input is described by
 * `info`, and p holds the parameters of beta. Returns NULL with an error message in e on failure.
 * Uses 1 MiB of memory, plus the positions of one step per thread. */
struct g4_series *g4_series_open(const struct traj_info *info, const struct pairs *p, int threads,
                                 struct frame_writer *w, struct meta *m, struct err *e);
/* Computes S(t) for a block of steps, whose first step has the index `frame` in error messages.
 * Returns 0, or -1 with an error message in e if two atoms coincide or writing fails. */
int g4_series_add(struct g4_series *s, const struct traj_block *b, uint64_t frame,
                  struct err *e) FRAME_MUST;
/* Writes the last array and the END of the segment after the last step. */
int g4_series_end(struct g4_series *s, struct err *e) FRAME_MUST;
void g4_series_free(struct g4_series *s); /* NULL is allowed */
