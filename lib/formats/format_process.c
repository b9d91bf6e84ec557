/* SPDX-License-Identifier: MIT */
#include "formats/format_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/portable.h"

enum {
    CPU_SECONDS = 60,        /* limit of CPU time per answer, which ends infinite loops */
    SPARE_MEMORY = 32 << 20, /* memory of the library in addition to --max-mem */
    SIGNALS = 32,            /* one more than the largest standard signal of Linux and macOS */
    STACK = 1 << 16,
    BATCH = 16,            /* maximum frames per exchange, */
    BATCH_BYTES = 1 << 18, /* and maximum bytes: waiting for a process costs 10 us */
    LARGE_BYTES = 1 << 21, /* maximum bytes per exchange of large frames */
    BUFFERS = 1024,        /* more buffers than the caller can hold */
};

/* The answer to open() (without a frame) or next(). */
struct answer {
    int got; /* returned value: 1, 0 or -1 */
    struct err err;
    struct format_frame f;
    struct format_info info;
    uint64_t offset, done; /* as in struct bytes */
    int buffer;            /* buffer of the frame */
};

struct shared {
    struct answer answer[2][BATCH]; /* two batches, used alternately */
    int count[2];                   /* number of answers in each batch */
    int signal, error;              /* signal that ended the process, and errno at that time */
};

struct ask {
    bool decode, hashed;
    int n, buffer[BATCH + 1]; /* n buffers for later frames */
};

/* Memory of one frame, mapped by each process on first use. */
struct buffer {
    unsigned char *at; /* NULL if not mapped in this process */
    bool lent;         /* in use by the caller */
};

struct process {
    FORMAT_READER;
    pid_t pid;
    int socket, memory; /* descriptors */
    struct shared *shared;
    unsigned char *species;         /* [natoms] */
    size_t frame_bytes, scalars_at; /* bytes of the positions, and offset of the scalars */
    size_t head_bytes, species_bytes, buffer_bytes; /* whole pages (buffers follow the species) */
    struct buffer buffer[BUFFERS];
    int nbuffers, nspare;
    int spare[2 * BATCH + 1]; /* nspare buffers of the new process for the next frames */
    struct ask ask;           /* next request of the caller */
    int batch;                /* answers per batch */
    int turn, taken;          /* current batch, and number of its answers taken */
    bool filled, named;       /* set once `info` and the species, respectively, are stored */
};

static struct shared *crash_report; /* set in the new process */

static void on_crash(int sig)
{
    crash_report->error = errno;
    crash_report->signal = sig;
    _exit(1);
}

/* Handles a library that calls exit(), before the exit handlers of the caller run. */
static void on_exit_call(void)
{
    on_crash(SIGABRT);
}

/* ---- the new process */

/* Resets the signal handlers of the caller, so that this process does not change the files of the
 * caller. An interrupt ends the caller and thereby this process. */
static void take_signals(void)
{
    static const int crash[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPROF};
    static unsigned char stack[STACK];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (int sig = 1; sig < SIGNALS; sig++)
        signal(sig, sig == SIGINT ? SIG_IGN : SIG_DFL);
    for (size_t k = 0; k < sizeof crash / sizeof *crash; k++)
        sigaction(crash[k], &(struct sigaction){.sa_handler = on_crash, .sa_flags = SA_ONSTACK},
                  NULL);
}

static void limit_memory(size_t max_mem)
{
    unsigned long pages;
    struct rlimit r;
    FILE *f = max_mem ? fopen("/proc/self/statm", "re") : NULL;
    if (f && fscanf(f, "%lu", &pages) == 1 && getrlimit(RLIMIT_AS, &r) == 0) {
        rlim_t max = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + max_mem + SPARE_MEMORY;
        r.rlim_cur = max < r.rlim_cur ? max : r.rlim_cur;
        setrlimit(RLIMIT_AS, &r);
    }
    if (f)
        fclose(f);
}

/* Closes all descriptors except the two of `p` and stdin, which may be the file. A pipe of the
 * caller must end when the caller closes it. */
static void close_others(const struct process *p)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    portable_close_others(p->socket, p->memory);
}

static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

