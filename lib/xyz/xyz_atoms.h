/* SPDX-License-Identifier: MIT */
/*
 * xyz_atoms.h: which atom is which: names and ids of the first frame, the order of the ids, and
 * atoms that changed places.
 */
#ifndef MBF_XYZ_ATOMS_H
#define MBF_XYZ_ATOMS_H

#include "base/box.h"
#include "base/order.h"
#include "stream/meta.h"
#include "xyz/xyz_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xyz_atoms {
    size_t n;
    bool f64;
    /* in the order handed out */
    uint64_t *names8; /* NULL: no names */
    char (*names)[ROWS_NAME_MAX + 1];

    bool has_ids;
    int64_t *ids0; /* [n] of the first frame, as they came */
    struct order order;
    void *scratch; /* one frame */

    bool has_extent;
    double extent[3]; /* of the first frame, Å, where there is no cell */
};

/* Names and ids of the first frame: n rows [text, end) of this layout, f32 or f64 positions. A bad
 * row ends them: parsing will word the error. 0, or -1: out of memory. */
int xyz_atoms_start(struct xyz_atoms *a, size_t n, bool f64, const struct rows_layout *layout,
                    const char *text, const char *end, struct err *e)
    __attribute__((warn_unused_result));
void xyz_atoms_free(struct xyz_atoms *a);

/* Put pos[n][3] in the order of its ids, the first frame's before any other. 0, or -1 with the
 * reason and *row, which is SIZE_MAX where no row is to blame. */
int xyz_atoms_order(struct xyz_atoms *a, const int64_t *ids, void *pos, size_t *row, struct err *e)
    __attribute__((warn_unused_result));

/* Did atoms change places between these two frames, the later one in this box? 0, or -1 with the
 * reason; every: only each so many frames are looked at. */
int xyz_atoms_check(struct xyz_atoms *a, const struct box *box, const void *before, const void *now,
                    uint64_t every, struct err *e) __attribute__((warn_unused_result));

/* sys.species, where the names are few and plain: else they are labels, and left out. 0 or -1. */
int xyz_atoms_put_species(const struct xyz_atoms *a, struct meta *m)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
