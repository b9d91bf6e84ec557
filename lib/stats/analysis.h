/* SPDX-License-Identifier: MIT */
/*
 * analysis.h: what an analysis of a stream of steps is to the program that runs it. A subject has
 * one struct analysis; the program hands it the steps that it wants and writes what it puts:
 *
 *     probe, open; add for every block; finish, put; close
 *
 * and says its notes after open and after put: a run begins with its struct notes. Errors need no name of the input: it is put before
 * them.
 */
#ifndef MBF_ANALYSIS_H
#define MBF_ANALYSIS_H

#include "stats/shard.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays that are wanted: any of the first three, or series alone. Velocities come with positions,
 * where there are any. */
enum analysis_want {
    ANALYSIS_POSITIONS = 1,
    ANALYSIS_VELOCITIES = 2,
    ANALYSIS_PAIRS = 4,
    ANALYSIS_SERIES = 8
};
/* What traj_open and traj_announce call these. */
enum frame_type analysis_type(unsigned want);

/* What there is to say about a run, in order. */
enum note_kind {
    NOTE_WARN,   /* about the input, whose name is put before it; silent with -q */
    NOTE_TELL,   /* the same, with -v only */
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
    const char *bound; /* what the time was bound by; NULL: not known */
};
/* One more; beyond NOTES_MOST it is dropped. */
void notes_add(struct notes *n, enum note_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* NOTE_OPTION where a length, Å, is below the least that makes sense: nm is likely. NaN: not
 * given. */
void notes_nm(struct notes *n, const char *option, double value, double least);

/* What the options say that analyses share. */
#define ANALYSIS_PAIRS_MOST 256
struct analysis_options {
    struct shard shard;                    /* n 0: all steps */
    uint64_t blocks;                       /* wanted; 0: as the steps come */
    const char *pair[ANALYSIS_PAIRS_MOST]; /* [npairs] wanted pairs of species, or "all" */
    size_t npairs;
    const char *exclude; /* pairs that do not count (exclude.h); NULL: none */
    const char *devices; /* GPU: NULL, "0", "all", "0,2"; CPU: ignored */
    int threads;
    uint64_t max_mem; /* bytes; 0: no limit */
};

/* Where the last block of a run ended: products must not run across a jump. Starts as zeros. */
struct analysis_track {
    uint64_t steps; /* so far */
    uint64_t next;  /* index of the step that would follow, */
    double time;    /* and its time, ps; NaN: unknown */
};
/* Does a block go on one stride, dt ps (NaN: unknown), after the last? 0, or -1 with e. */
int analysis_follows(struct analysis_track *t, const struct traj_block *b, double dt,
                     struct err *e) FRAME_MUST;

/* What is opened. */
struct analysis_input {
    const struct frame_reader *reader; /* for its name */
    struct traj_reader *traj;          /* announced: info is known */
    const struct meta *meta;
    uint64_t first, last; /* steps that are wanted: all; of a share, open narrows them */
};

struct analysis {
    unsigned want;               /* enum analysis_want */
    const char *(*engine)(void); /* "CPU, AVX-512"; NULL: none to choose */
    int (*probe)(const char *devices,
                 struct err *e); /* is there a machine? 0, or -1 with e; NULL */
    /* A run; o->shard is opened, choice is the subject's own. NULL with e. */
    void *(*open)(const struct analysis_options *o, const void *choice, struct analysis_input *in,
                  struct err *e);
    /* The next block; fresh: it begins a segment. 0, or -1 with e. */
    int (*add)(void *run, const struct traj_block *b, bool fresh, struct err *e);
    /* All steps are in: the data.* keys of m. 0, or -1 with e. */
    int (*finish)(void *run, struct meta *m, struct err *e);
    /* The arrays and END to w, whose META is out. 0, or -1 with e. */
    int (*put)(void *run, struct frame_writer *w, struct err *e);
    /* A second output, where one is asked for: to w, under META m, until put ends it; w stays the
     * caller's. 0, or -1 with e. NULL: there is none to ask for. */
    int (*second)(void *run, const struct analysis_input *in, struct frame_writer *w,
                  struct meta *m, struct err *e);
    void (*close)(void *run); /* NULL is allowed */
};

#ifdef __cplusplus
}
#endif
#endif
