/* SPDX-License-Identifier: MIT */
/* format.h: the interface that each trajectory format implements: recognise a file, open it, read
 * the next frame, close it. Private to lib/formats. What all formats share (several files, time,
 * cell, --select) is in formats.c, formats_input.c and formats_queue.c.
 *
 * Error messages of a format begin with the place, a byte or a line, and then state what was
 * expected and found. In front of this text, formats_input.c adds the file and the frame. */
#ifndef MBF_FORMAT_H
#define MBF_FORMAT_H

#include "formats/bytes.h"
#include "formats/formats.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FORMAT_NAMES = 255 }; /* maximum number of species */

/* Options that apply only to some formats or files. FORMAT_XYZ stands for all options of XYZ. */
enum { FORMAT_UNITS = 1, FORMAT_COLUMNS = 2, FORMAT_XYZ = 4 };

/* Properties of a whole file. open sets them; names may be set as late as the first frame. */
struct format_info {
    size_t natoms;
    double precision;       /* positions are multiples of this, Å; 0: unknown */
    bool counts_steps;      /* --timestep converts the steps to times */
    bool step32;            /* steps hold only the low 32 bits of the MD step */
    bool computed;          /* steps and times follow from the header, not from each frame */
    bool printed;           /* times are decimal text */
    bool has_velocities;    /* some frames may contain velocities */
    unsigned char *species; /* [natoms] malloc'ed indices into names, or NULL */
    char names[FORMAT_NAMES][16];
    int nnames;
    bool types;          /* names are type numbers, for --species 1=Ar */
    bool elements;       /* names are elements unless --species renames types */
    int64_t *molecule;   /* [natoms] malloc'ed molecule numbers (0: no molecule), or NULL */
    const char *no_time; /* reason for missing times, for messages; may be NULL */
    double dt, sigma;    /* time between frames, ps, and sigma, Å, from the file; 0: unknown */
    bool jumps;          /* rows have no ids: check that atoms do not jump */
    bool unwrapped;      /* positions were unwrapped with the file's image flags */
    bool limited;        /* the run may continue after the end of the file */
    bool sorted;         /* some frame had rows that were not in the order of their ids */
    const char *variant; /* dialect of the file, or NULL */
    unsigned uses;       /* further FORMAT_... options that apply to this file */
    bool labels;         /* atoms have names, but a stream cannot hold them */
    bool exchanges;      /* next replaces the memory of a frame by memory that holds the frame */
    char note[200];      /* warning to print once; "": none */
    char assumed[200];   /* warning at the second frame about an assumption; "": none */
};

/* One frame, in Å, ps and Å/ps. */
struct format_frame {
    int64_t step;  /* MD step, if info.counts_steps */
    bool has_step; /* for loose formats: the frame has a step */
    double time;   /* ps; NaN: unknown */
    double off;    /* rounding error of time, ps; 0: f64 precision */
    uint64_t line; /* line that states cell and time, or 0 */
    uint64_t hash; /* for loose formats: hash of the rows' text, if hashed */
    bool hashed;   /* the hash is requested */
    bool has_cell, has_pbc, has_vel, has_energies;
    double energies[FORMATS_ENERGIES];
    double cell[9]; /* rows are vectors */
    int pbc[3];
    /* Arrays [natoms][3] of f32 or f64; vel is NULL if not wanted. With info.exchanges both are in
     * one mapping (mmap), vel after pos, and next replaces the mapping, or sets NULL on error. */
    void *pos, *vel;
    bool decode;   /* false: skip the frame and leave pos and vel unchanged */
    uint32_t most; /* bits of the largest f32 magnitude (numbers.h), or 0; for f64, 1 if finite */
};

struct format {
    const char *title; /* "a LAMMPS text dump" */
    bool by_path;      /* opens bytes.path itself, an uncompressed regular file */
    bool unwraps;      /* may contain image flags of the atoms */
    bool external;     /* a file may keep data in other files */
    /* Loose formats, such as XYZ: a frame may lack cell and time. Frames that are not selected are
     * skipped without parsing and are not seen by the clock. The reader stays open for later files,
     * which must have the same atoms. info->natoms may be 0 after open only for files of blanks. */
    bool loose;
    unsigned uses;  /* FORMAT_... options that apply */
    const char *by; /* source of cell and time, for -v; NULL: "the file" */
    /* Whether these first bytes (512 or the whole file), which match no FORMAT_MAGIC, begin a file
     * of this format; NULL: never. */
    bool (*guess)(const unsigned char *p, size_t n);
    /* Reads the data before the first frame. info is zeroed and stays valid until close. Returns
     * the reader, or NULL and sets *e. */
    void *(*open)(struct bytes *b, const struct formats_opts *o, struct format_info *info,
                  struct err *e);
    /* Reads a frame of info->natoms atoms. Returns 1, 0 at a proper end of the file, or -1. */
    int (*next)(void *self, struct format_frame *f, struct err *e);
    void (*close)(void *self);
};

/*
 * A source file of lib/formats that contains these lines defines a format; format_list.c collects
 * all formats. Each entry must be on one line, because make reads the lines.
 *   FORMAT_MAGIC("dcd", 4, "CORD", "is a DCD trajectory");  bytes expected at byte 4; one or more
 *   FORMAT(dcd, "dcd", ".dcd", "DCD") = {...};              name for --format, suffixes, short name
 */
#define FORMAT(id, name, suffixes, brief) const struct format format_##id
#define FORMAT_MAGIC(name, at, bytes, what) _Static_assert(sizeof(bytes) > 1, what)

/* Returns the format with index `chosen` in formats_names or, for 0, the format that the first n
 * bytes indicate; NULL if unknown. */
const struct format *format_of(int chosen, const unsigned char *p, size_t n);

/* Returns the index of a species name in info->names, adding the name if necessary. Returns -1 and
 * sets info->note if there are too many names or the name is too long or not a word. */
int format_name(struct format_info *info, const char *s, size_t len);

/* Returns a name as eight zero-padded bytes, or a hash of a longer name. */
uint64_t format_key(const char *s, size_t len);
/* Checks that every atom has the name it had in the first frame, unless the options name the atoms.
 * keys[natoms] are the names of the rows of a later frame, and place[natoms] their atoms (NULL: 0,
 * 1, ...). Returns 0, or -1 and sets *e, which names the atom. */
int format_same_species(const struct format_info *info, const struct formats_opts *o,
                        const uint64_t *keys, const size_t *place, struct err *e);
/* Checks that the first frames of two files have the same names of atoms. */
int format_same_files(const struct format_info *first, const struct format_info *now,
                      const struct formats_opts *o, struct err *e);

/* Sets sys.species in m from info, renamed by spec (--species, may be NULL). file and title are
 * used in messages. Returns 0 or -1. */
int format_put_species(struct format_info *info, const char *spec, const char *file,
                       const char *title, struct meta *m, struct err *e);

/* Factor from a named unit ("nm", "fs", "nm ps-1" or "nm/ps") to Å, ps or Å/ps; NaN if unknown. */
double format_length(const char *s, size_t len);
double format_time(const char *s, size_t len);
double format_speed(const char *s);

/* Returns the decimal with the fewest digits within slack of d. */
double format_few_digits(double d, double slack);

/* Converts n f32 at p to f64 in place. */
void format_widen(void *p, size_t n);

/* Returns the shortest decimal that rounds to v: 0.2f gives 0.2, not 0.200000003. */
double format_f32_decimal(float v);
/* Returns half the distance from |v| to the next larger f32. */
double format_f32_off(float v);

#ifdef __cplusplus
}
#endif
#endif
