/* SPDX-License-Identifier: MIT */
/* formats.h: reads trajectories of other programs as a sequence of checked frames. The format is
 * recognised by content. Input may be a file or (except for HDF5) a pipe, plain or compressed with
 * gzip or zstd. The frames do not depend on the number of threads.
 *
 * Several files form one trajectory, in the order given. If a later file begins with a copy of the
 * last frame, as after a restart, the copy is dropped. Frames are counted from 0 over all files.
 * Every frame has the same atoms in the same order. Units: lengths in Å, times in ps, velocities in
 * Å/ps. */
#ifndef MBF_FORMATS_H
#define MBF_FORMATS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "base/fdio.h"
#include "stream/meta.h"
#include "stream/traj_said.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unit styles of LAMMPS, in the order of FORMATS_UNITS_NAMES, for --units. */
enum lammps_units {
    LAMMPS_AS_SAID, /* from the file; otherwise an error */
    LAMMPS_REAL,
    LAMMPS_METAL,
    LAMMPS_SI,
    LAMMPS_CGS,
    LAMMPS_ELECTRON,
    LAMMPS_MICRO,
    LAMMPS_NANO,
    LAMMPS_LJ /* values unchanged: sigma = 1 Å, tau = 1 ps */
};
/* Dialects of the second line in XYZ files, for --dialect (xyz_header.h); NULL-terminated. */
#define FORMATS_DIALECTS                                                                           \
    {                                                                                              \
        "auto", "plain", "extended", "rigmd", "lammps", "cp2k", NULL                               \
    }
#define FORMATS_UNITS_NAMES                                                                        \
    {                                                                                              \
        "auto", "real", "metal", "si", "cgs", "electron", "micro", "nano", "lj", NULL              \
    }
/* Names (NULL-terminated) and factors to fs of the units of Time= in XYZ files. */
#define FORMATS_TIME_UNITS                                                                         \
    {                                                                                              \
        "fs", "ps", "ns", NULL                                                                     \
    }
#define FORMATS_TIME_UNITS_FS                                                                      \
    {                                                                                              \
        1.0, 1e3, 1e6                                                                              \
    }
/* Texts about all formats: names for --format ("auto" first, NULL-terminated), the help text of
 * --format, the short names separated by commas, and the summary for a program that reads them. */
extern const char *const formats_names[];
extern const char formats_help[], formats_briefs[], formats_summary[];

/* An input that is already open and replaces stdin. The caller keeps io.fd, io.read and io.from.
 * name is used in messages. After the end, why returns the reason in words, or NULL for a normal
 * end. */
struct formats_source {
    const char *name;
    struct fdio io;
    const char *(*why)(void *from);
};

/* The user's options, which override the file. Initialise with FORMATS_OPTS_DEFAULT. */
struct formats_opts {
    int format; /* index into formats_names */
    struct traj_said said;
    int units;             /* enum lammps_units */
    const char *species;   /* "1=Ar,2=Kr" or a full sys.species; NULL: from the file */
    const char *topology;  /* GRO or PDB file that names the atoms (topology.h), or NULL */
    const char *molecules; /* file to which the molecules are written, or NULL */
    const char *columns;   /* columns of a LAMMPS binary dump without names, or NULL */
    int dialect;           /* XYZ dialect, index into FORMATS_DIALECTS */
    double time_unit_fs;   /* unit of a Time= in XYZ files without a unit, fs; NaN: not given */
    double sigma;          /* sigma for META, Å; NaN: from the file */
    bool velocities;       /* read velocities; missing velocities are an error */
    bool unwrap;           /* unwrap with the image flags of the file */
    bool external;         /* also read data in other files that the file names */
    int64_t last_step;     /* MD step at which an IMD session ends; -1: unknown */
    const struct formats_source *source; /* input used if there are no paths, or NULL: stdin */
    int threads;                         /* total number; helper threads read ahead */
    size_t max_mem;                      /* bytes; 0: no limit */
    void (*idle)(void *ctx);             /* called before waiting for a paused input, or NULL */
    void *ctx;
};
#define FORMATS_OPTS_DEFAULT                                                                       \
    {                                                                                              \
        .said = TRAJ_SAID_DEFAULT, .time_unit_fs = NAN, .sigma = NAN, .last_step = -1              \
    }

struct formats;

/* Opens a reader for paths[npaths]; "-", or npaths 0, is stdin. paths and opts must outlive the
 * reader. Returns NULL only if memory is exhausted. */
struct formats *formats_open(char *const *paths, int npaths, const struct formats_opts *opts);
void formats_close(struct formats *x);

/* Energies that an engine sends per step, in the order of data.columns. */
#define FORMATS_ENERGIES 9
#define FORMATS_ENERGIES_NAMES                                                                     \
    "T_K E_kJ/mol potential_kJ/mol vdw_kJ/mol coulomb_kJ/mol bond_kJ/mol angle_kJ/mol "            \
    "dihedral_kJ/mol improper_kJ/mol"

struct formats_frame {
    uint64_t index;         /* 0, 1, 2, ... over the frames returned */
    double time;            /* ps; NaN: unknown */
    const struct box *box;  /* cell of the frame */
    const void *pos;        /* [natoms][3] f32 or f64, Å; valid until the next call */
    const void *vel;        /* velocities as pos, in Å/ps, or NULL */
    const double *energies; /* [FORMATS_ENERGIES], or NULL */
};

/* Offers memory for pos and vel of the next frame (each may be NULL). Data placed there stays valid
 * until the same memory is offered again. */
void formats_room(struct formats *x, void *pos, void *vel);

/* Reads the next frame. Returns 1, 0 at the end, or -1 on error (formats_error). */
int formats_next(struct formats *x, struct formats_frame *f) __attribute__((warn_unused_result));

/* Returns the error, "FILE: frame N: byte B: expected ..., found ..."; valid as long as x. */
const struct err *formats_error(const struct formats *x);
/* Returns one warning for the user per call, or NULL if there are no new warnings. */
const char *formats_warning(struct formats *x);

struct formats_info {
    uint64_t frames; /* frames returned so far */
    uint64_t bytes;  /* decompressed bytes read */
    uint64_t input_done,
        input_total;   /* bytes read from the files, and their total size (0: unknown) */
    bool limited;      /* at the end: more input follows, or a truncated end was dropped */
    bool sorted;       /* rows of some frame were not in the order of their ids */
    bool labels;       /* atoms have names that a stream cannot hold */
    const char *bound; /* main cost: "inflating" or "parsing" */
    /* the following members are valid once formats_next has returned 1 */
    const char *title, *variant; /* "an XTC trajectory"; its dialect, or NULL */
    size_t natoms;
    double dt;                       /* time between frames, ps; NaN: unknown */
    const struct box *box;           /* cell of the first frame */
    char dt_from[64], cell_from[64]; /* sources of dt and the cell, in words */
};
struct formats_info formats_info(const struct formats *x);

/* Sets the sys.* keys (natoms, dt_ps, cell, pbc, sigma, species), data.quantity, data.unit,
 * data.precision and data.unwrapped in m. Returns 0, or -1 on error (formats_error). */
int formats_put_meta(struct formats *x, struct meta *m) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
