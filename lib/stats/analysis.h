/* SPDX-License-Identifier: MIT */
/* analysis.h: defines the interface between an analysis of a stream of steps and the program that
 * runs it. Each analysis is described by a struct analysis. The program calls the functions probe()
 * and open() of the analysis, then add() for every block of requested steps, and finally finish(),
 * put() and close().
 *
 * The struct run_base holds the state that all runs share. The state of a run includes the notes
 * that the program prints after open() and put(). The program adds the name of the input to error
 * messages. */
#pragma once

#include <stddef.h>

#include "stats/blocks.h"
#include "stats/shard.h"
#include "stream/traj.h"

/* Kinds of arrays that an analysis can request. Positions, velocities, pairs and scalars may be
 * combined with each other, but not with a time series. If there are velocities or scalars, they
 * are returned together with the positions. */
enum analysis_want {
    ANALYSIS_POSITIONS = 1,
    ANALYSIS_VELOCITIES = 2,
    ANALYSIS_PAIRS = 4,
    ANALYSIS_SERIES = 8,
    ANALYSIS_SCALARS = 16 /* positions with the scalars of the atoms, if the input has any */
};
/* Returns the type with which traj_open or traj_announce selects the requested arrays. */
enum frame_type analysis_type(unsigned want);

/* Kinds of notes about a run, in the order of printing. */
enum note_kind {
    NOTE_WARN,   /* warning about the input, which -q suppresses */
    NOTE_TELL,   /* remark about the input, which is printed only with -v */
    NOTE_OPTION, /* warning about an option, which -q suppresses */
    NOTE_ENGINE  /* remark about the program, which is printed only with -v */
};
#define NOTES_MAX 16
struct notes {
    size_t n;
    struct note {
        enum note_kind kind;
        char text[512];
    } note[NOTES_MAX];
    const char *bound; /* name of the operation that limited the speed, or NULL if unknown */
};
/* Appends a note. At most NOTES_MAX notes are kept. */
void notes_add(struct notes *n, enum note_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* If a length in Å is below `min`, the smallest sensible value, appends a NOTE_OPTION which warns
 * that the length is probably in nm. If the option was not given, `value` is NaN. */
void notes_nm(struct notes *n, const char *option, double value, double min);

/* Options that all analyses share. */
#define ANALYSIS_PAIRS_MAX 256
struct analysis_options {
    struct shard shard;                   /* n = 0: all steps */
    uint64_t blocks;                      /* number of blocks that the user requests, or 0 to choose
                                           * it automatically */
    const char *pair[ANALYSIS_PAIRS_MAX]; /* pairs of species that the user requests, or "all" */
    size_t npairs;
    const char *exclude; /* excluded pairs, or NULL */
    const char *devices; /* GPUs to use: "0", "0,2" or "all". NULL means GPU 0. Ignored on a CPU */
    int threads;
    uint64_t max_mem; /* bytes; 0: no limit */
};

/* The end of the last block, from which discontinuities are detected. Initialise to zeros. */
struct analysis_track {
    uint64_t steps; /* number of steps so far */
    uint64_t next;  /* index of the next step */
    double time;    /* time of the next step in ps, or NaN if unknown */
};
/* Checks that a block begins one stride after the end of the last block. The stride dt is in ps, or
 * NaN if unknown. Returns 0 on success, or -1 with an error message in e. */
int analysis_follows(struct analysis_track *t, const struct traj_block *b, double dt,
                     struct err *e) FRAME_MUST;

/* If the frames of a stream with META m are at uneven times, returns -1 with an error message in e.
 * Otherwise, returns 0. */
int analysis_even(const struct meta *m, struct err *e) FRAME_MUST;

/* Input of an analysis. */
struct analysis_input {
    const struct frame_reader *reader; /* used for its name only */
    struct traj_reader *traj;          /* trajectory from traj_announce, so that its properties are
                                        * known */
    const struct meta *meta;
    uint64_t first, last; /* range of the steps [first, last) that are requested or, after open(),
                           * that belong to this part of the run */
};

/* The state that all runs share, which is the first member of every run. The caller sets the
 * members `shared` and `want`, and frees the member `blocks`. */
struct run_base {
    const struct analysis_options *shared; /* options of the input after shard_open(), which are
                                            * valid until close() */
    size_t want;                           /* number of blocks, or 0 to choose it automatically */
    struct stats_blocks blocks;            /* blocks of steps or of time origins */
    struct stats_share share;              /* range of the blocks of this part of the run
                                            * (--shard) */
    uint64_t first;                        /* number of the first step that this part of the run
                                            * reads */
    uint64_t steps; /* number of steps that have been read, including the steps before `first` */
    struct notes notes;
};
/* Size of a run in bytes. The compiler checks that the member `base`, a struct run_base, comes
 * first. */
#define RUN_SIZE(type, base) (sizeof(type) + 0 * sizeof(char[offsetof(type, base) == 0 ? 1 : -1]))

struct analysis {
    unsigned want; /* bitwise OR of values of enum analysis_want */
    size_t size;   /* size of a run (RUN_SIZE). The caller allocates the run, filled with zeros, and
                    * frees it. */
    /* Begins a run. The argument `choice` holds the options of this analysis. Returns 0 on success,
     * or -1 with an error message in e. */
    int (*open)(struct run_base *run, const void *choice, struct analysis_input *in, struct err *e);
    /* Processes the next block of steps, which begins a segment if `fresh` is true. Returns 0 on
     * success, or -1 with an error message in e. */
    int (*add)(struct run_base *run, const struct traj_block *b, bool fresh, struct err *e);
    /* After the last step, sets the keys data.* in m. Returns 0 on success, or -1 with an error
     * message in e. */
    int (*finish)(struct run_base *run, struct meta *m, struct err *e);
    /* After META has been written, writes the arrays of the result and the END frame to the writer
     * w. Returns 0 on success, or -1 with an error message in e. */
    int (*put)(struct run_base *run, struct frame_writer *w, struct err *e);
    /* If the options request a second output, begins this output with the META m in the writer w.
     * The function put() then ends the second output. The caller owns w. Returns 0 on success, or
     * -1 with an error message in e. The member `second` is NULL if the analysis has no second
     * output. */
    int (*second)(struct run_base *run, const struct analysis_input *in, struct frame_writer *w,
                  struct meta *m, struct err *e);
    void (*close)(struct run_base *run); /* frees all memory that the run owns, even if open()
                                          * failed */
};

/* An analysis that writes frames for each block of steps immediately, such as unwrap. */
struct stepwise {
    const char *bound;    /* name of the operation that limits the speed */
    enum frame_type type; /* type of the arrays, for traj_open */
    size_t size; /* size of a run in bytes. The caller allocates the run, filled with zeros, and
                  * frees it. */
    /* Begins a run, which will process the steps of the trajectory in->traj. Returns 0 on success,
     * or -1 with an error message in e. */
    int (*open)(void *run, const void *choice, const struct analysis_input *in, int threads,
                uint64_t max_mem, struct err *e);
    /* After open(), returns a remark about the program. The member may be NULL. */
    const char *(*remark)(const void *run);
    /* Sets the keys data.* of an output segment. Returns 0 or -1. */
    int (*meta)(const void *run, struct meta *m);
    /* Writes the frames that result from a block of steps to the writer w. Returns 0 on success,
     * or -1 with an error message in e. */
    int (*add)(void *run, const struct traj_block *b, struct frame_writer *w, struct err *e);
    /* Writes the frames that remain at the end of a segment. Returns 0 on success, or -1 with the
     * error in the writer. The member may be NULL. */
    int (*end)(void *run);
    /* After the last step, returns the next warning about the whole input, or NULL. The text of the
     * warning is valid until the next call. The member may be NULL. */
    const char *(*warning)(void *run);
    void (*close)(void *run); /* frees all memory that the run owns, even if open() failed */
};

/* Finds the blocks and steps of this part of the run. The caller calls run_begin() after r->blocks
 * is initialised and before a sample is added. Sets r->share, r->first and r->steps, and the range
 * [in->first, in->last) of the steps to read. For a whole run, r->share has the samples 0 to
 * UINT64_MAX, and its other members are 0. */
void run_begin(struct run_base *r, struct analysis_input *in);
/* Returns 0 if a block may follow the steps so far, or -1 with an error message in e if the block
 * begins a second segment. The function run_one_segment is for analyses in which no product may
 * contain steps of two segments. */
int run_one_segment(const struct run_base *r, bool fresh, struct err *e) FRAME_MUST;
/* Keeps only the blocks of this part of the run. The caller calls run_take() after all samples from
 * share.first to `end` - 1 have been added. If there are no steps, blocks outnumber steps, the
 * number of steps differs from the number in END, or memory runs out, returns -1 with an error
 * message in e. Otherwise, returns 0. */
int run_take(struct run_base *r, uint64_t end, struct err *e) FRAME_MUST;
/* Sets the keys data.blocks and data.errors and, for a part of a run, data.shard, data.window and
 * data.whole.blocks. Returns 0 or -1. */
int run_meta(const struct run_base *r, size_t blocks, struct meta *m);
/* If the run is complete, appends the warning of drift_corr, if there is one. The sums have the
 * same shape as in run_put. */
void run_drift(struct run_base *r, const struct meta *m, size_t blocks, size_t rows, size_t ncomp,
               size_t nf, const uint64_t *counts, const double *sums);
/* Writes the CORR arrays with series_put_corr, and then END. Returns 0 on success, or -1 with an
 * error message in e. */
int run_put(const struct run_base *r, struct frame_writer *w, size_t blocks, size_t rows,
            size_t ncomp, size_t nf, const uint64_t *counts, const double *sums,
            struct err *e) FRAME_MUST;
/* Writes the END of a result. For a part of a run, END contains the hash of the input. Returns 0 on
 * success, or -1 on failure (see frame_writer_error). */
int run_end(const struct run_base *r, struct frame_writer *w) FRAME_MUST;
