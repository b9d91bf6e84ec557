/* SPDX-License-Identifier: MIT */
/* format.h: defines how a trajectory format recognises, opens, reads and closes its files. Private
 * to lib/formats. The code that all formats share (several files, times, cells, --select) is in
 * formats.c, formats_input.c and formats_queue.c. An error message of a format begins with the
 * number of a byte or a line, and then states what was expected and what was found. The file name
 * and the frame number are added in formats_input.c. */
#pragma once

#include "formats/bytes.h"
#include "formats/formats.h"

enum { FORMAT_NAMES = 255 }; /* species */

/* Flags of options that apply only to some formats or files, where FORMAT_XYZ stands for all
 * options of XYZ files. */
enum { FORMAT_UNITS = 1, FORMAT_COLUMNS = 2, FORMAT_XYZ = 4, FORMAT_SCALARS = 8 };

/* Properties of a whole file, which open() sets. The names of the atoms may be set later, but not
 * after the first frame. */
struct format_info {
    size_t natoms;
    double precision;                     /* spacing of rounded positions, Å; 0: unknown */
    bool counts_steps;                    /* --timestep converts steps to times */
    bool step32;                          /* only the low 32 bits of steps are stored */
    bool computed;                        /* steps and times follow from the header */
    bool printed;                         /* times are stored as decimal text */
    bool has_velocities;                  /* some frames may contain velocities */
    char unit[SCALARS_MAX][SCALARS_NAME]; /* units of the scalars, "": unknown */
    char numbers[FORMATS_NUMBERS * (SCALARS_NAME + 4)]; /* names of the values of opts.keys */
    char units[FORMATS_NUMBERS * SCALARS_NAME];         /* units of these values */
    size_t nnumbers;                                    /* number of these values */
    unsigned char *species; /* [natoms], index into `names`, from malloc, or NULL */
    char names[FORMAT_NAMES][16];
    int nnames;
    bool types;          /* The names are type numbers, as in --species 1=Ar. */
    bool elements;       /* The names are chemical elements, unless --species renames types. */
    int64_t *molecule;   /* Molecule number of each atom [natoms], or 0 for no molecule, allocated
                          * with malloc, or NULL. */
    const char *no_time; /* why the file has no times, or NULL */
    double dt, sigma;    /* time between frames in ps, LJ sigma in Å; 0: not stated */
    bool jumps;     /* True if the rows have no atom ids, so that a change in the order of the atoms
                     * must be detected by the jumps that it causes. */
    bool unwrapped; /* The positions were unwrapped with image flags of the file. */
    bool limited;   /* The run may continue in the next file. */
    bool sorted;    /* Some rows were not in the order of their ids. */
    const char *variant; /* dialect, or NULL */
    unsigned uses;       /* FORMAT_... of this file */
    bool labels;         /* The atoms have names that a stream cannot store. */
    char note[200];      /* a warning that is printed once, or "" */
    char left_out[400];  /* columns and keys that are not read, as in struct formats_info */
    char assumed[200];   /* Warning about an assumption, for the second frame, or an empty text. */
};

/* One frame of a trajectory, in Å, ps and Å/ps. */
struct format_frame {
    int64_t step;  /* MD step, if info.counts_steps is set */
    bool has_step; /* A frame of a loose format has a step. */
    double time;   /* ps; NaN: unknown */
    double off;    /* rounding error of `time` in ps, or 0 for f64 */
    uint64_t line; /* line with the cell and the time, or 0 */
    uint64_t hash; /* hash of the text of all rows, for loose formats */
    bool hashed;   /* `hash` is requested */
    bool has_cell, has_pbc, has_vel, has_energies;
    double energies[FORMATS_NUMBERS];
    double cell[9]; /* rows are vectors */
    int pbc[3];
    /* Positions [natoms][3], velocities [natoms][3] and scalars [natoms][nscalars] of type f32 or
     * f64, or NULL if not requested. A format that uses a library has the three arrays in one
     * mapping (mmap), in the order pos, vel, scal. The function next() of format_process replaces
     * the mapping, or sets it to NULL after an error. */
    void *pos, *vel, *scal;
    bool decode;  /* If false, the frame is skipped, and `pos`, `vel` and `scal` are unchanged. */
    uint32_t max; /* Bits of the f32 number with the largest magnitude, or 0 if unknown; for f64, 1
                   * if all numbers are finite. */
};

/* First members of the state of each reader, whose pointers stay valid until close() is called. */
#define FORMAT_READER                                                                              \
    const struct format *format;                                                                   \
    struct bytes *b;                                                                               \
    const struct formats_opts *o;                                                                  \
    struct format_info *info
struct format_reader {
    FORMAT_READER;
};

