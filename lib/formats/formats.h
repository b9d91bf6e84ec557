/* SPDX-License-Identifier: MIT */
/* formats.h: reads trajectories of other programs as a sequence of checked frames. The format of a
 * file is recognised by its content. The input may be a file or, except for HDF5, a pipe, and may
 * be compressed with gzip or zstd. The frames do not depend on the number of threads. Several files
 * form one trajectory, in the given order. If a later file begins with a copy of the last frame, as
 * after a restart, the copy is dropped. Frames are counted from 0 over all files. All frames have
 * the same atoms in the same order. Lengths are in Å, times in ps, and velocities in Å/ps. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "io/fdio.h"
#include "stream/scalars.h"
#include "stream/traj_given.h"

/* LAMMPS unit styles for --units, in the order of FORMATS_UNITS_NAMES. */
enum lammps_units {
    LAMMPS_AS_GIVEN, /* without --units, the file must state its style */
    LAMMPS_REAL,
    LAMMPS_METAL,
    LAMMPS_SI,
    LAMMPS_CGS,
    LAMMPS_ELECTRON,
    LAMMPS_MICRO,
    LAMMPS_NANO,
    LAMMPS_LJ /* values are unchanged, with sigma = 1 Å and tau = 1 ps */
};
/* Dialects of the second line in XYZ files, for --dialect (xyz_header.h). */
#define FORMATS_DIALECTS "auto", "plain", "extended", "rigmd", "lammps", "cp2k", NULL
#define FORMATS_UNITS_NAMES                                                                        \
    "auto", "real", "metal", "si", "cgs", "electron", "micro", "nano", "lj", NULL
/* Units of Time= in XYZ files, and their values in fs. */
#define FORMATS_TIME_UNITS "fs", "ps", "ns", NULL
#define FORMATS_TIME_UNITS_FS 1.0, 1e3, 1e6
/* The names for --format, from "auto" to NULL. The three texts are the help of --format, a list of
 * the short names, and a summary for programs that read the formats. */
extern const char *const formats_names[];
extern const char formats_help[], formats_briefs[], formats_summary[];

/* An open input that is used instead of stdin. The caller owns io.fd, io.read and io.from. Messages
 * call the input `name`. After the end of the input, why() returns the reason as a phrase, or NULL
 * if the end is normal. */
struct formats_source {
    const char *name;
    struct fdio io;
    const char *(*why)(void *from);
};

/* Options of the user, initially FORMATS_OPTS_DEFAULT, which take precedence over the file. */
struct formats_opts {
    int format; /* index into formats_names */
    struct traj_given given;
    int units;             /* enum lammps_units */
    const char *species;   /* Value of --species: a list such as "1=Ar,2=Kr", a complete text for
                            * sys.species, or NULL. */
    const char *topology;  /* GRO, PDB or PSF file with atom names (topology.h), or NULL. */
    bool elements;         /* Atom names are replaced by elements. */
    const char *molecules; /* file to write the list of molecules to, or NULL */
    const char *columns;   /* Columns of a LAMMPS binary dump without column names, or NULL. */
    int dialect;           /* index in FORMATS_DIALECTS */
    double time_unit_fs;   /* unit of Time= in XYZ files that state no unit, or NaN */
    double sigma;          /* sigma in Å for META, or NaN to use that of the file */
    bool velocities;       /* Velocities are read, and must not be missing. */
    bool as_velocities;    /* Files of CP2K contain velocities, not positions. */
    const char *velocity_unit;           /* of XYZ files that state no unit, or NULL */
    int nscalars;                        /* A missing scalar is an error. */
    struct scalar scalars[SCALARS_MAX];  /* columns of the file */
    int nkeys;                           /* A key that is missing in an XYZ frame is an error. */
    struct scalar keys[SCALARS_MAX];     /* keys of XYZ frames to read */
    bool unwrap;                         /* Positions are unwrapped with image flags of the file. */
    bool external;                       /* References to data in other files are followed. */
    int64_t last_step;                   /* MD step at which an IMD session ends, or -1 */
    const struct formats_source *source; /* input if there are no paths, NULL: stdin */
    int threads;                         /* number, including read-ahead */
    size_t max_mem;                      /* bytes; 0: no limit */
    void (*idle)(void *ctx); /* Called before the reader waits for a paused input, or NULL. */
    void *ctx;
};
#define FORMATS_OPTS_DEFAULT                                                                       \
    {                                                                                              \
        .given = TRAJ_GIVEN_DEFAULT, .time_unit_fs = NAN, .sigma = NAN, .last_step = -1            \
    }

