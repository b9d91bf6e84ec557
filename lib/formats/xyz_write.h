/* SPDX-License-Identifier: MIT */
/* xyz_write.h: writes blocks of positions, and velocities if present, as extended XYZ text. */
#ifndef MBF_XYZ_WRITE_H
#define MBF_XYZ_WRITE_H

#include "stream/meta.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xyz_writer;

/* Creates a writer for steps described by info, with names from meta. digits: significant digits of
 * a coordinate; 0 selects the fewest digits that are read back exactly. Returns NULL and sets *e if
 * memory is exhausted or the species do not match natoms. */
struct xyz_writer *xyz_writer_new(const struct traj_info *info, const struct meta *meta, int digits,
                                  int threads, struct err *e);
/* Writes each step as the number of atoms, a line with Lattice (if there is a cell), Properties,
 * pbc, Time (fs, if known) and sigma, and one line per atom. Velocities are the property vel, in
 * Å/ps, as stated by vel_unit. out receives the text in order. The text does not depend on the
 * number of threads. */
void xyz_write(struct xyz_writer *w, const struct traj_block *b,
               void (*out)(void *ctx, const void *bytes, size_t n), void *ctx);
void xyz_writer_free(struct xyz_writer *w);

#ifdef __cplusplus
}
#endif
#endif