struct format {
    const char *title; /* "a LAMMPS text dump" */
    size_t size;       /* of the state of a reader */
    /* The library that the format needs, or NULL. A format with a library is read in a separate
     * process (format_process.h). */
    const char *library;
    bool by_path;  /* The reader opens bytes.path, which must be regular and uncompressed. */
    bool unwraps;  /* Files may contain image flags of the atoms. */
    bool external; /* Files may refer to data in other files. */
    /* In a loose format, such as XYZ, a frame may lack the cell, the time or both. Frames of a
     * loose format that are not selected are skipped without parsing, and do not reach the clock.
     * The reader of the first file of a loose format also reads the later files, which must contain
     * the same atoms. After open(), info->natoms may be 0 only if the file contains nothing but
     * blanks. */
    bool loose;
    unsigned uses;  /* FORMAT_... that apply */
    const char *by; /* Source of the cell and the time for -v, or NULL for "the file". */
    /* Returns whether the first bytes of a file (512 or the whole file) belong to this format. The
     * function guess() is called only if no FORMAT_MAGIC matches, and is NULL if FORMAT_MAGIC is
     * sufficient. */
    bool (*guess)(const unsigned char *p, size_t n);
    /* Reads the data that precede the first frame. On entry, *info is zero, and *self is zero
     * except for the members of FORMAT_READER. Returns 0, or -1 and sets *e. */
    int (*open)(void *self, struct err *e);
    /* Reads a frame with info->natoms atoms. Returns 1 for a frame, 0 at the proper end of the
     * file, or -1 on failure. */
    int (*next)(void *self, struct format_frame *f, struct err *e);
    /* Frees the memory that *self owns, even if open() failed; may be NULL. */
    void (*close)(void *self);
};

/* A source file of lib/formats defines a format with lines of the following forms, which must not
 * be broken, because the Makefile collects them for format_list.c.
 *
 * A line FORMAT_MAGIC("dcd", 4, "CORD", "is a DCD trajectory"); means that the bytes "CORD" at byte
 * 4 identify the format, which may have several such lines.
 *
 * The line FORMAT(dcd, "dcd", ".dcd", "DCD") = {...}; defines the name for --format, the suffixes
 * and the short name. */
#define FORMAT(id, name, suffixes, brief) const struct format format_##id
#define FORMAT_MAGIC(name, at, bytes, what) _Static_assert(sizeof(bytes) > 1, what)

/* Returns the format with index `chosen` in formats_names or, if `chosen` is 0, the format that the
 * first n bytes indicate, or NULL if unknown. */
const struct format *format_of(int chosen, const unsigned char *p, size_t n);

/* Opens a file of a format with the functions of `run`, which is the format itself or
 * format_process. Returns the reader, or NULL and sets *e. */
void *format_open(const struct format *run, const struct format_reader *r, struct err *e);
/* NULL is allowed. */
void format_close(const struct format *run, void *self);

/* Returns the index of a species name in info->names, after adding the name if necessary. Returns
 * -1 and sets info->note if there are too many names, or if the name is too long or not a word. */
int format_name(struct format_info *info, const char *s, size_t len);

/* Returns the name padded with zeros to eight bytes, or a hash of a longer name. */
uint64_t format_key(const char *s, size_t len);
/* Checks that every atom has the same name as in the first frame, unless the options name the
 * atoms. The names in the rows of a later frame are keys[natoms], and row k belongs to atom
 * place[k], or to atom k if `place` is NULL. Returns 0, or -1 and sets *e to a message that names
 * the atom. */
int format_same_species(const struct format_info *info, const struct formats_opts *o,
                        const uint64_t *keys, const size_t *place, struct err *e);
/* Checks that the scalars of two files have the same units, and that their first frames have the
 * same atom names. Returns 0, or -1 and sets *e. */
int format_same_files(const struct format_info *first, const struct format_info *now,
                      const struct formats_opts *o, struct err *e);

/* Sets the key sys.species in m from info. The text `spec` is the value of --species, which renames
 * the types, or NULL. The strings `file` and `title` are used in error messages. Returns 0 or
 * -1. */
int format_put_species(struct format_info *info, const char *spec, const char *file,
                       const char *title, struct meta *m, struct err *e);

/* Each function returns the factor that converts a unit, such as "nm", "fs", "nm ps-1", "bohr/au"
 * or "ase", to Å, ps or Å/ps, or NaN if the unit is unknown. */
double format_length(const char *s, size_t len);
double format_time(const char *s, size_t len);
double format_speed(const char *s);

/* Returns the number with the fewest decimal digits that differs from d by at most `slack`. */
double format_few_digits(double d, double slack);

/* Stores x as element k of the array `to`, which has the type f32 or f64. */
static inline void format_put(void *to, size_t k, bool f64, double x)
{
    if (f64)
        ((double *)to)[k] = x;
    else
        ((float *)to)[k] = (float)x;
}

/* Converts n numbers at p from f32 to f64 in place. */
void format_widen(void *p, size_t n);

/* Returns the shortest decimal number that rounds to v, such as 0.2 for 0.2f, not 0.200000003. */
double format_f32_decimal(float v);
/* Returns half the distance from |v| to the next larger f32 number. */
double format_f32_off(float v);
