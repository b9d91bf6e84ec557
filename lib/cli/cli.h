/* SPDX-License-Identifier: MIT */
/* cli.h: parses the command line of every program, and prints messages and progress. One table of
 * options per program defines the parser, the text of --help and the checks. In lib/, only
 * code in lib/cli prints messages or ends the program, and all other code returns errors. The exit
 * status is 0 for success, 2 for wrong options or bad input, 3 for a system error, 4 if memory runs
 * out (err.h), and 1 if `compare` finds a difference. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "stream/frame.h"
#include "stream/window.h"

C_LINKAGE_BEGIN

#define CLI_VERSION "0.2.0"
enum cli_status { CLI_OK = 0, CLI_NO = 1, CLI_BAD = 2, CLI_MACHINE = 3, CLI_MEMORY = 4 };

enum cli_kind {
    CLI_FLAG,   /* bool that becomes true */
    CLI_UINT,   /* uint64_t, a whole number in [min, max] */
    CLI_REAL,   /* double, a finite number in [min, max] */
    CLI_STRING, /* const char *, a pointer into argv */
    CLI_CHOICE, /* int, an index into `choices`, which ends with NULL */
    CLI_SIZE,   /* uint64_t, a number of bytes that may end in K, M, G or T (powers of 1024) */
    /* The function parse(value, dst, e) parses the argument and returns 0, or -1 and sets *e. The
     * value of an optional argument that is absent is NULL. The option may be given several
     * times. */
    CLI_CUSTOM
};

/* Programs that have a common option. */
enum cli_only { CLI_EVERY, CLI_READS_STEPS, CLI_WRITES_STEPS, CLI_WRITES_FRAMES };

struct cli_opt {
    char letter; /* 0: none */
    enum cli_only only;
    const char *name;
    const char *arg; /* name in --help, or NULL */
    enum cli_kind kind;
    void *dst;       /* points to a variable of the type that enum cli_kind states */
    double min, max; /* inclusive range */
    const char *const *choices;
    int (*parse)(const char *value, void *dst, struct err *e);
    const char *help; /* Help text: a phrase in lower case, without a full stop, that ends in
                       * "(default: ...)". */
    const char *was;  /* former name that is still accepted, or NULL */
};
/* Defines one row of an option table. The kind is written without CLI_, and all fields after the
 * first five are named, as in CLI_OPT("lags", "N", UINT, &lags, "compute lags 0 to N-1 (default:
 * all)", .min = 1, .max = 1e12). */
#define CLI_OPT(name_, arg_, kind_, dst_, help_, ...)                                              \
    {                                                                                              \
        .name = name_, .arg = arg_, .kind = CLI_##kind_, .dst = dst_, .help = help_, __VA_ARGS__   \
    }

struct cli_tool {
    const char *name;
    const char *operands;             /* such as "[FILE...]" */
    const char *summary;              /* purpose, in one or two sentences */
    const struct cli_opt *opts;       /* ends with .name == NULL */
    const char *examples;             /* whole lines */
    int min_operands, max_operands;   /* -1: any number */
    int words;                        /* leading operands, called words, that are not file names */
    const char *differs;              /* meaning of the exit status 1, or NULL */
    bool writes_frames;               /* has -z and --force */
    const char *(*engine)(void);      /* name of the CPU or GPU for --version, or NULL */
    const char *(*build_facts)(void); /* another line of --version, or NULL */
    bool writes_steps;                /* has --index */
    bool reads_steps;                 /* has --from and --to */
    /* Returns true if `first`, the first operand or NULL, is not the leading word, which then is
     * ":". */
    bool (*wordless)(const char *first);
};
/* Members of struct cli_tool for a program that reads one input and writes frames. */
#define CLI_INPUT_TOOL(name_)                                                                      \
    .name = name_, .operands = "[FILE]", .opts = opts, .max_operands = 1, .writes_frames = true

/* The values of the common options, and the operands. */
struct cli_common {
    const char *output, *log; /* log: value of --log */
    bool quiet, verbose, force, index;
    bool last;            /* The main output must appear after all other outputs. */
    bool allow_partial;   /* Set by a program that accepts an END frame marked as partial. */
    int threads;          /* -t, or else OMP_NUM_THREADS, or else the usable CPUs */
    int compress;         /* 0: off */
    uint64_t max_mem;     /* --max-mem in bytes, by default 80 % of the free memory */
    struct window window; /* --from and --to, for readers that cli_open() opened */
    int noperands;
    char **operands; /* as given; "-": stdin */
    char **words;    /* leading operands */
    /* The options and words as given, quoted for a shell, for provenance. File names and the
     * options -o, -t, -q, -v and --max-mem are omitted. */
    char *args;
    size_t args_len; /* without the NUL */
};

/* Parses the whole command line of a program. The options --help and --version print a text and end
 * the program with status 0. A wrong option prints one line on stderr and ends the program with
 * status 2. */
void cli_parse(const struct cli_tool *tool, int argc, char **argv, struct cli_common *c);

/* Each function parses a whole string as a number in the C locale, checks the range of the number,
 * and returns 0, or -1 and sets *e. */
int cli_parse_real(const char *s, double min, double max, double *v, struct err *e);
int cli_parse_uint(const char *s, uint64_t min, uint64_t max, uint64_t *v, struct err *e);

/* After cli_keep_signals, the first SIGTERM, SIGINT or SIGHUP is only recorded, and a second signal
 * ends the program immediately. A SIGHUP that was ignored before stays ignored. The function
 * cli_signal returns the recorded signal, or 0 without a signal. The function cli_end_by ends the
 * program as the signal `sig` would have ended it. */
