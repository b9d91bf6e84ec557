/* SPDX-License-Identifier: MIT */
/*
 * formats.h: trajectories of other programs as a stream of checked frames, each told by its
 * content, from a pipe (but for HDF5) as well as a file, gzip, zstd or not.
 * What is handed out does not depend on the number of threads.
 *
 * Several files are one trajectory, in order; a restart's copy of the last frame at the head of a
 * later file is left out. Frames are counted from 0 over all files. Every frame has the same atoms
 * in the same order. Lengths in Å, times in ps, velocities in Å/ps.
 */
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

/* Units of LAMMPS; FORMATS_UNITS_NAMES in the same order, for --units. */
enum lammps_units {
    LAMMPS_AS_SAID, /* by the file, else they are asked for */
    LAMMPS_REAL,
    LAMMPS_METAL,
    LAMMPS_SI,
    LAMMPS_CGS,
    LAMMPS_ELECTRON,
    LAMMPS_MICRO,
    LAMMPS_NANO,
    LAMMPS_LJ /* numbers as they stand: sigma is 1 Å, tau 1 ps */
};
/* How the second lines of XYZ are written, for --dialect (xyz_header.h); NULL behind the last. */
#define FORMATS_DIALECTS                                                                           \
    {                                                                                              \
        "auto", "plain", "extended", "rigmd", "lammps", "cp2k", NULL                               \
    }
#define FORMATS_UNITS_NAMES                                                                        \
    {                                                                                              \
        "auto", "real", "metal", "si", "cgs", "electron", "micro", "nano", "lj", NULL              \
    }
/* Units of the Time= of XYZ: names, NULL behind the last, and what they are in fs. */
#define FORMATS_TIME_UNITS                                                                         \
    {                                                                                              \
        "fs", "ps", "ns", NULL                                                                     \
    }
#define FORMATS_TIME_UNITS_FS                                                                      \
    {                                                                                              \
        1.0, 1e3, 1e6                                                                              \
    }
/* Of all formats there are: names for --format, "auto" first, NULL last; what its help says; in
 * short, each with a comma behind; the summary of a program that reads them. */
extern const char *const formats_names[];
extern const char formats_help[], formats_briefs[], formats_summary[];

/* An input that is open already, instead of stdin: io.fd, io.read and io.from, which stay the caller's;
 * its name, for messages. why: what ended it, in words, asked after its end; NULL: it just did. */
struct formats_source {
    const char *name;
    struct fdio io;
    const char *(*why)(void *from);
};

/* What the user says; it overrides what the file says. Start from FORMATS_OPTS_DEFAULT. */
struct formats_opts {
    int format; /* index into formats_names */
    struct traj_said said;
    int units;             /* enum lammps_units */
    const char *species;   /* "1=Ar,2=Kr", or sys.species itself; NULL: as the file says */
    const char *topology;  /* GRO or PDB that names the atoms (topology.h); NULL */
    const char *molecules; /* file for its molecules; NULL */
    const char *columns;   /* of a LAMMPS binary dump that does not name them; NULL */
    int dialect;           /* of XYZ, index into FORMATS_DIALECTS */
    double time_unit_fs;   /* of a Time= of XYZ that does not name its unit; NaN: not given */
    double sigma;          /* Å, of META; NaN: as the file says */
    bool velocities;       /* wanted, and an error where there are none */
    bool unwrap;           /* follow the images of LAMMPS */
    bool external;         /* data in other files that the file names are read, too */
    int64_t last_step;     /* of the MD run, which an IMD session leads up to; -1: not said */
    const struct formats_source *source; /* of no paths; NULL: stdin */
    int threads;                         /* in all; helpers read ahead */
    size_t max_mem;                      /* bytes; 0: no limit */
    void (*idle)(void *ctx); /* called before waiting for an input that has paused; or NULL */
    void *ctx;
};
#define FORMATS_OPTS_DEFAULT                                                                       \
    {                                                                                              \
        .said = TRAJ_SAID_DEFAULT, .time_unit_fs = NAN, .sigma = NAN, .last_step = -1              \
    }

struct formats;

/* paths[npaths] and opts must outlive it (npaths 0: stdin; "-" is stdin). NULL only when memory is
 * out. */
struct formats *formats_open(char *const *paths, int npaths, const struct formats_opts *opts);
void formats_close(struct formats *x);

/* What an engine says of a step's energies: data.columns, in this order. */
#define FORMATS_ENERGIES 9
#define FORMATS_ENERGIES_NAMES                                                                     \
    "T_K E_kJ/mol potential_kJ/mol vdw_kJ/mol coulomb_kJ/mol bond_kJ/mol angle_kJ/mol "            \
    "dihedral_kJ/mol improper_kJ/mol"

struct formats_frame {
    uint64_t index;         /* 0, 1, 2, ... over the frames handed out */
    double time;            /* ps; NaN: unknown */
    const struct box *box;  /* its cell */
    const void *pos;        /* [natoms][3] f32 or f64, Å; valid until the next call */
    const void *vel;        /* the same, Å/ps; NULL: not wanted */
    const double *energies; /* [FORMATS_ENERGIES]; NULL: it has none */
};

/* The next frame's pos and vel may be put there (each NULL: nowhere), where they stay until that
 * memory is given again. */
void formats_room(struct formats *x, void *pos, void *vel);

/* Next frame: 1, 0 at the end, or -1: formats_error() says why. */
int formats_next(struct formats *x, struct formats_frame *f) __attribute__((warn_unused_result));

/* "FILE: frame N: byte B: expected ..., found ..."; valid as long as x. */
const struct err *formats_error(const struct formats *x);
/* Something the user should know; NULL: nothing new. One a call. */
const char *formats_warning(struct formats *x);

struct formats_info {
    uint64_t frames; /* handed out so far */
    uint64_t bytes;  /* gone through, inflated */
    uint64_t input_done,
        input_total;   /* bytes taken from the files, and their sum where known (0) */
    bool limited;      /* at the end: the input goes on, or its cut end was left out */
    bool sorted;       /* rows of some frame were not in the order of their ids */
    bool labels;       /* names of atoms are such that no stream holds */
    const char *bound; /* what took the time: "inflating" or "parsing" */
    /* valid once formats_next has returned 1 */
    const char *title, *variant; /* "an XTC trajectory"; its dialect, NULL: there is but one */
    size_t natoms;
    double dt;                       /* between frames handed out, ps; NaN: unknown */
    const struct box *box;           /* of the first frame */
    char dt_from[64], cell_from[64]; /* who said so, in words */
};
struct formats_info formats_info(const struct formats *x);

/* sys.* keys (natoms, dt_ps, cell, pbc, sigma, species) and data.quantity, data.unit, data.precision. 0,
 * or -1 with formats_error. */
int formats_put_meta(struct formats *x, struct meta *m) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