static off_t buffer_offset(const struct process *p, int k)
{
    return (off_t)(p->head_bytes + p->species_bytes + (size_t)k * p->buffer_bytes);
}

/* Returns buffer k, mapped, or NULL if memory is exhausted. */
static unsigned char *map_buffer(struct process *p, int k)
{
    if (!p->buffer[k].at) {
        void *at = mmap(NULL, p->buffer_bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | PORTABLE_MAP_NOW, p->memory, buffer_offset(p, k));
        p->buffer[k].at = at == MAP_FAILED ? NULL : at;
    }
    return p->buffer[k].at;
}

/* Maps the species. The sizes follow from the number of atoms. Returns 0 or -1. */
static int map_species(struct process *p, size_t natoms, bool make)
{
    p->frame_bytes = natoms * (p->o->given.f64 ? 24 : 12);
    p->scalars_at = p->frame_bytes * (p->o->velocities ? 2 : 1);
    size_t bytes = p->scalars_at + p->frame_bytes / 3 * (size_t)p->o->nscalars,
           fit = p->frame_bytes > BATCH_BYTES / 2 ? LARGE_BYTES / bytes
                                                  : BATCH_BYTES / p->frame_bytes;
    p->batch = fit > BATCH ? BATCH : fit ? (int)fit : 1;
    p->species_bytes = whole_pages(natoms);
    p->buffer_bytes = whole_pages(bytes);
    p->nbuffers = p->nspare = 2 * p->batch - 1; /* one batch, and all but one frame of the next */
    for (int k = 0; k < p->nspare; k++)
        p->spare[k] = k;
    if (make && ftruncate(p->memory, buffer_offset(p, p->nbuffers)) != 0)
        return -1;
    void *species = mmap(NULL, p->species_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p->memory,
                         (off_t)p->head_bytes);
    p->species = species == MAP_FAILED ? NULL : species;
    return p->species ? 0 : -1;
}

/* Sets the arrays of f in the buffer `at`, or to NULL if `at` is NULL. */
static void set_arrays(const struct process *p, unsigned char *at, struct format_frame *f)
{
    f->pos = at;
    f->vel = at && p->o->velocities ? at + p->frame_bytes : NULL;
    f->scal = at && p->o->nscalars ? at + p->scalars_at : NULL;
}

/* Fills the common part of an answer. */
static void fill(struct process *p, struct answer *a)
{
    bool names = p->info->species && p->species && !p->named;
    if (!p->filled || names) /* otherwise, the caller takes only the members below */
        a->info = *p->info;
    a->info.sorted = p->info->sorted;
    memcpy(a->info.note, p->info->note, sizeof a->info.note);
    a->offset = p->b->offset;
    a->done = p->b->done;
    p->info->note[0] = '\0';
    if (names)
        memcpy(p->species, p->info->species, p->info->natoms);
    p->filled = true;
    p->named |= names;
}

/* Maps spare buffer k. Its memory is charged to the caller, not to the reader. */
static unsigned char *spare_buffer(struct process *p, int k)
{
    struct rlimit r;
    if (!p->buffer[k].at && getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY) {
        r.rlim_cur += p->buffer_bytes;
        setrlimit(RLIMIT_AS, &r);
    }
    return map_buffer(p, k);
}

/* Reads one frame, or a batch if the caller uses every frame. */
static void read_frames(struct process *p, void *self, const struct ask *ask)
{
    int k = 0, max = ask->decode && p->o->given.step == 1 ? p->batch : 1, got = 1;
    for (; k < max && got == 1 && p->nspare; k++) {
        struct answer *a = &p->shared->answer[p->turn][k];
        a->err = (struct err){0};
        a->buffer = p->spare[--p->nspare];
        unsigned char *at = spare_buffer(p, a->buffer);
        a->f = (struct format_frame){.time = NAN, .decode = ask->decode, .hashed = ask->hashed};
        set_arrays(p, at, &a->f);
        a->got = got =
            at ? p->format->next(self, &a->f, &a->err) : err_memory(&a->err, "the frames");
        fill(p, a);
    }
    p->shared->count[p->turn] = k;
}

