/* SPDX-License-Identifier: MIT */
/*
 * cli.h: the command line of every tool: one option table gives the parser, --help and the checks.
 *
 * The only part of lib/ that prints or exits. Exit statuses: 0 done, 1 the answer is no (compare),
 * 2 wrong options or bad input, 3 the machine failed, 4 not enough memory (err.h).
 */
#ifndef MBF_CLI_H
#define MBF_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "stream/frame.h"
#include "stream/window.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CLI_VERSION "0.2.0"
enum cli_status { CLI_OK = 0, CLI_NO = 1, CLI_BAD = 2, CLI_MACHINE = 3, CLI_MEMORY = 4 };

enum cli_kind {
    CLI_FLAG,   /* bool *: set to true */
    CLI_UINT,   /* uint64_t *: whole number in [min, max] */
    CLI_REAL,   /* double *: finite number in [min, max] */
    CLI_STRING, /* const char **: points into argv */
    CLI_CHOICE, /* int *: index into the NULL-terminated choices */
    CLI_SIZE,   /* uint64_t *: bytes, with suffix K M G T (powers of 1024) */
    CLI_CUSTOM  /* parse(value, dst, e): 0, or -1 with the reason; repeatable; value is NULL where
                   arg is in brackets and none was given */
};

struct cli_opt {
    char letter; /* 0: none */
    const char *name;
    const char *arg; /* name of the argument in the help, NULL for a flag */
    enum cli_kind kind;
    void *dst;
    double min, max; /* CLI_UINT, CLI_REAL: inclusive range */
    const char *const *choices;
    int (*parse)(const char *value, void *dst, struct err *e);
    const char *help; /* a phrase in lower case, no full stop, ending "(default: ...)" */
    const char *was;  /* former name, accepted like name, or NULL */
};
/* A row: its fields that all have, the kind without CLI_, and by their names those that few have:
 * CLI_OPT("lags", "N", UINT, &lags, "lags 0 to N-1 (all)", .min = 1, .max = 1e12). */
#define CLI_OPT(name_, arg_, kind_, dst_, help_, ...)                                              \
    {                                                                                              \
        .name = name_, .arg = arg_, .kind = CLI_##kind_, .dst = dst_, .help = help_, __VA_ARGS__   \
    }

struct cli_tool {
    const char *name;
    const char *operands;                /* e.g. "[FILE...]" */
    const char *summary;                 /* one line: what goes in, what comes out */
    const struct cli_opt *opts;          /* ends with .name == NULL */
    const char *examples;                /* whole lines */
    int min_operands, max_operands;      /* -1: any number */
    int words;                           /* of these, first ones that name no file */
    bool writes_frames;                  /* has -z and --force */
    const char *(*engine)(void);         /* what it computes with, for --version, or NULL */
    const char *(*build_facts)(void);    /* one more line there, or NULL */
    bool writes_steps;                   /* has --index */
    bool reads_steps;                    /* has --from and --to */
    bool (*wordless)(const char *first); /* with these options, may the one word be left out, as it
                                            is before first (NULL: nothing)? It is ":" then; NULL: no */
};

/* Options that every tool has. */
struct cli_common {
    const char *output, *log; /* log: of --log */
    bool quiet, verbose, force, index;
    bool last;            /* cli_create: it appears behind the others; a tool's own to set */
    bool allow_partial;   /* cli_open: END may say partial; a tool's own to set */
    int threads;          /* OMP_NUM_THREADS, else the affinity mask, else -t */
    int compress;         /* 0: off */
    uint64_t max_mem;     /* bytes: --max-mem, else 80 % of what is free */
    struct window window; /* of the steps that cli_open's readers hand out: --from, --to */
    int noperands;
    char **operands; /* as given; "-" is stdin */
    char **words;    /* operands before those, which name no file */
    char *args;      /* options as given and words, shell-quoted, for provenance (no -o, -t, -q, -v,
                   --max-mem, no names) */
    size_t args_len; /* of args, without its NUL */
};

/* Parse everything; answers --help and --version and exits 0; a mistake is one line on stderr and
 * exit 2. */
void cli_parse(const struct cli_tool *tool, int argc, char **argv, struct cli_common *c);

/* Number parsers, whole and range-checked, C locale: 0, or -1 with the reason. */
int cli_parse_real(const char *s, double min, double max, double *v, struct err *e);
int cli_parse_uint(const char *s, uint64_t min, uint64_t max, uint64_t *v, struct err *e);

/* From now on a signal that asks to end (SIGTERM, SIGINT, SIGHUP where it is not ignored) is only
 * kept: cli_signal tells it, 0 none. A second one ends the program at once. cli_end_by: as sig would
 * have ended it. */
void cli_keep_signals(void);
int cli_signal(void);
void cli_end_by(int sig) __attribute__((noreturn));

