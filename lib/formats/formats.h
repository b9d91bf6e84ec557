/* SPDX-License-Identifier: MIT */
/* formats.h: reads trajectories of other programs as a sequence of checked frames. The format of a
 * file is recognised by its content. The input may be a file or, except for HDF5, a pipe, and may
 * be compressed with gzip or zstd. The frames do not depend on the number of threads. If several
 * files are given, they form one trajectory, in the given order. If a later file begins with a copy
 * of the last frame, as after a restart, the copy is dropped. Frames are counted from 0 over all
 * files. All frames have the same atoms in the same order. Lengths are in Å, times in ps, and
 * velocities in Å/ps. */
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

/* LAMMPS unit styles for the option --units. The order of the enum is the order of
 * FORMATS_UNITS_NAMES. */
enum lammps_units {
    LAMMPS_AS_GIVEN, /* The option --units was not given, so the file must state its unit style. */
    LAMMPS_REAL,
    LAMMPS_METAL,
    LAMMPS_SI,
    LAMMPS_CGS,
    LAMMPS_ELECTRON,
    LAMMPS_MICRO,
    LAMMPS_NANO,
    LAMMPS_LJ /* The values are used unchanged, with sigma = 1 Å and tau = 1 ps. */
};
/* Dialects of the second line in XYZ files, for --dialect (xyz_header.h). The list ends in NULL. */
#define FORMATS_DIALECTS "auto", "plain", "extended", "rigmd", "lammps", "cp2k", NULL
#define FORMATS_UNITS_NAMES                                                                        \
    "auto", "real", "metal", "si", "cgs", "electron", "micro", "nano", "lj", NULL
/* Names of the units of Time= in XYZ files, followed by NULL, and values of these units in fs. */
#define FORMATS_TIME_UNITS "fs", "ps", "ns", NULL
#define FORMATS_TIME_UNITS_FS 1.0, 1e3, 1e6
/* The names for --format, which begin with "auto" and end with NULL. Three texts about all formats:
 * the help text of --format, a list of the short names, and a summary for programs that read the
 * formats. */
extern const char *const formats_names[];
extern const char formats_help[], formats_briefs[], formats_summary[];

/* An input that is already open and is used in place of stdin. The caller owns the members io.fd,
 * io.read and io.from. The member `name` appears in messages. After the end of the input, the
 * function why() returns the reason as a phrase, or NULL if the end is normal. */
struct formats_source {
    const char *name;
    struct fdio io;
    const char *(*why)(void *from);
};

/* Options of the user, which take precedence over the file. Initialise this struct with
 * FORMATS_OPTS_DEFAULT. */
struct formats_opts {
    int format; /* index into formats_names */
    struct traj_given given;
    int units;             /* enum lammps_units */
    const char *species;   /* The value of --species: a list such as "1=Ar,2=Kr", a complete text
                            * for sys.species, or NULL. */
    const char *topology;  /* Name of a GRO, PDB or PSF file with the names of the atoms
                            * (topology.h), or NULL. */
    bool elements;         /* Whether to replace the names of the atoms by elements. */
    const char *molecules; /* Name of the file to which the list of molecules is written, or
                            * NULL. */
    const char *columns;   /* Names of the columns of a LAMMPS binary dump that does not contain
                            * them, or NULL. */
    int dialect;           /* Index in FORMATS_DIALECTS of the dialect of XYZ text. */
    double time_unit_fs;   /* Unit in fs of Time= in XYZ files that do not state it, or NaN. */
    double sigma;       /* Value of sigma in Å that is stored in META, or NaN to use the value in
                            * the file. */
    bool velocities;    /* Whether to read velocities, in which case missing velocities are an
                            * error. */
    bool as_velocities; /* Whether the files of CP2K contain velocities in place of positions. */
    const char *velocity_unit; /* Unit of velocities in XYZ files that do not state it, or NULL. */
    int nscalars;              /* Number of scalars to read. A scalar that the file does not contain
                                * is an error. */
    struct scalar scalars[SCALARS_MAX]; /* Names of the scalars, which are names of columns in the
                                         * file. */
    int nkeys; /* Number of keys to read from each frame of XYZ text. A key that a frame does not
                * contain is an error. */
    struct scalar keys[SCALARS_MAX]; /* names of these keys */
    bool unwrap;                     /* Whether to unwrap positions with the image flags in the
                                      * file. */
    bool external;                   /* Whether to follow references to data in other files. */
    int64_t last_step;               /* MD step at which an IMD session ends, or -1 if unknown. */
    const struct formats_source *source; /* Source of the input if there are no paths, or NULL for
                                          * stdin. */
    int threads;             /* Number of threads, including the threads that read ahead. */
    size_t max_mem;          /* bytes; 0: no limit */
    void (*idle)(void *ctx); /* Function that is called before the reader waits for a paused input,
                              * or NULL. */
    void *ctx;
};
#define FORMATS_OPTS_DEFAULT                                                                       \
    {                                                                                              \
        .given = TRAJ_GIVEN_DEFAULT, .time_unit_fs = NAN, .sigma = NAN, .last_step = -1            \
    }

