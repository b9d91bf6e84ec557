/* SPDX-License-Identifier: MIT */
/*
 * lammps_rows.h: private to lib/formats. Ordinary rows of LAMMPS' text dumps as vectors
 * (base/rows.h); with several threads, whatever looks like rows in a block of text, by the thread
 * that has read it, before anybody knows which frame they are of.
 */
#ifndef MBF_LAMMPS_ROWS_H
#define MBF_LAMMPS_ROWS_H

#include "formats/lammps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lammps_rows;

/* Both must outlive it; l has its room. NULL: no memory. */
struct lammps_rows *lammps_rows_new(struct bytes *b, struct lammps *l);
void lammps_rows_free(struct lammps_rows *r);

/*
 * Take rows from row k of the frame on, as many as are there and ordinary, into f (and l->ids), as
 * lammps_row does. Returns how many; 0: the next one needs care, or more bytes.
 */
size_t lammps_rows(struct lammps_rows *r, struct format_frame *f, size_t k);

#ifdef __cplusplus
}
#endif
#endif
