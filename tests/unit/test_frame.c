/* SPDX-License-Identifier: MIT */
/* test_frame.c: tests headers, filters, totals, and the files that a failed writer leaves. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

#include "forge.h"
#include "stream/frame_codec.h"
#include "stream/frame_index.h"
#include "tap.h"

static struct err err;

static void test_header(void)
{
    struct wire_header h = {.codec = 1,
                            .filter = 2,
                            .seq = 77,
                            .offset = 24,
                            .raw = 16,
                            .stored = 9,
                            .raw_hash = 1,
                            .stored_hash = 2},
                       g;
    unsigned char wire[WIRE_HEADER];
    bool damaged;
    h.desc = (struct frame_desc){.type = FRAME_PAIR,
                                 .dtype = FRAME_F64,
                                 .ndim = 3,
                                 .dims = {1, 5, 1},
                                 .index = 1ull << 40,
                                 .time = 0.25,
                                 .flags = WIRE_LAST | FRAME_CRITICAL};
    wire_pack(&h, wire);
    int rc = wire_unpack(wire, &g, &damaged, &err);
    tap_ok(rc == 0 && g.desc.type == FRAME_PAIR && g.desc.index == h.desc.index &&
               g.desc.time == 0.25 && g.seq == 77 && g.raw == 16 && g.stored == 9 &&
               g.filter == 2 && !strcmp(g.desc.code, "PAIR"),
           "a header comes back (%s)", rc ? err.text : "");
    static const unsigned char start[] = {0x89, 'M', 'B', 'F', '\r', '\n', 0x1a, '\n', 1,
                                          0,    128, 0,   'P', 'A',  'I',  'R',  5};
    tap_ok(!memcmp(wire, start, sizeof start), "its first bytes are those of mbf(5)");
    wire[9] = 3;
    uint64_t hash = wire_hash(wire, 120);
    memcpy(wire + 120, &hash, 8);
    tap_ok(wire_unpack(wire, &g, &damaged, &err) == 0 && g.minor == 3,
           "a higher minor version is read");
    wire[8] = 2;
    hash = wire_hash(wire, 120);
    memcpy(wire + 120, &hash, 8);
    tap_ok(wire_unpack(wire, &g, &damaged, &err) == -1 && !damaged && strstr(err.text, "MBF 1") &&
               strstr(err.text, "MBF 2"),
           "another major version is refused, naming both");
    struct frame_desc d = {.dtype = FRAME_F64, .ndim = 3, .dims = {1ull << 32, 1ull << 31, 2}};
    tap_ok(frame_bytes(&d) == SIZE_MAX, "a product that overflows is no size");
    d.dims[1] = 0;
    tap_ok(frame_bytes(&d) == 0, "an array without elements has no bytes");
    struct frame_desc s = {.index = 100, .time = 100 * 0.01};
    tap_ok(frame_step_time(&s, 33, 0.01) == 133 * 0.01,
           "a step's time does not depend on its block");
}

/* Format 1.0 has zeros after the steps in END, where 1.1 stores the content hash of the input of a
 * part. */
static void test_end(void)
{
    for (size_t at = 112; at < WIRE_END; at += 8) {
        struct frame_totals end = {.steps = 3};
        unsigned char wire[WIRE_END];
        memcpy(wire, &end, WIRE_END);
        tap_ok(wire_unpack_end(wire, 0, &end, &err) == 0, "END of 1.0");
        wire[at] = 1;
        tap_ok(wire_unpack_end(wire, 1, &end, &err) == 0 &&
                   wire_unpack_end(wire, 0, &end, &err) == -1,
               "with more than it had, at %zu: %s", at, err.text);
    }
}