struct formats;

/* Opens a reader for the files paths[npaths]. If the path is "-" or npaths is 0, reads stdin. The
 * data in `paths` and `opts` must stay valid as long as the reader is used. Returns NULL only if
 * memory runs out. */
struct formats *formats_open(char *const *paths, int npaths, const struct formats_opts *opts);
void formats_close(struct formats *x);

/* Number of energies that an engine sends per step, in the order of data.columns. */
#define FORMATS_ENERGIES 9
#define FORMATS_NUMBERS 128 /* largest number of values that opts.keys may select in a frame */
#define FORMATS_ENERGIES_NAMES                                                                     \
    "T_K E_kJ/mol potential_kJ/mol vdw_kJ/mol coulomb_kJ/mol bond_kJ/mol angle_kJ/mol "            \
    "dihedral_kJ/mol improper_kJ/mol"
#define FORMATS_ENERGIES_UNITS "K kJ/mol kJ/mol kJ/mol kJ/mol kJ/mol kJ/mol kJ/mol kJ/mol"

struct formats_frame {
    uint64_t index;        /* Number of this frame among the returned frames, counted from 0. */
    double time;           /* ps; NaN: unknown */
    const struct box *box; /* cell of the frame */
    const void *pos;       /* Positions [natoms][3] in Å, of type f32 or f64, which are valid until
                            * the next call. */
    const void *vel;       /* Velocities in Å/ps, with the shape and type of `pos`, or NULL. */
    const void *scal;      /* Scalars [natoms][nscalars], of the same type as `pos`, or NULL. */
    const double *energies; /* Values of the frame: the FORMATS_ENERGIES energies that an engine
                             * sent, the numbers that opts.keys selects, or NULL. */
};

/* Offers memory for the positions and velocities of the next frame. Either pointer to the memory
 * for the next frame may be NULL. Data in this memory stay valid until the caller offers the memory
 * again. */
void formats_room(struct formats *x, void *pos, void *vel);

/* Reads the next frame. Returns 1 if there is a frame, 0 at the end, or -1 on an error
 * (formats_error). */
int formats_next(struct formats *x, struct formats_frame *f) MUST_USE;

/* Returns the error message, such as "FILE: frame N: byte B: expected ..., found ...". The message
 * stays valid as long as the reader x exists. */
const struct err *formats_error(const struct formats *x);
/* Returns one warning for the user per call, or NULL if there are no new warnings. */
const char *formats_warning(struct formats *x);

struct formats_info {
    uint64_t frames;                  /* frames returned so far */
    uint64_t bytes;                   /* number of decompressed bytes that have been read */
    uint64_t input_done, input_total; /* Number of bytes that have been read from the files, and
                                       * total size of the files (0 if unknown). */
    bool limited; /* After the last frame, states whether more input follows, or a truncated last
                   * frame was dropped. */
    bool sorted;  /* Whether the rows of some frame were not in the order of their ids. */
    bool labels;  /* Whether the atoms have names that a stream cannot store. */
    const char *bound; /* the slowest task: "inflating" or "parsing" */
    /* The members below are valid after formats_next has returned 1. */
    const char *title, *variant; /* Title of the format, such as "an XTC trajectory", and dialect or
                                  * NULL. */
    size_t natoms;
    const char *left_out;        /* Columns and keys of extended XYZ that are not read, or an empty
                                  * text. */
    double dt;                   /* Time between frames in ps, or NaN if unknown. */
    size_t nnumbers;             /* Number of values in a frame that opts.keys selects. */
    const char *numbers, *units; /* Names and units of the values that opts.keys selects, in the
                                  * form of data.columns and data.units. */
    const struct box *box;       /* cell of the first frame */
    char dt_from[64], cell_from[64]; /* Phrases that report the sources of the time between frames
                                      * and of the cell. */
};
struct formats_info formats_info(const struct formats *x);

/* Sets the following keys in m: sys.natoms, sys.dt_ps, sys.cell, sys.pbc, sys.sigma, sys.species,
 * data.quantity, data.unit, data.precision and data.unwrapped. Returns 0, or -1 on an error
 * (formats_error). */
int formats_put_meta(struct formats *x, struct meta *m) MUST_USE;
