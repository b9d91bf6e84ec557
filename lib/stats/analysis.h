/* SPDX-License-Identifier: MIT */
/* analysis.h: defines the interface between an analysis of a stream of steps and the program that
 * runs it. The program calls open() of the struct analysis, then add() for every block of requested
 * steps, and finally finish(), put() and close(). Functions of type int return 0 on success, or -1
 * with an error message in e, unless their comment states otherwise.
 *
 * The program adds the name of the input to error messages, and prints the notes of a run (struct
 * notes) after open() and after put(). */
#pragma once

#include <stddef.h>

#include "stats/blocks.h"
#include "stats/shard.h"
#include "stream/traj.h"

/* Kinds of arrays that an analysis can request. An analysis may combine positions, velocities,
 * pairs and scalars, but not with a time series. Velocities and scalars are read together with
 * positions. */
enum analysis_want {
    ANALYSIS_POSITIONS = 1,
    ANALYSIS_VELOCITIES = 2,
    ANALYSIS_PAIRS = 4,
    ANALYSIS_SERIES = 8,
    ANALYSIS_SCALARS = 16 /* positions and scalars */
};
/* Returns the type of array that an analysis with the flags `want` requests from traj_open. */
enum frame_type analysis_type(unsigned want);

/* Kinds of notes, in the order in which the program prints them. */
enum note_kind {
    NOTE_WARN,   /* warning about the input, not with -q */
    NOTE_TELL,   /* remark about the input, only with -v */
    NOTE_OPTION, /* warning about an option, not with -q */
    NOTE_ENGINE  /* remark about the program, only with -v */
};
#define NOTES_MAX 16
struct notes {
    size_t n;
    struct note {
        enum note_kind kind;
        char text[512];
    } note[NOTES_MAX];
    const char *bound; /* slowest part, or NULL */
};
/* Appends a note, unless there are already NOTES_MAX notes. */
void notes_add(struct notes *n, enum note_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* If the length `value` of an option in Å is below `min`, the smallest sensible length, appends a
 * NOTE_OPTION which warns that the length is probably in nm. For an option that was not given,
 * `value` is NaN. */
void notes_nm(struct notes *n, const char *option, double value, double min);

#define ANALYSIS_PAIRS_MAX 256
struct analysis_options {
    struct shard shard;
    uint64_t blocks;                      /* 0: chosen automatically */
    const char *pair[ANALYSIS_PAIRS_MAX]; /* "A-B" or "all" */
    size_t npairs;
    const char *exclude; /* pairs of atoms, or NULL */
    const char *devices; /* GPUs, "0,2" or "all"; NULL: GPU 0 */
    int threads;
    uint64_t max_mem; /* bytes; 0: no limit */
};

/* The end of the previous block, for detecting discontinuities. Initialise to zeros. */
struct analysis_track {
    uint64_t steps;
    uint64_t next; /* index of the next step */
    double time;   /* of the next step, ps, or NaN */
};
/* Checks that the block b begins one step after the last step of the previous block. The time dt
 * between steps is in ps, or NaN if unknown. */
int analysis_follows(struct analysis_track *t, const struct traj_block *b, double dt,
                     struct err *e) FRAME_MUST;

/* Returns 0, or -1 with an error message in e if META states that times are uneven. */
int analysis_even(const struct meta *m, struct err *e) FRAME_MUST;

struct analysis_input {
    const struct frame_reader *reader;
    struct traj_reader *traj; /* from traj_announce */
    const struct meta *meta;
    /* Steps [first, last) of the request or, after open(), of this part of the run. */
    uint64_t first, last;
};

/* The first member of the struct of every run. The caller sets the members `shared` and `want`, and
 * frees the member `blocks`. */
struct run_base {
    const struct analysis_options *shared; /* valid until close() */
    size_t want;                           /* blocks; 0: chosen automatically */
    struct stats_blocks blocks;            /* of steps or time origins */
    struct stats_share share;              /* of this part (--shard) */
    uint64_t first;                        /* first step to read */
    uint64_t steps;                        /* Includes the steps before `first`. */
    struct notes notes;
};
/* Size of a run in bytes. The compiler checks that `base`, a struct run_base, comes first. */
#define RUN_SIZE(type, base) (sizeof(type) + 0 * sizeof(char[offsetof(type, base) == 0 ? 1 : -1]))

struct analysis {
    unsigned want; /* enum analysis_want */
    size_t size;   /* RUN_SIZE. The caller allocates the run, filled with zeros, and frees it. */
    /* Begins a run. The argument `choice` points to the options of this analysis. */
    int (*open)(struct run_base *run, const void *choice, struct analysis_input *in, struct err *e);
    /* Processes the next block of steps, which begins a segment if `fresh` is true. */
    int (*add)(struct run_base *run, const struct traj_block *b, bool fresh, struct err *e);
    /* After the last step, sets the keys data.* in m. */
    int (*finish)(struct run_base *run, struct meta *m, struct err *e);
    /* After META has been written, writes the arrays of the result and the END frame to w. */
    int (*put)(struct run_base *run, struct frame_writer *w, struct err *e);
    /* Begins the second output that the options may request, in w and with the META m. The function
     * put() ends the second output. The caller owns w. NULL without a second output. */
    int (*second)(struct run_base *run, const struct analysis_input *in, struct frame_writer *w,
                  struct meta *m, struct err *e);
    void (*close)(struct run_base *run); /* also after open() failed */
};

/* An analysis that writes frames as soon as a block of steps is read, such as unwrap. */
struct stepwise {
    const char *bound;    /* slowest part */
    enum frame_type type; /* for traj_open */
    size_t size;          /* as in struct analysis */
    /* Begins a run, which will process the steps of the trajectory in->traj. */
    int (*open)(void *run, const void *choice, const struct analysis_input *in, int threads,
                uint64_t max_mem, struct err *e);
    /* After open(), returns a remark about the program. May be NULL. */
    const char *(*remark)(const void *run);
    /* Sets the keys data.* of an output segment. Returns 0 or -1. */
    int (*meta)(const void *run, struct meta *m);
    /* Writes the frames that result from a block of steps to w. */
    int (*add)(void *run, const struct traj_block *b, struct frame_writer *w, struct err *e);
    /* Writes the last frames of a segment. Returns 0, or -1 with the error in the writer. May be
     * NULL. */
    int (*end)(void *run);
    /* After the last step, returns the next warning about the whole input, or NULL after the last
     * warning. The text is valid until the next call. May be NULL. */
    const char *(*warning)(void *run);
    void (*close)(void *run); /* also after open() failed */
};

/* Finds the blocks and steps of this part of the run, after r->blocks is initialised and before a
 * sample is added. Sets r->share, r->first and r->steps, and the range [in->first, in->last) of the
 * steps to read. For a whole run, r->share contains the samples 0 to UINT64_MAX, and its other
 * members are 0. */
void run_begin(struct run_base *r, struct analysis_input *in);
/* Returns 0, or -1 with an error message in e if a block begins a second segment of the input. Many
 * analyses must not multiply values from two segments. */
int run_one_segment(const struct run_base *r, bool fresh, struct err *e) FRAME_MUST;
/* Keeps only the blocks of this part of the run, after all samples from share.first to `end` - 1
 * have been added. Returns 0, or -1 with an error message in e if there are no steps, if blocks
 * outnumber steps, if the number of steps differs from the number in END, or if memory runs out. */
int run_take(struct run_base *r, uint64_t end, struct err *e) FRAME_MUST;
/* Sets the keys data.blocks and data.errors and, for a part of a run, data.shard, data.window and
 * data.whole.blocks. Returns 0 or -1. */
int run_meta(const struct run_base *r, size_t blocks, struct meta *m);
/* Appends a warning that the sample changed (drift.h), and writes it to the key data.changed of m.
 * Does nothing if the text is empty. Returns 0, or -1 and sets *e. */
int run_changed(struct run_base *r, struct meta *m, const char *text, struct err *e) FRAME_MUST;
/* Calls run_changed with the warning of drift_corr, if any, for a complete run with the arrays of
 * run_put. */
int run_drift(struct run_base *r, struct meta *m, size_t blocks, size_t rows, size_t ncomp,
              size_t nf, const uint64_t *counts, const double *sums, struct err *e) FRAME_MUST;
/* Writes the CORR arrays with series_put_corr, and then END. */
int run_put(const struct run_base *r, struct frame_writer *w, size_t blocks, size_t rows,
            size_t ncomp, size_t nf, const uint64_t *counts, const double *sums,
            struct err *e) FRAME_MUST;
/* Writes END, with the content hash of the input if the run is a part (--shard). Returns 0 on
 * success, or -1 on failure (see frame_writer_error). */
int run_end(const struct run_base *r, struct frame_writer *w) FRAME_MUST;