static void test_filters(void)
{
    enum { N = 4003 };
    static unsigned char in[N * 8], mid[N * 8], out[N * 8], packed[N * 8];
    for (int i = 0; i < N * 8; i++)
        in[i] = (unsigned char)((i * 2654435761u) >> (i % 24));
    int wrong = 0;
    static const enum frame_dtype type[] = {FRAME_U8, FRAME_F32, FRAME_F64};
    for (int t = 0; t < 3; t++)
        for (enum wire_filter f = WIRE_PLAIN; f <= WIRE_DELTA; f++)
            for (size_t row = 1; row < 2 * N; row += 1234) {
                size_t size = frame_dtype_size(type[t]);
                wire_apply(f, in, mid, N * size, size, row);
                wire_undo(f, mid, out, N * size, size, row);
                wrong += memcmp(in, out, N * size) != 0;
            }
    tap_ok(wrong == 0, "filters undo themselves");
    double *walk = (double *)(void *)in;
    for (int i = 0; i < N; i++)
        walk[i] = i < 3 ? i : walk[i - 3] + 0.5;
    struct frame_desc d = {.type = FRAME_POSN, .dtype = FRAME_F64, .ndim = 2, .dims = {N / 3, 3}};
    int f = codec_choose(&d, 6, in, sizeof in, packed, mid);
    size_t n = codec_deflate(&d, (enum wire_filter)f, 6, in, sizeof in, packed, mid);
    struct wire_header h = {
        .desc = d, .codec = 1, .filter = (unsigned)f, .raw = sizeof in, .stored = n};
    tap_ok(f == WIRE_DELTA && n > 0 && n < sizeof in / 10,
           "steady motion is best as delta: %zu of %zu bytes", n, sizeof in);
    tap_ok(codec_inflate(&h, packed, out, mid, &err) == 0 && !memcmp(in, out, sizeof in),
           "and comes back");
    h.raw--;
    tap_ok(codec_inflate(&h, packed, out, mid, &err) == -1,
           "a raw length that is too small is found: %s", err.text);
    h.raw += 2;
    tap_ok(codec_inflate(&h, packed, out, mid, &err) == -1, "one that is too large, too: %s",
           err.text);
    for (int i = 0; i < N * 8; i++)
        in[i] = (unsigned char)(wire_hash(&i, sizeof i) >> 7);
    tap_ok(codec_choose(&d, 6, in, sizeof in, packed, mid) == -1, "noise is left alone");
}

/* Writes a file with one array of n doubles. It ends in END (how = 0), ERR (2) or neither (1).
 * Returns the result of closing the file. */
static int write_file(const char *path, size_t n, int how, const struct frame_writer_opts *o,
                      struct frame_totals *t)
{
    int rc = 0;
    struct frame_writer *w = frame_create(path, o, &err);
    struct meta *m = meta_derive(NULL, "test", "1", "");
    double *v = malloc(n * sizeof *v + 1);
    for (size_t i = 0; i < n; i++)
        v[i] = (double)(i % 1000);
    struct frame_desc d = {
        .type = FRAME_SPEC, .dtype = FRAME_F64, .ndim = 2, .dims = {n, 1}, .time = NAN, .flags = 1};
    rc |= frame_put_meta(w, m) | frame_put(w, &d, v);
    if (how == 0)
        rc |= frame_end(w, FRAME_COMPLETE, NULL, NULL);
    if (how == 2)
        rc |= frame_fail(w, &(struct err){.status = ERR_BAD, .text = "no more"}, NULL);
    if (t)
        frame_writer_totals(w, t);
    meta_free(m);
    free(v);
    tap_ok(rc == 0, "written");
    return frame_close_writer(w, &err);
}

static int left_behind(const char *dir)
{
    char cmd[256];
    snprintf(cmd, sizeof cmd, "test -z \"$(ls -A %s)\"", dir);
    return system(cmd);
}

