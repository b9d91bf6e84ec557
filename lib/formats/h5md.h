/* SPDX-License-Identifier: MIT */
/*
 * h5md.h: private to h5md.c and h5md_species.c. The state of a reader of H5MD, and its species.
 */
#ifndef MBF_H5MD_H
#define MBF_H5MD_H

#include "base/order.h"
#include "formats/format.h"
#include "formats/hdf5.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { POSITION, VELOCITY, EDGES, IMAGE, SPECIES, ID, ELEMENTS };

/* Steps or times of the rows of an element: one for each row, or evenly spaced. */
enum { BLOCK = 512 }; /* rows that are read at a time */
struct clock {
    struct hdf5_set set; /* id 0: there is none */
    double time0, every; /* of one number: of the first row, and between rows; the file's unit */
    int64_t step0, stride;
    uint64_t from, have; /* rows in: */
    union {
        int64_t steps[BLOCK];
        double times[BLOCK];
    };
};

struct element {
    struct hdf5_set set; /* id 0: there is none, or nobody wants it */
    struct clock step;
    bool moving;   /* a row for each step; else one for all */
    uint64_t row;  /* of the step found last */
    double factor; /* of its unit to ours */
};

struct h5md {
    struct bytes *b;
    struct format_info *info;
    const struct formats_opts *opts;
    struct hdf5_file file;
    char group[HDF5_PATH]; /* particles/NAME */
    struct element of[ELEMENTS];
    struct clock time; /* of the positions */
    double time_factor;
    uint64_t frames, frame, size; /* size: of the file, bytes */
    int pbc[3], has_pbc;
    bool begun; /* a frame was decoded: order and species are known */
    struct order order;
    const size_t *place;           /* of this frame's rows; NULL: they are in order */
    int64_t *ids, *types, *types0; /* types0: of the first frame decoded */
    char (*texts0)[HDF5_WORD];     /* the same, of species that are texts */
    double *wide;                  /* [natoms][3] that become f32, and images */
    void *scratch;
};

/* The row of element k that find_row found. */
static inline int h5md_read_row(const struct h5md *h, int k, enum hdf5_as as, void *to,
                                struct err *e)
{
    const struct element *x = &h->of[k];
    return hdf5_read(&x->set, x->moving ? (int64_t)x->row : HDF5_ALL, 1, as, to, e);
}

/* Species of the first frame decoded, into h->info. 0 or -1. */
int h5md_begin_species(struct h5md *h, struct err *e);
/* Are the species of this frame those of the first one? 0, or -1 with the atom that differs. */
int h5md_check_species(struct h5md *h, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