/* Limits CPU time and not real time, so that a process may be stopped or wait for a disk. */
static void set_alarm(int seconds)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
}

/* Opens the file, then answers requests until the caller closes its end. */
static _Noreturn void serve(struct process *p)
{
    struct answer *a = p->shared->answer[0];
    struct ask ask;
    bool ahead = false;
    char done = 1;
    crash_report = p->shared;
    take_signals();
    atexit(on_exit_call);
    close_others(p);
    limit_memory(p->o->max_mem);
    set_alarm(CPU_SECONDS);
    const struct format_reader r = {p->format, p->b, p->o, p->info};
    void *self = format_open(p->format, &r, &a->err);
    a->got = self ? 1 : -1;
    if (self && map_species(p, p->info->natoms, true) != 0)
        a->got = err_memory(&a->err, "the frames");
    for (fill(p, a); send(p->socket, &done, 1, MSG_NOSIGNAL) == 1;) {
        if (ahead)
            read_frames(p, self, &ask);
        set_alarm(0);
        if (recv(p->socket, &ask, sizeof ask, MSG_WAITALL) != sizeof ask)
            break;
        set_alarm(CPU_SECONDS);
        while (ask.n)
            p->spare[p->nspare++] = ask.buffer[--ask.n];
        if (!ahead)
            read_frames(p, self, &ask);
        ahead = ask.decode && p->o->given.step == 1 && p->nspare &&
                p->shared->answer[p->turn][p->shared->count[p->turn] - 1].got == 1;
        p->turn = !p->turn;
    }
    _exit(0);
}

/* ---- the caller */