static void test_files(void)
{
    char dir[] = "/tmp/test_frame.XXXXXX", path[64];
    if (!mkdtemp(dir))
        abort();
    snprintf(path, sizeof path, "%s/f", dir);
    struct frame_writer_opts o = {.tool = "test", .threads = 1},
                             z = {.tool = "test", .threads = 3, .compress = 1};
    struct frame_totals a, b, c;
    tap_ok(write_file(path, 10, 1, &o, NULL) == -1 && !left_behind(dir),
           "without END nothing is left: %s", err.text);
    tap_ok(write_file(path, 10, 2, &o, NULL) == -1 && !left_behind(dir), "nor after ERR: %s",
           err.text);
    tap_ok(write_file(path, 3000000, 0, &o, &a) == 0, "with END the file is there");
    struct frame_reader *r = frame_open(path, NULL);
    struct forge_seen s, sz;
    tap_ok(frame_totals(r, &b) && a.frames == b.frames && !memcmp(a.stream_hash, b.stream_hash, 16),
           "its totals are known before it is read");
    forge_consume(r, &s);
    frame_close_reader(r);
    tap_ok(s.rc == 0 && s.events == 3 && b.arrays == 1 && b.raw_bytes == 24000000 && b.frames == 7,
           "an array in six parts is read");
    tap_ok(write_file(path, 3000000, 0, &z, &c) == 0 &&
               !memcmp(a.content_hash, c.content_hash, 16) && c.wire_bytes < a.wire_bytes / 4,
           "compressed it has the same content hash");
    z.threads = 1;
    struct frame_totals d;
    tap_ok(write_file(path, 3000000, 0, &z, &d) == 0 && !memcmp(c.stream_hash, d.stream_hash, 16),
           "and the same bytes for any number of threads");
    struct frame_reader_opts ro = {.threads = 3};
    r = frame_open(path, &ro);
    forge_consume(r, &sz);
    frame_close_reader(r);
    tap_ok(sz.rc == 0 && sz.digest == s.digest, "and the same data");
    ro.max_mem = 1 << 20;
    r = frame_open(path, &ro);
    forge_consume(r, &s);
    frame_close_reader(r);
    tap_ok(s.rc == -1 && s.err.status == ERR_MEMORY && strstr(s.err.text, "24000000"),
           "too large for --max-mem: %s", s.err.text);
    unlink(path);
    rmdir(dir);
}

/* Writes arrays of many sizes, some of which do not compress. Returns the bytes or NULL. */
static unsigned char *mixed_file(const char *path, int threads, size_t *n)
{
    static const size_t count[] = {0, 3, 40, 131072, 131072, 1200000, 131072, 1, 131072, 600000};
    struct frame_writer_opts o = {.tool = "test", .threads = threads, .compress = 1};
    int rc = 0;
    struct frame_writer *w = frame_create(path, &o, &err);
    struct meta *m = meta_derive(NULL, "test", "1", "");
    double *v = malloc(1200000 * sizeof *v);
    rc |= frame_put_meta(w, m);
    for (int k = 0; k < 30; k++) {
        struct frame_desc d = {.type = FRAME_SPEC,
                               .dtype = FRAME_F64,
                               .ndim = 2,
                               .dims = {count[k % 10], 1},
                               .index = (uint64_t)k,
                               .time = NAN,
                               .flags = FRAME_CRITICAL};
        for (size_t i = 0; i < count[k % 10]; i++) {
            uint64_t h = wire_hash(&i, sizeof i);
            v[i] = k % 10 == 6 ? (double)h * (double)k : (double)((i + (size_t)k) % 1000);
        }
        rc |= frame_put(w, &d, v);
        memset(v, 0xff, 4096); /* the array belongs to the caller again */
        if (k == 17)
            rc |= frame_flush(w);
    }
    rc |= frame_end(w, FRAME_COMPLETE, NULL, NULL) | frame_close_writer(w, &err);
    meta_free(m);
    free(v);
    FILE *f = rc ? NULL : fopen(path, "rb");
    unsigned char *p = malloc(100 << 20);
    *n = f ? fread(p, 1, 100 << 20, f) : 0;
    if (f)
        fclose(f);
    unlink(path);
    return p;
}

static void test_queue(void)
{
    char dir[] = "/tmp/test_frame.XXXXXX", path[64];
    size_t n, m;
    if (!mkdtemp(dir))
        abort();
    snprintf(path, sizeof path, "%s/f", dir);
    unsigned char *one = mixed_file(path, 1, &n);
    for (int threads = 2; threads < 8; threads += 2) {
        unsigned char *many = mixed_file(path, threads, &m);
        tap_ok(n > 1000000 && n == m && !memcmp(one, many, n),
               "%d threads write the bytes that one writes: %zu, %zu", threads, n, m);
        free(many);
    }
    free(one);
    rmdir(dir);
}

