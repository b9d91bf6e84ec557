/* SPDX-License-Identifier: MIT */
/*
 * analysis.h: interface between an analysis of a stream of steps and the program that runs it. Each
 * subject has one struct analysis. The program passes the requested steps to the analysis and
 * writes the results:
 *
 *     probe, open; add for every block; finish, put; close
 *
 * The program prints the notes after open and after put; a run begins with its struct notes. Error
 * texts omit the name of the input; the program adds this name.
 */
#ifndef MBF_ANALYSIS_H
#define MBF_ANALYSIS_H

#include "stats/shard.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Requested arrays: any of the first three, or series only. Velocities come with positions, if
 * present. */
enum analysis_want {
    ANALYSIS_POSITIONS = 1,
    ANALYSIS_VELOCITIES = 2,
    ANALYSIS_PAIRS = 4,
    ANALYSIS_SERIES = 8
};
/* Returns the type with which traj_open or traj_announce selects these arrays. */
enum frame_type analysis_type(unsigned want);

/* Kinds of notes about a run, in order. */
enum note_kind {
    NOTE_WARN,   /* about the input, preceded by its name; silent with -q */
    NOTE_TELL,   /* about the input; only with -v */
    NOTE_OPTION, /* about an option, silent with -q */
    NOTE_ENGINE  /* about the program, with -v only */
};
#define NOTES_MOST 16
struct notes {
    size_t n;
    struct note {
        enum note_kind kind;
        char text[512];
    } note[NOTES_MOST];
    const char *bound; /* what limited the speed; NULL: unknown */
};
/* Adds a note; notes beyond NOTES_MOST are dropped. */
void notes_add(struct notes *n, enum note_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a NOTE_OPTION if a length, Å, is below the smallest sensible value and is probably in nm.
 * value NaN: not given. */
void notes_nm(struct notes *n, const char *option, double value, double least);

/* Options shared by all analyses. */
#define ANALYSIS_PAIRS_MOST 256
struct analysis_options {
    struct shard shard;                    /* n 0: all steps */
    uint64_t blocks;                       /* requested; 0: chosen automatically */
    const char *pair[ANALYSIS_PAIRS_MOST]; /* [npairs] requested pairs of species, or "all" */
    size_t npairs;
    const char *exclude; /* pairs to leave out (exclude.h); NULL: none */
    const char *devices; /* GPU: NULL, "0", "all", "0,2"; ignored on a CPU */
    int threads;
    uint64_t max_mem; /* bytes; 0: no limit */
};

/* End of the last block of a run: products must not span a discontinuity. Starts as zeros. */
struct analysis_track {
    uint64_t steps; /* so far */
    uint64_t next;  /* index of the next step */
    double time;    /* time of the next step, ps; NaN: unknown */
};
/* Checks that a block continues one stride, dt ps (NaN: unknown), after the last block. Returns 0,
 * or -1 and sets e. */
int analysis_follows(struct analysis_track *t, const struct traj_block *b, double dt,
                     struct err *e) FRAME_MUST;

/* Input of an analysis. */
struct analysis_input {
    const struct frame_reader *reader; /* for its name */
    struct traj_reader *traj;          /* announced: info is known */
    const struct meta *meta;
    uint64_t first, last; /* requested steps; with --shard, open narrows them to a part */
};

struct analysis {
    unsigned want;               /* values of enum analysis_want */
    const char *(*engine)(void); /* "CPU, AVX-512"; NULL: there is no choice */
    int (*probe)(const char *devices,
                 struct err *e); /* finds a device; returns 0, or -1 and sets e; may be NULL */
    /* Begins a run with o->shard opened and the subject's own options in `choice`. Returns NULL and
     * sets e on failure. */
    void *(*open)(const struct analysis_options *o, const void *choice, struct analysis_input *in,
                  struct err *e);
    /* Adds the next block; fresh is true if the block begins a segment. Returns 0, or -1 and sets
     * e. */
    int (*add)(void *run, const struct traj_block *b, bool fresh, struct err *e);
    /* Sets the data.* keys of m after all steps were added. Returns 0, or -1 and sets e. */
    int (*finish)(void *run, struct meta *m, struct err *e);
    /* Writes the arrays and END to w, whose META is already written. Returns 0, or -1 and sets
     * e. */
    int (*put)(void *run, struct frame_writer *w, struct err *e);
    /* Begins a second output to w with META m, if requested; put ends the output. The caller keeps
     * w. Returns 0, or -1 and sets e. This pointer is NULL if the analysis has no second output. */
    int (*second)(void *run, const struct analysis_input *in, struct frame_writer *w,
                  struct meta *m, struct err *e);
    void (*close)(void *run); /* run may be NULL */
};

#ifdef __cplusplus
}
#endif
#endif