struct formats;

/* Opens a reader for the files paths[npaths]. If the path is "-" or npaths is 0, stdin is read. The
 * data in `paths` and `opts` must stay valid as long as the reader is used. Returns NULL only if
 * memory runs out. */
struct formats *formats_open(char *const *paths, int npaths, const struct formats_opts *opts);
void formats_close(struct formats *x);

/* Energies that an MD program sends per step, in the order of data.columns. */
#define FORMATS_ENERGIES 9
#define FORMATS_NUMBERS 128 /* largest number of values of opts.keys */
#define FORMATS_ENERGIES_NAMES                                                                     \
    "T_K E_kJ/mol potential_kJ/mol vdw_kJ/mol coulomb_kJ/mol bond_kJ/mol angle_kJ/mol "            \
    "dihedral_kJ/mol improper_kJ/mol"
#define FORMATS_ENERGIES_UNITS "K kJ/mol kJ/mol kJ/mol kJ/mol kJ/mol kJ/mol kJ/mol kJ/mol"

struct formats_frame {
    uint64_t index;        /* counted from 0 */
    double time;           /* ps; NaN: unknown */
    const struct box *box; /* cell of the frame */
    const void *pos;       /* Positions [natoms][3] in Å, f32 or f64, valid until the next call. */
    const void *vel;       /* as `pos`, Å/ps, or NULL */
    const void *scal;      /* Scalars [natoms][nscalars] of the type of `pos`, or NULL. */
    const double *energies; /* Energies from an MD program, values of opts.keys, or NULL. */
};

/* Offers memory for the positions and velocities of the next frame; either pointer may be NULL. The
 * data stay valid until the caller offers the memory again. */
void formats_room(struct formats *x, void *pos, void *vel);

/* Reads the next frame. Returns 1 for a frame, 0 at the end, or -1 on an error (formats_error). */
int formats_next(struct formats *x, struct formats_frame *f) MUST_USE;

/* Returns the error of x, such as "FILE: frame N: byte B: expected ..., found ...", which stays
 * valid as long as x exists. */
const struct err *formats_error(const struct formats *x);
/* Returns the next warning for the user, or NULL if there are no new warnings. */
const char *formats_warning(struct formats *x);

struct formats_info {
    uint64_t frames;                  /* frames returned so far */
    uint64_t bytes;                   /* decompressed bytes read so far */
    uint64_t input_done, input_total; /* bytes read from the files, and in total (0: unknown) */
    bool limited;      /* More input follows the last frame, or a truncated last frame was
                        * dropped. */
    bool sorted;       /* Some rows were not in the order of their ids. */
    bool labels;       /* The atoms have names that a stream cannot store. */
    const char *bound; /* slowest task, "inflating" or "parsing" */
    /* The members below are valid after formats_next has returned 1. */
    const char *title, *variant; /* such as "an XTC trajectory"; dialect or NULL */
    size_t natoms;
    const char *left_out;        /* columns and keys of extended XYZ that are not read, or "" */
    double dt;                   /* time between frames in ps, or NaN */
    size_t nnumbers;             /* number of values of opts.keys */
    const char *numbers, *units; /* in the form of data.columns and data.units */
    const struct box *box;       /* cell of the first frame */
    char dt_from[64], cell_from[64];
};
struct formats_info formats_info(const struct formats *x);

/* Sets the keys sys.natoms, sys.dt_ps, sys.cell, sys.pbc, sys.sigma, sys.species, data.quantity,
 * data.unit, data.precision and data.unwrapped in m. Returns 0, or -1 on an error
 * (formats_error). */
int formats_put_meta(struct formats *x, struct meta *m) MUST_USE;