/* A reader of a pipe gets an array without a flush, before the end of the stream or another
 * array. */
static void test_live(void)
{
    struct frame_writer_opts o = {.tool = "test", .threads = 3, .compress = 1};
    int fd[2];
    char path[64];
    unsigned char head[WIRE_HEADER];
    struct wire_header h = {.stored = 0};
    bool damaged = true;
    if (pipe(fd))
        abort();
    snprintf(path, sizeof path, "/dev/fd/%d", fd[1]);
    struct frame_writer *w = frame_create(path, &o, &err);
    struct meta *m = meta_derive(NULL, "test", "1", "");
    static double v[4096];
    struct frame_desc d = {
        .type = FRAME_SPEC, .dtype = FRAME_F64, .ndim = 1, .dims = {4096}, .flags = 1};
    int rc = frame_put_meta(w, m);
    alarm(30); /* if an array were held back, the next lines would wait forever */
    for (int k = 0; k < 4 && rc == 0; k++) {
        rc = k > 0 ? frame_put(w, &d, v) : 0;
        for (size_t got = 0; got < sizeof head;)
            got += (size_t)read(fd[0], head + got, sizeof head - got);
        rc |= wire_unpack(head, &h, &damaged, &err);
        for (size_t left = (size_t)h.stored + wire_padding(h.stored); left > 0;)
            left -= (size_t)read(fd[0], head, left < sizeof head ? left : sizeof head);
    }
    alarm(0);
    tap_ok(rc == 0 && h.desc.type == FRAME_SPEC && h.codec == WIRE_ZLIB,
           "an array that is compressed goes out as it is put");
    rc = frame_end(w, FRAME_COMPLETE, NULL, NULL);
    tap_ok(rc == 0 && frame_close_writer(w, &err) == 0, "and the stream is whole");
    meta_free(m);
    close(fd[0]);
    close(fd[1]);
}

/* A write that fails on another thread is reported once, by the next call. */
static void test_full(void)
{
    static double v[40000];
    struct frame_writer_opts o = {.tool = "test", .threads = 3, .compress = 1};
    struct frame_desc d = {
        .type = FRAME_SPEC, .dtype = FRAME_F64, .ndim = 1, .dims = {40000}, .flags = 1};
    int fd[2], rc = 0;
    char path[64];
    if (pipe(fd))
        abort();
    snprintf(path, sizeof path, "/dev/fd/%d", fd[1]);
    struct frame_writer *w = frame_create(path, &o, &err);
    struct meta *m = meta_derive(NULL, "test", "1", "");
    rc = frame_put_meta(w, m);
    close(fd[0]); /* the pipe has no reader any more */
    signal(SIGPIPE, SIG_IGN);
    for (int k = 0; k < 4; k++)
        if (frame_put(w, &d, v))
            break;
    tap_ok(rc == 0 && frame_flush(w) == -1 && strstr(frame_writer_error(w)->text, "Broken pipe"),
           "a part that could not be written fails the flush: %s", frame_writer_error(w)->text);
    tap_ok(frame_put(w, &d, v) == -1 && frame_end(w, FRAME_COMPLETE, NULL, NULL) == -1 &&
               frame_fail(w, &(struct err){.status = ERR_BAD, .text = "more"}, NULL) == -1,
           "and all that comes after");
    tap_ok(frame_close_writer(w, &err) == -1 && strstr(err.text, "Broken pipe"), "%s", err.text);
    w = frame_create(path, &o, &err);
    tap_ok(w && frame_close_writer(w, &err) == -1, "nothing put, nothing to wait for");
    signal(SIGPIPE, SIG_DFL);
    meta_free(m);
    close(fd[1]);
}

/* Invalid contents of FILE.mbi: rows that do not ascend or point outside the file, and a parent
 * that is another stream of the same size and content. */
