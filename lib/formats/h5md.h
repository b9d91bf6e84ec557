/* SPDX-License-Identifier: MIT */
/* h5md.h: defines the state of an H5MD reader, for h5md.c and h5md_species.c. */
#pragma once

#include "base/sort_by_id.h"
#include "formats/format.h"
#include "formats/hdf5.h"

/* Elements from SCALAR on are the requested scalars. */
enum { POSITION, VELOCITY, EDGES, IMAGE, SPECIES, ID, SCALAR, ELEMENTS = SCALAR + SCALARS_MAX };

/* Steps or times of an H5MD element, either stored for each row or evenly spaced. */
enum { BLOCK = 512 }; /* rows per read */
struct clock {
    struct hdf5_set set; /* id 0: no data set */
    double time0, every; /* in units of the file */
    int64_t step0, stride;
    uint64_t from, have; /* first buffered row, number of rows */
    union {
        int64_t steps[BLOCK];
        double times[BLOCK];
    };
};

struct element {
    struct hdf5_set set; /* id 0: absent or unused */
    struct clock step;
    bool moving;   /* There is one row per step, not one for all steps. */
    uint64_t row;  /* row of the last step that was found */
    double factor; /* to Å or Å/ps, 1: scalars */
};

struct h5md {
    FORMAT_READER;
    struct hdf5_file file;
    char group[HDF5_PATH]; /* particles/NAME */
    struct element of[ELEMENTS];
    struct clock time; /* times of the positions */
    double time_factor;
    uint64_t frames, frame;
    uint64_t edges_from, edges_have; /* rows in `edges` */
    double edges[9 * BLOCK];
    int pbc[3], has_pbc;
    bool begun; /* A frame was decoded, so that the atoms are known. */
    struct sort_by_id order;
    const size_t *place;           /* [natoms] atom in each row, or NULL if in order */
    int64_t *ids, *types, *types0; /* types0: [natoms], of the first frame */
    char (*texts0)[HDF5_WORD];     /* species in the first frame, if they are strings */
    double *wide;                  /* [natoms][3], for f32 and image flags */
    void *scratch;
};

/* Reads the row of element k that find_row() has found. */
static inline int h5md_read_row(const struct h5md *h, int k, enum hdf5_as as, void *to,
                                struct err *e)
{
    const struct element *x = &h->of[k];
    return hdf5_read(&x->set, x->moving ? (int64_t)x->row : HDF5_ALL, 1, as, to, e);
}

/* Stores the species of the first decoded frame in h->info. Returns 0 or -1. */
int h5md_begin_species(struct h5md *h, struct err *e);
/* Compares the species of a frame with the species of the first frame. Returns 0, or -1 and sets *e
 * to a message that names the atom whose species differs. */
int h5md_check_species(struct h5md *h, struct err *e);
