/* SPDX-License-Identifier: MIT */
/*
 * format.h: private to lib/formats. What one format has to give: is it this, open, the next frame,
 * close. Everything that all formats share (several files, time, cell, --select) is in formats.c,
 * formats_input.c and formats_queue.c.
 *
 * Messages say where ("byte N: ", "line N: "), what was expected and what was found; formats_input.c
 * puts the file and the frame before.
 */
#ifndef MBF_FORMAT_H
#define MBF_FORMAT_H

#include "formats/bytes.h"
#include "formats/formats.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FORMAT_NAMES = 255 }; /* species at most */

/* Options that have an effect only for some formats, or some of their files; of XYZ all of its own. */
enum { FORMAT_UNITS = 1, FORMAT_COLUMNS = 2, FORMAT_XYZ = 4 };

/* What stays the same in a file; filled by open, names at the latest by the first frame. */
struct format_info {
    size_t natoms;
    double precision;       /* Å: positions are multiples of it; 0: not said */
    bool counts_steps;      /* --timestep makes times of the steps */
    bool step32;            /* the steps are the lowest 32 bits of the number */
    bool computed;          /* steps and times are those of a header, not of each frame */
    bool printed;           /* times are decimals */
    bool has_velocities;    /* some frame may have them */
    unsigned char *species; /* [natoms] indices into names, malloc'ed; NULL: no names */
    char names[FORMAT_NAMES][16];
    int nnames;
    bool types;          /* names are numbers of types, for --species 1=Ar, */
    bool elements;       /* or elements, where that names no type */
    int64_t *molecule;   /* [natoms] numbers of molecules, 0: none; malloc'ed; NULL: not known */
    const char *no_time; /* why there is none; NULL: nothing to say */
    double dt, sigma;    /* ps, of the input's frames, and Å, that it says; 0: not said */
    bool jumps;          /* rows have no ids: atoms that seem to jump are told */
    bool unwrapped;      /* positions follow the images of the file */
    bool limited;        /* the file has ended, and what it tells of may go on */
    bool sorted;         /* rows of some frame were not in the order of their ids */
    const char *variant; /* what it is written in, a dialect; NULL: there is but one */
    unsigned uses;       /* FORMAT_...: options that have an effect, with those of the format */
    bool labels;         /* atoms have names, but more than 255, or such that no stream holds */
    bool exchanges;      /* next exchanges the memory of a frame for other memory, with the frame */
    char note[200];      /* for the user, once; "": none */
    char assumed[200];   /* for the user, at the second frame: an assumption; "": none */
};

/* A frame: Å, ps, Å/ps. */
struct format_frame {
    int64_t step;  /* of the MD run, with info.counts_steps */
    bool has_step; /* of a loose format */
    double time;   /* ps; NaN: not said */
    double off;    /* ps: it may be off by so much, as it is an f32; 0: by no more than f64 */
    uint64_t line; /* where cell and time are said; 0: nowhere */
    uint64_t hash; /* of a loose format: of the rows' text, with hashed */
    bool hashed;   /* it is wanted */
    bool has_cell, has_pbc, has_vel, has_energies;
    double energies[FORMATS_ENERGIES];
    double cell[9]; /* rows are vectors */
    int pbc[3];
    /* Room for [natoms][3], f32 or f64; vel NULL: not wanted. With info.exchanges both are one
     * mapping (mmap), vel after pos, and next puts another one here, or NULL with an error. */
    void *pos, *vel;
    bool decode;   /* false: the frame is passed over, pos and vel stay as they are */
    uint32_t most; /* of the f32 of pos, as numbers.h has it; 0: not known; of f64, 1: all well */
};

struct format {
    const char *title; /* "a LAMMPS text dump" */
    bool by_path;      /* bytes.path is read, a regular file as it stands, and no bytes taken */
    bool unwraps;      /* it may say in which image of the cell an atom is */
    bool external;     /* a file may have its data in other files */
    /* As XYZ: a frame may lack cell and time; one that nobody wants is passed over unseen, and the
     * clock runs over the others; it stays open for the files that follow, whose atoms must be the
     * same; open may find info->natoms of 0 only in files of blanks. */
    bool loose;
    unsigned uses;  /* FORMAT_...: options that have an effect */
    const char *by; /* who says cell and time, for -v; NULL: "the file" */
    /* Do these first bytes (512, or the whole file), which no FORMAT_MAGIC has, begin such a file?
     * NULL: never. */
    bool (*guess)(const unsigned char *p, size_t n);
    /* Read what stands before the first frame; info is all zero, and stays where it is until
     * close. NULL with e. */
    void *(*open)(struct bytes *b, const struct formats_opts *o, struct format_info *info,
                  struct err *e);
    /* 1, 0: the file ends here, well, or -1. natoms is info's. */
    int (*next)(void *self, struct format_frame *f, struct err *e);
    void (*close)(void *self);
};

/*
 * A file of lib/formats with these lines is a format; nothing else lists it (format_list.c).
 *   FORMAT_MAGIC("dcd", 4, "CORD", "is a DCD trajectory");  begins so, from byte 4 on; one or more
 *   FORMAT(dcd, "dcd", ".dcd", "DCD") = {...};              --format, usual suffixes, in a list
 * Each is one line: make reads them.
 */
#define FORMAT(id, name, suffixes, brief) const struct format format_##id
#define FORMAT_MAGIC(name, at, bytes, what) _Static_assert(sizeof(bytes) > 1, what)

/* The format chosen (an index into formats_names), or, for 0, that of n first bytes; NULL: none. */
const struct format *format_of(int chosen, const unsigned char *p, size_t n);

/* The name of a species, as an index into info->names; -1, told in info->note: too many, too long, no
 * word. */
int format_name(struct format_info *info, const char *s, size_t len);

/* A name as eight bytes: zero padded, or where it is longer, a hash. */
uint64_t format_key(const char *s, size_t len);
/* Has every atom the name that it had in the first frame? keys[natoms] are those of the rows of another
 * frame, place[natoms] their atoms (NULL: 0, 1, ...). Not asked where the options name the atoms. 0, or -1 with the atom. */
int format_same_species(const struct format_info *info, const struct formats_opts *o,
                        const uint64_t *keys, const size_t *place, struct err *e);
/* The same of the first frames of two files. */
int format_same_files(const struct format_info *first, const struct format_info *now,
                      const struct formats_opts *o, struct err *e);

/* sys.species, as info has it and spec (--species; NULL) changes it; file and title are for messages.
 * 0 or -1. */
int format_put_species(struct format_info *info, const char *spec, const char *file,
                       const char *title, struct meta *m, struct err *e);

/* The factors of units named so to Å, ps and Å/ps ("nm", "fs", "nm ps-1" or "nm/ps"); NaN: none. */
double format_length(const char *s, size_t len);
double format_time(const char *s, size_t len);
double format_speed(const char *s);

/* The decimal with the fewest digits that is within slack of d. */
double format_few_digits(double d, double slack);

/* n f32 at p become f64, where they are. */
void format_widen(void *p, size_t n);

/* An f32 as the shortest decimal that rounds to it: 0.2f is 0.2, not 0.200000003. */
double format_f32_decimal(float v);
/* Half the distance from v to the next f32. */
double format_f32_off(float v);

#ifdef __cplusplus
}
#endif
#endif
