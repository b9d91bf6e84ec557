/* SPDX-License-Identifier: MIT */
/* xyz_write.h: writes positions, with velocities and scalars if present, as extended XYZ text. */
#pragma once

#include "stream/meta.h"
#include "stream/traj.h"

struct xyz_writer;

/* Creates a writer for steps described by `info`, with names from `meta`. A coordinate has `digits`
 * significant digits. If `digits` is 0, it has the fewest digits that restore its exact value.
 * Returns NULL with an error message in *e if memory runs out or if the species describe another
 * number of atoms. */
struct xyz_writer *xyz_writer_new(const struct traj_info *info, const struct meta *meta, int digits,
                                  int threads, struct err *e);
/* Writes the number of atoms, a line of keys, and one line per atom for each step. The keys are
 * Lattice (if there is a cell), Properties, pbc, Time (in fs, if known) and sigma. Velocities are
 * the property `vel`, and the key vel_unit contains their unit Å/ps. Each scalar is a property with
 * the name of the scalar. The key NAME_unit contains its unit if known. The callback `out` receives
 * the text in order. The text does not depend on the number of threads. */
void xyz_write(struct xyz_writer *w, const struct traj_block *b,
               void (*out)(void *ctx, const void *bytes, size_t n), void *ctx);
void xyz_writer_free(struct xyz_writer *w);
