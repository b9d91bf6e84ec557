/* SPDX-License-Identifier: MIT */
/* format.h: defines the interface of a trajectory format, with functions that recognise, open, read
 * and close a file. Private to lib/formats. The code for all formats (several files, times, cells,
 * --select) is in formats.c, formats_input.c and formats_queue.c. An error message of a format
 * begins with the number of a byte or a line, and then states what was expected and what was found.
 * The functions in formats_input.c put the file name and the frame number in front of the
 * message. */
#pragma once

#include "formats/bytes.h"
#include "formats/formats.h"

enum { FORMAT_NAMES = 255 }; /* maximum species */

/* Flags for options that apply only to some formats or files. The flag FORMAT_XYZ stands for all
 * options of XYZ files. */
enum { FORMAT_UNITS = 1, FORMAT_COLUMNS = 2, FORMAT_XYZ = 4, FORMAT_SCALARS = 8 };

/* Properties of a whole file, which the function `open` sets. The names of the atoms may be set
 * later, but not after the first frame. */
struct format_info {
    size_t natoms;
    double precision;    /* Distance in Å between neighbouring values of rounded positions, or 0 if
                          * unknown. */
    bool counts_steps;   /* Whether --timestep converts the steps of this file to times. */
    bool step32;         /* Whether the file stores only the low 32 bits of the MD step. */
    bool computed;       /* Whether steps and times are read from the header instead of each
                          * frame. */
    bool printed;        /* whether times are stored as decimal text */
    bool has_velocities; /* Whether some frames of the file may contain velocities. */
    char unit[SCALARS_MAX][SCALARS_NAME]; /* Units of the scalars that the options request, or "" if
                                           * unknown. */
    char numbers[FORMATS_NUMBERS * (SCALARS_NAME + 4)]; /* Names of the numbers that opts.keys
                                                         * selects. */
    char units[FORMATS_NUMBERS * SCALARS_NAME];         /* Units of these numbers. */
    size_t nnumbers;                                    /* Number of these numbers. */
    unsigned char *species; /* Index into `names` of each atom [natoms], allocated with malloc, or
                             * NULL. */
    char names[FORMAT_NAMES][16];
    int nnames;
    bool types;          /* Whether the names are type numbers, as in --species 1=Ar. */
    bool elements;       /* Whether the names are chemical elements, unless --species renames
                          * types. */
    int64_t *molecule;   /* Molecule number of each atom [natoms], allocated with malloc, or NULL. 0
                          * means no molecule. */
    const char *no_time; /* Reason why the file has no times, for messages, or NULL. */
    double dt, sigma; /* Time between frames in ps, and sigma in Å. Values that the file does not
                          * state are 0. */
    bool jumps;       /* Whether the rows have no atom ids. If the rows have no ids, a change in the
                       * order of the atoms must be detected by the jumps that it causes. */
    bool unwrapped;   /* Whether the reader unwrapped the positions with image flags of the file. */
    bool limited;     /* Whether the run may continue in the next file. */
    bool sorted;      /* Whether the rows of some frame were not in the order of their ids. */
    const char *variant; /* dialect, or NULL */
    unsigned uses;       /* Further options (FORMAT_...) that apply to this file. */
    bool labels;         /* Whether the atoms have names that a stream cannot store. */
    char note[200];      /* warning that is printed once, or an empty text */
    char left_out[400];  /* columns and keys that are not read, as in struct formats_info */
    char assumed[200];   /* Warning about an assumption, for the second frame, or an empty text. */
};

/* One frame of a trajectory, in Å, ps and Å/ps. */
struct format_frame {
    int64_t step;  /* The MD step of the frame, if info.counts_steps is set. */
    bool has_step; /* For a loose format, whether the frame has a step number. */
    double time;   /* ps; NaN: unknown */
    double off;    /* Rounding error of the time in ps, or 0 if the time has f64 precision. */
    uint64_t line; /* Number of the line that contains the cell and the time, or 0. */
    uint64_t hash; /* For a loose format, a hash of the text of all rows, if `hashed` is set. */
    bool hashed;   /* whether the member `hash` is requested */
    bool has_cell, has_pbc, has_vel, has_energies;
    double energies[FORMATS_NUMBERS];
    double cell[9]; /* rows are vectors */
    int pbc[3];
    /* Arrays of positions and velocities [natoms][3] and of the requested scalars
     * [natoms][nscalars], of type f32 or f64. An array that was not requested is NULL. For a format
     * that uses a library, the three arrays are in one mapping (mmap), in the order pos, vel, scal.
     * The function next() of format_process replaces the mapping, or sets it to NULL after an
     * error. */
    void *pos, *vel, *scal;
    bool decode;  /* Whether the frame must be decoded. If the flag is not set, the reader skips the
                   * frame and leaves `pos`, `vel` and `scal` unchanged. */
    uint32_t max; /* Bits of the f32 number with the largest magnitude, or 0 if unknown. For the
                   * type f64, the value is instead 1 if all numbers are finite. */
};