/* Dies where writing to path (NULL or "-": stdout) would write over an input, by device and inode.
 * cli_parse asks for -o, cli_create and cli_text_open for what they open. */
void cli_keep_inputs(const struct cli_common *c, const char *path);
/* The same for an input that is no operand (NULL: none). */
void cli_keep_input(const struct cli_common *c, const char *input, const char *path);

/* Dies where two of the n outputs (NULL: none, "-": stdout) would be one file or pipe, however
 * spelled. */
void cli_apart(const char *const *names, size_t n);

/* Dies where option `name` was given although, as `unused` says, it would have no effect; needs: what it
 * goes with. */
void cli_unused(bool unused, const char *name, const char *needs);

/* "tool: message" on stderr. cli_warn and cli_note are silent with -q; cli_note speaks only with
 * -v. */
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Warn where the length of an option, Å, is below the least that makes sense: nm is likely. NaN:
 * not given. */
void cli_warn_nm(const char *option, double value, double least);
/* With -v: the time between frames (ps; NaN: unknown) and the cell of a trajectory, and who said so.
 */
void cli_where(double dt, const char *dt_from, const struct box *cell, const char *cell_from);
/* cli_error and exit; only before the output stream has begun. */
void cli_die(int status, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Name of the one input operand, NULL for stdin. */
const char *cli_input(const struct cli_common *c);
/* Of several: how many, 1 where there is no operand; the name of one, NULL for stdin. */
int cli_inputs(const struct cli_common *c);
const char *cli_input_at(const struct cli_common *c, int k);

/* frame_open and frame_create with the common options; both die when the tool cannot go on. */
struct frame_reader *cli_open(const struct cli_common *c, const char *path);
struct frame_writer *cli_create(const struct cli_common *c);

/* frame_resume as cli_create does it; NULL with e. cli_no_part: NAME.part is removed with a warning, or where a checkpoint knows it,
 * it dies. */
struct frame_writer *cli_resume(const struct cli_common *c, const struct frame_mark *m,
                                const struct meta *like, enum frame_found *found, struct err *e);
void cli_no_part(const char *name, bool known);
/* Would two names (NULL: none) be one file? */
bool cli_same_output(const char *a, const char *b);

/* The warning that a stream's arrays of this type are left out. cli_open's readers give it for
 * those that may not be handed on; a tool that says so for copy-safe ones calls it. */
void cli_left_out(const char *name, const char *code);

/* The warning that positions of several species are all taken with one sigma. */
void cli_one_sigma(const struct frame_reader *in);

/*
 * The end of every tool that writes frames. Where a run has several outputs, none appears before
 * the last one is closed, and none at all when one of them failed. cli_fail: message, ERR frame when a segment is open,
 * output removed; returns its status. in: the reader whose error is passed on, or NULL. cli_close:
 * closes (status 3 when that fails), returns 0.
 */
int cli_fail(struct frame_writer *w, const struct frame_reader *in, const struct err *e);
int cli_close(struct frame_writer *w);
/* cli_close without words: 0, or -1 with e. cli_drop: closes what is not to appear. */
int cli_settle(struct frame_writer *w, struct err *e);
void cli_drop(struct frame_writer *w);

/*
 * A text output (-o or stdout), buffered. cli_text_open dies when it cannot; a failed write is kept
 * until cli_text_close, which says so. A file appears under its name only when status is CLI_OK or
 * CLI_NO.
 */
struct cli_text;
struct cli_text *cli_text_open(const struct cli_common *c);
void cli_text_printf(struct cli_text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void cli_text_write(struct cli_text *t, const void *bytes, size_t n);
/* What was written is on disk as NAME.part, so many bytes: 0; 1: it is no file; -1 with e.
 * cli_text_resume: goes on behind them, NULL with e. */
int cli_text_keep(struct cli_text *t, uint64_t *bytes, struct err *e);
struct cli_text *cli_text_resume(const struct cli_common *c, uint64_t bytes, struct err *e);
/* Returns the exit status: the one given, or 3 after a message where that was good and the output
 * failed. */
int cli_text_close(struct cli_text *t, int status);

/*
 * Progress on stderr while it is a terminal and -q is absent, at most 5 times a second. total 0:
 * unknown. Of the programs of a pipe, one shows it: the first that has something to show, and of
 * those that start together one that knows its total. cli_summary: the last line of -v. bound: what the time was bound by, or NULL.
 */
void cli_progress(uint64_t done, uint64_t total, const char *unit);
void cli_summary(uint64_t frames, uint64_t bytes, const char *bound);
/* From now on messages, progress and its clock are about this one of several inputs; what failed
 * before keeps no output of it back. NULL: about none of them. */
void cli_subject(const char *input);
double cli_seconds(void); /* since the start of the program */

#ifdef __cplusplus
}
#endif
#endif
