/* SPDX-License-Identifier: MIT */
/* xyz_write.h: writes steps with positions, velocities and scalars as extended XYZ text. */
#pragma once

#include "stream/meta.h"
#include "stream/traj.h"

struct xyz_writer;

/* Creates a writer for the steps of `info`, with the atom names in `meta`. A coordinate has
 * `digits` significant digits. If `digits` is 0, a coordinate has the fewest digits that restore
 * its exact value. If memory runs out or the species describe another number of atoms, returns NULL
 * with an error message in *e. */
struct xyz_writer *xyz_writer_new(const struct traj_info *info, const struct meta *meta, int digits,
                                  int threads, struct err *e);
/* For each step, writes the number of atoms, a line of keys, and one line per atom. The keys are
 * Lattice (if there is a cell), Properties, pbc, Time (in fs, if known) and sigma. Velocities are
 * written as the property `vel`, and vel_unit is Å/ps. Scalars are written as properties with the
 * names of the scalars, and NAME_unit is the unit, if known. The text, which the callback `out`
 * receives in order, does not depend on the number of threads. */
void xyz_write(struct xyz_writer *w, const struct traj_block *b,
               void (*out)(void *ctx, const void *bytes, size_t n), void *ctx);
void xyz_writer_free(struct xyz_writer *w);
