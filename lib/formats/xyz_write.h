/* SPDX-License-Identifier: MIT */
/* xyz_write.h: blocks of positions, and velocities where there are any, as extended XYZ text. */
#ifndef MBF_XYZ_WRITE_H
#define MBF_XYZ_WRITE_H

#include "stream/meta.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xyz_writer;

/*
 * Text for steps like those of info, names and sigma from meta. digits: significant ones of a
 * coordinate, 0: the fewest that read back exactly. NULL with the reason: out of memory, or species that
 * do not fit natoms.
 */
struct xyz_writer *xyz_writer_new(const struct traj_info *info, const struct meta *meta, int digits,
                                  int threads, struct err *e);
/*
 * Each step: natoms, then Lattice (where there is a cell), Properties, pbc, Time (fs, where known)
 * and sigma, then a line an atom. Velocities are the property vel, in Å/ps (vel_unit says so). out gets the text in order. The bytes do not depend on threads.
 */
void xyz_write(struct xyz_writer *w, const struct traj_block *b,
               void (*out)(void *ctx, const void *bytes, size_t n), void *ctx);
void xyz_writer_free(struct xyz_writer *w);

#ifdef __cplusplus
}
#endif
#endif