/* Reports a process that ended without an answer. Returns -1. */
static int report_end(struct process *p, struct err *e)
{
    const struct shared *s = p->shared;
    const char *library = p->format->library;
    int status = 0;
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        ;
    p->pid = 0;
    if (s->signal == SIGPROF)
        return err_bad(e, "the file is probably damaged: %s could not finish reading it", library);
    const char *remedy = p->o->max_mem ? " (--max-mem may allow more)" : "";
    if ((s->signal && s->error == ENOMEM) || s->signal == SIGBUS)
        return err_set(e, ERR_MEMORY, "out of memory: %s crashed%s", library, remedy);
    if (s->signal && err_errno(s->error) == ERR_MACHINE && s->error == EIO)
        return err_set(e, ERR_MACHINE, "read error: %s crashed", library);
    if (!s->signal && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return err_set(e, ERR_MACHINE, "the process that reads this file with %s was killed",
                       library);
    return err_bad(e, "the file is probably damaged: %s crashed while reading it", library);
}

/* Waits for an answer. Returns 0, or -1 and sets *e if the process has ended. */
static int await(struct process *p, struct err *e)
{
    char done;
    ssize_t n;
    while ((n = recv(p->socket, &done, 1, 0)) < 0 && errno == EINTR)
        ;
    return n == 1 ? 0 : report_end(p, e);
}

/* Copies the common part of an answer. Most members are copied only after open(), because the
 * caller may change its info later. The names are copied from the first answer with names. Returns
 * 0 or -1. */
static int take(struct process *p, const struct answer *a, bool all, struct err *e)
{
    unsigned char *species = p->info->species;
    bool names = !species && a->info.species;
    p->b->offset = a->offset;
    p->b->done = a->done;
    if (all || names)
        *p->info = a->info;
    p->info->sorted = a->info.sorted;
    memcpy(p->info->note, a->info.note, sizeof p->info->note);
    p->info->species = species;
    if (!names || !p->species)
        return 0;
    if (!(p->info->species = malloc(p->info->natoms)))
        return err_memory(e, "the species");
    memcpy(p->info->species, p->species, p->info->natoms);
    return 0;
}

/* Starts the process. Returns 0 or -1. */
static int start(struct process *p, struct err *e)
{
    int pair[2];
    p->head_bytes = whole_pages(sizeof *p->shared);
    if (portable_channel(pair) != 0)
        return err_set(e, ERR_MACHINE, "cannot start a reader process: %s", strerror(errno));
    p->socket = pair[0];
    p->memory = portable_memory_file();
    if (p->memory >= 0 && ftruncate(p->memory, (off_t)p->head_bytes) == 0)
        p->shared = mmap(NULL, p->head_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p->memory, 0);
    p->shared = p->shared == MAP_FAILED ? NULL : p->shared;
    p->pid = p->shared ? fork() : -1;
    if (p->pid == 0) {
        p->socket = pair[1];
        serve(p);
    }
    int error = errno;
    close(pair[1]);
    return p->pid > 0
               ? 0
               : err_set(e, err_errno(error), "cannot start a reader process: %s", strerror(error));
}

static int process_open(void *self, struct err *e)
{
    struct process *p = self;
    p->socket = p->memory = -1;
    if (start(p, e) != 0 || await(p, e) != 0)
        return -1;
    const struct answer *a = p->shared->answer[0];
    p->turn = 1; /* the first answer switches to batch 0 */
    if (a->got < 0)
        return *e = a->err, -1;
    return map_species(p, a->info.natoms, false) == 0 ? take(p, a, true, e)
                                                      : err_memory(e, "the frames");
}

/* Takes the memory of a frame back from the caller. Returns the number of its buffer, or -1 and
 * sets *e. Memory that belongs to another reader, such as the reader of another file, is unmapped
 * and replaced by a new buffer. */
static int take_back(struct process *p, void *pos, struct err *e)
{
    int k = 0;
    while (k < p->nbuffers && !(p->buffer[k].lent && p->buffer[k].at == pos))
        k++;
    if (k == p->nbuffers) {
        if (k == BUFFERS || ftruncate(p->memory, buffer_offset(p, k + 1)) != 0)
            return err_memory(e, "the frames");
        p->nbuffers++;
        munmap(pos, p->buffer_bytes);
    }
    p->buffer[k].lent = false;
    return k;
}

/* Hands the frame in buffer k over to the caller. Returns 0 or -1. */
static int lend(struct process *p, int k, struct format_frame *f, struct err *e)
{
    unsigned char *at = map_buffer(p, k);
    if (!at)
        return err_memory(e, "the frames");
    p->buffer[k].lent = true;
    set_arrays(p, at, f);
    return 0;
}

static int process_next(void *self, struct format_frame *f, struct err *e)
{
    struct process *p = self;
    struct ask *ask = &p->ask;
    bool lends = f->pos != NULL; /* without `pos`, only checks whether a frame follows */
    ask->decode = f->decode;
    ask->hashed = f->hashed;
    if (lends) {
        int k = take_back(p, f->pos, e);
        if (k < 0)
            return -1;
        ask->buffer[ask->n++] = k;
        set_arrays(p, NULL, f);
    }
    if (p->taken == p->shared->count[p->turn]) {
        (void)!send(p->socket, ask, sizeof *ask, MSG_NOSIGNAL); /* await() reports errors */
        ask->n = 0;
        if (await(p, e) != 0)
            return -1;
        p->turn = !p->turn;
        p->taken = 0;
    }
    const struct answer *a = &p->shared->answer[p->turn][p->taken++];
    *f = a->f;
    set_arrays(p, NULL, f);
    f->decode = ask->decode;
    if (a->got < 0)
        *e = a->err;
    if (take(p, a, false, e) != 0)
        return -1;
    if (lends)
        return lend(p, a->buffer, f, e) == 0 ? a->got : -1;
    ask->buffer[ask->n++] = a->buffer;
    return a->got;
}

static void process_close(void *self)
{
    struct process *p = self;
    if (p->pid > 0) { /* the process may be reading ahead, and has no data to save */
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    for (int k = 0; k < p->nbuffers; k++)
        if (p->buffer[k].at && !p->buffer[k].lent)
            munmap(p->buffer[k].at, p->buffer_bytes);
    if (p->species)
        munmap(p->species, p->species_bytes);
    if (p->shared)
        munmap(p->shared, sizeof *p->shared);
    if (p->memory >= 0)
        close(p->memory);
    if (p->socket >= 0)
        close(p->socket);
}

const struct format format_process = {
    .size = sizeof(struct process),
    .open = process_open,
    .next = process_next,
    .close = process_close,
};