static void test_index(void)
{
    static double rows[][3][2] = {{{0, 1}, {5, 2}, {9, 3}},   {{0, 1}, {5, 1}, {9, 3}},
                                  {{0, 1}, {5, 3}, {9, 2}},   {{0, 1}, {5, 2}, {5, 3}},
                                  {{0, 1}, {9, 2}, {5, 3}},   {{1, 1}, {5, 2}, {9, 3}},
                                  {{0, 0}, {5, 2}, {9, 3}},   {{0, 1}, {5, 2}, {9.5, 3}},
                                  {{0, 1}, {5, 2.5}, {9, 3}}, {{0, 1}, {5, 2}, {9, 1e6}}};
    char dir[] = "/tmp/test_frame.XXXXXX", path[64], name[72];
    struct frame_writer_opts o = {.tool = "test"};
    struct frame_totals t;
    if (!mkdtemp(dir))
        abort();
    snprintf(path, sizeof path, "%s/f", dir);
    snprintf(name, sizeof name, "%s.mbi", path);
    write_file(path, 100, 0, &o, &t);
    for (int k = 0; k < 11; k++) {
        struct frame_index x = {.entry = rows[k % 10], .n = 3}, y;
        struct frame_reader *r = frame_open(path, NULL);
        t.stream_hash[3] ^= k == 10;
        int rc = frame_index_write(&x, path, frame_file_bytes(r), &t, &err);
        int got = rc ? -2 : frame_index_read(&y, r, &err);
        tap_ok(k == 0   ? got == 1 && y.n == 3 && y.entry[2][1] == 3
               : k < 10 ? got == -1 && strstr(err.text, "expected one table of ascending steps")
                        : got == -1 && strstr(err.text, "expected the index of "),
               "index %d: %s", k, k ? err.text : "good");
        if (got == 1)
            frame_index_free(&y);
        frame_close_reader(r);
    }
    unlink(name);
    unlink(path);
    o.index = true; /* a stream that does not end frees its index (LeakSanitizer) */
    struct frame_writer *w = frame_create(path, &o, &err);
    struct meta *m = meta_parse(FORGE_META, strlen(FORGE_META), NULL);
    struct frame_desc d = {
        .type = FRAME_POSN, .dtype = FRAME_F32, .ndim = 3, .dims = {1, 4, 3}, .flags = 1};
    static const float pos[12];
    int rc = frame_put_meta(w, m) | frame_put(w, &d, pos);
    tap_ok(rc == 0 && frame_close_writer(w, &err) == -1, "an index without an end");
    meta_free(m);
    rmdir(dir);
}

/* The END of a stream names the streams from which it was made. */
static void test_parents(void)
{
    const unsigned char a[16] = "parent number 1", b[16] = "parent number 2", none[16] = "";
    const unsigned char *given[][2] = {{NULL, NULL}, {a, NULL}, {NULL, b}, {a, b}};
    const unsigned char *want[][2] = {{none, none}, {a, none}, {b, none}, {a, b}};
    struct frame_writer_opts o = {.tool = "test"};
    for (int k = 0; k < 4; k++) {
        char path[] = "/tmp/test_frame.XXXXXX";
        struct frame_totals t = {0};
        struct frame f;
        int fd = mkstemp(path), rc;
        struct frame_writer *w = frame_create(path, &o, &err);
        struct meta *m = meta_derive(NULL, "test", "1", "");
        rc = frame_put_meta(w, m) || frame_end(w, FRAME_COMPLETE, given[k][0], given[k][1]) ||
             frame_close_writer(w, &err);
        struct frame_reader *r = frame_open(path, NULL);
        while (frame_next(r, &f) > 0)
            ;
        tap_ok(!rc && frame_totals(r, &t) && memcmp(t.parent_hash[0], want[k][0], 16) == 0 &&
                   memcmp(t.parent_hash[1], want[k][1], 16) == 0,
               "parents %d", k);
        frame_close_reader(r);
        meta_free(m);
        close(fd);
        unlink(path);
    }
}

/* Bytes in memory that are read a few at a time. Reading fails after `last` bytes. */
struct bytes {
    unsigned char p[1 << 15];
    size_t n, at, last;
};

static ssize_t into(void *to, const void *p, size_t n)
{
    struct bytes *b = to;
    n = n > 1000 ? 1000 : n > 1 ? n / 2 : n;
    if (b->n + n > b->last)
        return -1;
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return (ssize_t)n;
}

