/* SPDX-License-Identifier: MIT */
/*
 * analysis.h: interface between an analysis of a stream of steps and the program that runs it. Each
 * analysis is described by one struct analysis. The program passes the requested steps to the
 * analysis and writes the results with these functions:
 *
 *     probe, open; add for every block; finish, put; close.
 *
 * A run begins with its struct notes, which the program prints after open and after put. Error
 * texts omit the name of the input; the program adds this name.
 */
#pragma once

#include "stats/shard.h"
#include "stream/traj.h"

/* Arrays that an analysis requests, either a sum of the first three values or series only.
 * Velocities are returned together with positions, if present. */
enum analysis_want {
    ANALYSIS_POSITIONS = 1,
    ANALYSIS_VELOCITIES = 2,
    ANALYSIS_PAIRS = 4,
    ANALYSIS_SERIES = 8
};
/* Returns the type with which traj_open or traj_announce selects these arrays. */
enum frame_type analysis_type(unsigned want);

/* Kinds of notes about a run, in the order of printing. */
enum note_kind {
    NOTE_WARN,   /* warning about the input, not printed with -q */
    NOTE_TELL,   /* remark about the input, printed only with -v */
    NOTE_OPTION, /* warning about an option, not printed with -q */
    NOTE_ENGINE  /* remark about the program, printed only with -v */
};
#define NOTES_MAX 16
struct notes {
    size_t n;
    struct note {
        enum note_kind kind;
        char text[512];
    } note[NOTES_MAX];
    const char *bound; /* what limited the speed; NULL: unknown */
};
/* Adds a note. Notes beyond NOTES_MAX are dropped. */
void notes_add(struct notes *n, enum note_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a NOTE_OPTION if a length in Å is below `min`, the smallest sensible value, and is
 * therefore probably in nm. The value is NaN if the option was not given. */
void notes_nm(struct notes *n, const char *option, double value, double min);

/* Options shared by all analyses. */
#define ANALYSIS_PAIRS_MAX 256
struct analysis_options {
    struct shard shard;                   /* n 0: all steps */
    uint64_t blocks;                      /* requested; 0: chosen automatically */
    const char *pair[ANALYSIS_PAIRS_MAX]; /* pairs of species, or "all" */
    size_t npairs;
    const char *exclude; /* excluded pairs, or NULL */
    const char *devices; /* GPUs: "0", "0,2", "all" */
    int threads;
    uint64_t max_mem; /* bytes; 0: no limit */
};

/* End of the last block, initially zeros, to detect discontinuities. */
struct analysis_track {
    uint64_t steps; /* so far */
    uint64_t next;  /* index of the next step */
    double time;    /* time of the next step, ps; NaN: unknown */
};
/* Checks that a block begins one stride after the last block. The stride is dt in ps, or NaN if
 * unknown. Returns 0, or -1 and sets e. */
int analysis_follows(struct analysis_track *t, const struct traj_block *b, double dt,
                     struct err *e) FRAME_MUST;

/* Input of an analysis. */
struct analysis_input {
    const struct frame_reader *reader; /* for its name */
    struct traj_reader *traj;          /* announced: info is known */
    const struct meta *meta;
    uint64_t first, last; /* requested steps [first, last), or those of a part after open */
};

struct analysis {
    unsigned want;                                    /* values of enum analysis_want */
    const char *(*engine)(void);                      /* "CPU, AVX-512"; NULL: there is no choice */
    int (*probe)(const char *devices, struct err *e); /* finds a GPU, or NULL */
    /* Begins a run. The caller has opened o->shard; `choice` holds the options of this analysis.
     * Returns NULL and sets e on failure. */
    void *(*open)(const struct analysis_options *o, const void *choice, struct analysis_input *in,
                  struct err *e);
    /* Adds the next block, which begins a segment if fresh is true. Returns 0, or -1 and sets e. */
    int (*add)(void *run, const struct traj_block *b, bool fresh, struct err *e);
    /* Sets the data.* keys of m after all steps have been added. Returns 0, or -1 and sets e. */
    int (*finish)(void *run, struct meta *m, struct err *e);
    /* Writes the arrays and END to w after META. Returns 0, or -1 and sets e. */
    int (*put)(void *run, struct frame_writer *w, struct err *e);
    /* Begins a second output to w with META m if the options request it. Function put ends the
     * second output. The caller keeps w. Returns 0, or -1 and sets e. The pointer is NULL if the
     * analysis has no second output. */
    int (*second)(void *run, const struct analysis_input *in, struct frame_writer *w,
                  struct meta *m, struct err *e);
    void (*close)(void *run); /* run may be NULL */
};
