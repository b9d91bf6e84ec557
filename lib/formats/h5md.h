/* SPDX-License-Identifier: MIT */
/* h5md.h: defines the state of an H5MD reader and handles the species in its file. Only h5md.c and
 * h5md_species.c include this header. */
#pragma once

#include "base/sort_by_id.h"
#include "formats/format.h"
#include "formats/hdf5.h"

/* The elements from SCALAR on are the scalars that the options request. */
enum { POSITION, VELOCITY, EDGES, IMAGE, SPECIES, ID, SCALAR, ELEMENTS = SCALAR + SCALARS_MAX };

/* Steps or times of the rows of an H5MD element, either stored for each row or evenly spaced. */
enum { BLOCK = 512 }; /* rows per read */
struct clock {
    struct hdf5_set set; /* id 0: no data set */
    double time0, every; /* First time and interval of evenly spaced rows, in units of the file. */
    int64_t step0, stride;
    uint64_t from, have; /* buffered rows: */
    union {
        int64_t steps[BLOCK];
        double times[BLOCK];
    };
};

struct element {
    struct hdf5_set set; /* id 0: absent or unused */
    struct clock step;
    bool moving;   /* Whether there is one row per step instead of one row for all steps. */
    uint64_t row;  /* number of the row of the last step that was found */
    double factor; /* Factor that converts the values from the unit of the file to Å or Å/ps, or 1
                    * for scalars. */
};

struct h5md {
    FORMAT_READER;
    struct hdf5_file file;
    char group[HDF5_PATH]; /* particles/NAME */
    struct element of[ELEMENTS];
    struct clock time; /* times of the positions */
    double time_factor;
    uint64_t frames, frame;
    uint64_t edges_from, edges_have; /* range of the rows whose box edges are in `edges` */
    double edges[9 * BLOCK];
    int pbc[3], has_pbc;
    bool begun; /* whether a frame was decoded, so that the order and the species of the atoms are
                 * known */
    struct sort_by_id order;
    const size_t *place; /* Index of the atom in each row of this frame, or NULL if the rows are in
                          * order. */
    int64_t *ids, *types, *types0; /* The array `types0` holds the types of the atoms in the first
                                    * decoded frame. */
    char (*texts0)[HDF5_WORD];     /* Names of the species in the first decoded frame, if the
                                    * species are strings. */
    double *wide;                  /* Memory [natoms][3] for the conversion to f32 and for image
                                    * flags. */
    void *scratch;
};

/* Reads the row of element k that the function find_row() has found. */
static inline int h5md_read_row(const struct h5md *h, int k, enum hdf5_as as, void *to,
                                struct err *e)
{
    const struct element *x = &h->of[k];
    return hdf5_read(&x->set, x->moving ? (int64_t)x->row : HDF5_ALL, 1, as, to, e);
}

/* Stores the species of the first decoded frame in h->info. Returns 0 or -1. */
int h5md_begin_species(struct h5md *h, struct err *e);
/* Compares the species of this frame with the species of the first frame. Returns 0 on success, or
 * -1 with a message in *e that names the atom whose species differs. */
int h5md_check_species(struct h5md *h, struct err *e);