static ssize_t out_of(void *from, void *p, size_t n)
{
    struct bytes *b = from;
    n = n > 700 ? 700 : n;
    n = n > b->n - b->at ? b->n - b->at : n;
    if (b->at == b->last)
        return -1;
    memcpy(p, b->p + b->at, n);
    b->at += n;
    return (ssize_t)n;
}

/* Writes a stream of 1000 numbers to b. Returns 0, or -1 and sets err. */
static int write_into(struct bytes *b)
{
    struct frame_writer_opts o = {.tool = "test", .write = into, .to = b};
    struct frame_desc d = {.type = FRAME_SPEC, .dtype = FRAME_F64, .ndim = 2, .dims = {500, 2}};
    struct frame_writer *w = frame_create("a function", &o, &err);
    struct meta *m = meta_derive(NULL, "test", "1", "");
    double v[1000];
    for (int k = 0; k < 1000; k++)
        v[k] = sqrt(k);
    int rc =
        frame_put_meta(w, m) || frame_put(w, &d, v) || frame_end(w, FRAME_COMPLETE, NULL, NULL);
    meta_free(m);
    return frame_close_writer(w, &err) || rc ? -1 : 0;
}

/* Uses functions in place of files, one of which may fail. */
static void test_functions(void)
{
    static struct bytes b = {.last = sizeof b.p};
    struct frame_reader_opts o = {.read = out_of, .from = &b};
    struct frame f;
    double sum = 0;
    int rc = write_into(&b);
    tap_ok(rc == 0 && b.n > 8000, "a stream into a function: %zu bytes", b.n);
    struct frame_reader *r = frame_open("a function", &o);
    while ((rc = frame_next(r, &f)) > 0)
        for (size_t k = 0; f.data && k < f.bytes / 8; k++)
            sum += ((double *)f.data)[k] * ((double *)f.data)[k];
    tap_ok(rc == 0 && fabs(sum - 499500) < 1e-6, "and out of one: %g", sum);
    frame_close_reader(r);
    b.at = 0;
    b.last = 2100;
    r = frame_open("a function", &o);
    while ((rc = frame_next(r, &f)) > 0)
        ;
    tap_ok(rc < 0 && frame_error(r)->status == ERR_MACHINE &&
               strstr(frame_error(r)->text, "a function: "),
           "one that fails: %s", frame_error(r)->text);
    frame_close_reader(r);
    b.n = 0;
    b.last = 3000;
    tap_ok(write_into(&b) == -1 && err.status == ERR_MACHINE, "writing, too: %s", err.text);
}

static void test_misuse(void)
{
    struct frame_writer_opts o = {.tool = "test"};
    tap_ok(!frame_create("/nonexistent/x", &o, &err) && err.status == ERR_MACHINE,
           "no folder, no file: %s", err.text);
    struct frame_writer *w = frame_create("/dev/null", &o, &err);
    struct frame_desc d = {.type = FRAME_SPEC, .dtype = FRAME_F64, .ndim = 1, .dims = {1}};
    double v = 1;
    tap_ok(frame_put(w, &d, &v) == -1 && frame_end(w, FRAME_COMPLETE, NULL, NULL) == -1,
           "an array needs META: %s", frame_writer_error(w)->text);
    tap_ok(frame_close_writer(w, &err) == -1, "and the failure is remembered: %s", err.text);
    tap_ok(frame_close_writer(NULL, &err) == 0, "closing nothing is allowed");
    struct frame_reader *r = frame_open("/tmp", NULL);
    struct frame f;
    tap_ok(frame_next(r, &f) == -1 && frame_next(r, &f) == -1 &&
               frame_error(r)->status == ERR_MACHINE,
           "a folder is no stream: %s", frame_error(r)->text);
    frame_close_reader(r);
}

int main(void)
{
    test_header();
    test_end();
    test_filters();
    test_files();
    test_queue();
    test_live();
    test_full();
    test_index();
    test_parents();
    test_functions();
    test_misuse();
    return tap_done();
}