/* First members of the state of each reader. The pointers stay valid until the function `close` is
 * called. */
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
    size_t size;       /* Size of the state of a reader, in bytes. */
    /* Name of the library that the format needs, for messages. If a format needs a library, its
     * reader runs in a separate process (format_process.h). */
    const char *library;
    bool by_path;  /* Whether the reader itself opens the file bytes.path, which must be regular and
                    * uncompressed. */
    bool unwraps;  /* Whether files of this format may contain image flags of the atoms. */
    bool external; /* Whether files of this format may refer to data in other files. */
    /* Whether the format is a loose one, such as XYZ. A frame of a loose format may lack the
     * cell, the time or both. In a loose format, frames that are not selected are skipped without
     * parsing, and the clock does not receive them. In a loose format, the reader of the first file
     * also reads the later files, which must contain the same atoms. After open(), info->natoms may
     * be 0 only if the file contains nothing but blanks. */
    bool loose;
    unsigned uses;  /* FORMAT_... that apply */
    const char *by; /* Source of the cell and the time for -v, or NULL for "the file". */
    /* Returns true if the first bytes of a file (512 or the whole file) belong to this format. The
     * function `guess` is called only if no FORMAT_MAGIC matches the first bytes. The member is
     * NULL if FORMAT_MAGIC is sufficient to recognise the format. */
    bool (*guess)(const unsigned char *p, size_t n);
    /* Reads the data that precede the first frame. On entry, *info is zero, and *self is zero
     * except for the members of FORMAT_READER. Returns 0 on success, or -1 with an error message in
     * *e. */
    int (*open)(void *self, struct err *e);
    /* Reads a frame with info->natoms atoms. Returns 1 if there is a frame, 0 at the proper end of
     * the file, or -1 on failure. */
    int (*next)(void *self, struct format_frame *f, struct err *e);
    /* Frees the memory that *self owns, even if open() failed. The member `close` is NULL if *self
     * owns no memory. */
    void (*close)(void *self);
};

/* A source file of lib/formats defines a format with the lines below, and format_list.c collects
 * all formats. Each entry must fit on one line, because the Makefile searches for these lines.
 *
 * A line FORMAT_MAGIC("dcd", 4, "CORD", "is a DCD trajectory"); means that the bytes "CORD" at byte
 * 4 identify the format. A format may have several lines FORMAT_MAGIC.
 *
 * The line FORMAT(dcd, "dcd", ".dcd", "DCD") = {...}; defines the name for --format, the suffixes
 * and the short name. */
#define FORMAT(id, name, suffixes, brief) const struct format format_##id
#define FORMAT_MAGIC(name, at, bytes, what) _Static_assert(sizeof(bytes) > 1, what)

/* Returns the format with index `chosen` in formats_names. If `chosen` is 0, returns the format
 * that the first n bytes indicate, or NULL if unknown. */
const struct format *format_of(int chosen, const unsigned char *p, size_t n);

/* Opens the reader `run` of a file of this format. The argument `run` is the format itself, or
 * format_process. Returns the reader, or NULL with an error message in *e. */
void *format_open(const struct format *run, const struct format_reader *r, struct err *e);
/* Closes a reader. NULL is allowed. */
void format_close(const struct format *run, void *self);

/* Returns the index of a species name in info->names, after adding the name if necessary. If there
 * are too many names, or if the name is too long or not a word, returns -1 and sets info->note. */
int format_name(struct format_info *info, const char *s, size_t len);

/* Returns the name padded with zeros to eight bytes, or a hash of a longer name. */
uint64_t format_key(const char *s, size_t len);
/* Checks that every atom has the same name as in the first frame, unless the options name the
 * atoms. The names in the rows of a later frame are keys[natoms], and the atoms of the rows are
 * place[natoms]. If `place` is NULL, the rows are in the order of the atoms. Returns 0 on success,
 * or -1 with a message in *e that names the atom. */
int format_same_species(const struct format_info *info, const struct formats_opts *o,
                        const uint64_t *keys, const size_t *place, struct err *e);
/* Checks that the scalars of two files have the same units, and that the first frames have the same
 * atom names. Returns 0 on success, or -1 with an error message in *e. */
int format_same_files(const struct format_info *first, const struct format_info *now,
                      const struct formats_opts *o, struct err *e);

/* Sets the key sys.species in m from info. The text `spec` is the value of --species, which renames
 * the types, or NULL. The strings `file` and `title` are used in error messages. Returns 0 or
 * -1. */
int format_put_species(struct format_info *info, const char *spec, const char *file,
                       const char *title, struct meta *m, struct err *e);

/* The following functions return the factor that converts a named unit, such as "nm", "fs", "nm
 * ps-1", "bohr/au" or "ase", to Å, ps or Å/ps. If the unit is unknown, the functions return NaN. */
double format_length(const char *s, size_t len);
double format_time(const char *s, size_t len);
double format_speed(const char *s);

/* Returns the number with the fewest decimal digits that differs from d by at most `slack`. */
double format_few_digits(double d, double slack);

/* Stores x as element k of the array `to`, which is of type f32 or f64. */
static inline void format_put(void *to, size_t k, bool f64, double x)
{
    if (f64)
        ((double *)to)[k] = x;
    else
        ((float *)to)[k] = (float)x;
}

/* Converts the n numbers at p from f32 to f64 in place. */
void format_widen(void *p, size_t n);

/* Returns the shortest decimal number that rounds to v, such as 0.2 instead of 0.200000003 for
 * 0.2f. */
double format_f32_decimal(float v);
/* Returns half the distance from |v| to the next larger f32 number. */
double format_f32_off(float v);