void cli_keep_signals(void);
int cli_signal(void);
void cli_end_by(int sig) __attribute__((noreturn));

/* Ends the program with an error if writing to `path` would overwrite an input. Files are the same
 * if their device and inode are the same. If `path` is NULL or "-", the output is stdout. The
 * functions cli_parse, cli_create and cli_text_open already check the files of -o and the files
 * that they open. */
void cli_keep_inputs(const struct cli_common *c, const char *path);
/* Ends the program with an error if writing to `path` would overwrite `input`, which may be
 * NULL. */
void cli_keep_input(const struct cli_common *c, const char *input, const char *path);

/* Ends the program with an error if two of the n outputs are the same file or pipe, even under
 * different names. The name NULL means no output, and the name "-" means stdout. */
void cli_separate(const char *const *names, size_t n);

/* If `unused` is true and the option `name` was given, ends the program with the error that the
 * option has no effect. The error ends with the text `needs`, such as "without --self". */
void cli_unused(bool unused, const char *name, const char *needs);

/* Each function prints "PROGRAM: message" on stderr. The option -q silences cli_warn and cli_note.
 * The function cli_note prints only with -v. */
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Warns that the value of an option in Å is probably in nm if the value is below `min`, or does
 * nothing if the value is NaN because the option was not given. */
void cli_warn_nm(const char *option, double value, double min);
/* With -v, prints the cell of a trajectory, the time between frames in ps (NaN if unknown), and
 * where each value comes from. */
void cli_where(double dt, const char *dt_from, const struct box *cell, const char *cell_from);
/* Prints a message with cli_error and ends the program, which must not have begun its output. */
void cli_die(int status, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Returns the name of the only input operand, or NULL for stdin. */
const char *cli_input(const struct cli_common *c);
/* Returns the number of inputs, which is 1 without operands. The function cli_input_at returns the
 * name of input k, or NULL for stdin. */
int cli_inputs(const struct cli_common *c);
const char *cli_input_at(const struct cli_common *c, int k);

/* Each function calls frame_open or frame_create with the values of the common options, and ends
 * the program on failure. */
struct frame_reader *cli_open(const struct cli_common *c, const char *path);
struct frame_writer *cli_create(const struct cli_common *c);

/* The function cli_resume calls frame_resume with the values of the common options, or returns NULL
 * and sets *e. The function cli_no_part removes the file NAME.part with a warning, or ends the
 * program if a checkpoint refers to the file. */
struct frame_writer *cli_resume(const struct cli_common *c, const struct frame_mark *m,
                                const struct meta *like, enum frame_found *found, struct err *e);
void cli_no_part(const char *name, bool known);
/* Returns whether two names refer to the same file. The name NULL refers to no file. */
bool cli_same_output(const char *a, const char *b);

/* Warns that a program skips arrays of an unknown type. Call this function only for arrays that may
 * be copied, because cli_open already warns about arrays that must not be copied. */
void cli_left_out(const char *name, const char *code);

/* Warns if a stream with several species has only one value of sigma. */
void cli_one_sigma(const struct frame_reader *in);

/* Every program that writes frames ends by calling cli_fail or cli_close. Several outputs of a run
 * appear together after the last output is closed, or not at all if an output fails. The function
 * cli_fail prints the message, writes an ERR frame if a segment is open, removes the output and
 * returns the status of e. The argument `in` is the reader in which the error occurred, or NULL.
 * The function cli_close closes w and returns 0, or 3 on failure. */
int cli_fail(struct frame_writer *w, const struct frame_reader *in, const struct err *e);
int cli_close(struct frame_writer *w);
/* The function cli_settle closes w without printing, and returns 0, or -1 and sets *e. The function
 * cli_drop discards an output. */
int cli_settle(struct frame_writer *w, struct err *e);
void cli_drop(struct frame_writer *w);

/* A buffered text output to the file of -o or to stdout. The function cli_text_open ends the
 * program on failure. The text file appears under its name only if cli_text_close is called with
 * the status CLI_OK or CLI_NO. */
struct cli_text;
struct cli_text *cli_text_open(const struct cli_common *c);
void cli_text_printf(struct cli_text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void cli_text_write(struct cli_text *t, const void *bytes, size_t n);
/* The function cli_text_keep saves the text so far on disk in the file NAME.part, and sets *bytes
 * to its length. The function cli_text_keep returns 0, 1 if the output is not a file, or -1 and
 * sets *e. The function cli_text_resume continues a text after `bytes` bytes, or returns NULL and
 * sets *e. */
int cli_text_keep(struct cli_text *t, uint64_t *bytes, struct err *e);
struct cli_text *cli_text_resume(const struct cli_common *c, uint64_t bytes, struct err *e);
/* Returns `status`, or prints a message and returns 3 if `status` was good but writing failed. */
int cli_text_close(struct cli_text *t, int status);

/* Shows progress at most 5 times per second, if stderr is a terminal and -q was not given. If
 * stderr is not a terminal, -v prints a line once per minute. The total is unknown if `total` is 0.
 * In a pipeline, progress is shown only by the first program that can report progress. Among
 * programs that start at the same time, programs with a known total take precedence. The function
 * cli_summary prints the last line of the option -v. The text `bound` names the operation that
 * limits the speed, or is NULL. */
void cli_progress(uint64_t done, uint64_t total, const char *unit);
void cli_summary(uint64_t frames, uint64_t bytes, const char *bound);
/* Makes messages, progress and the clock refer to the input `input`, or to no input if `input` is
 * NULL. Each of several inputs gets its output even if an earlier input failed. After the last
 * input, call cli_subject(NULL). */
void cli_subject(const char *input);
double cli_seconds(void); /* seconds since the start */

C_LINKAGE_END
