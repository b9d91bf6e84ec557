/* SPDX-License-Identifier: MIT */
/* test_frame_faults.c: no truncation, flipped byte, forged field, or lost or moved frame gives a
 * result. */
#include "forge.h"
#include "tap.h"

enum { MAX_FRAMES = 64 };

struct span {
    size_t at, n;
};

/* Frames of a good stream. */
static int split(const struct forge *f, struct span *s)
{
    int n = 0;
    for (size_t at = 0; at < f->n && n < MAX_FRAMES; n++) {
        struct wire_header h;
        bool damaged;
        if (wire_unpack(f->p + at, &h, &damaged, NULL))
            abort();
        s[n] = (struct span){at, WIRE_HEADER + (size_t)h.stored + wire_padding(h.stored)};
        at += s[n].n;
    }
    return n;
}

static void test_cuts(const struct forge *f, size_t first_segment)
{
    int wrong = 0, word = 0;
    for (int through_pipe = 0; through_pipe < 2; through_pipe++)
        for (size_t n = 0; n < f->n; n++) {
            if (n == first_segment)
                continue; /* a whole stream, for which frame-cat --segments exists */
            struct forge_seen s = forge_read(f->p, n, through_pipe);
            wrong += s.rc != -1 || s.err.status != 2;
            word += strstr(s.err.text, n ? "TRUNCATED" : "empty input") == NULL;
            if (s.rc != -1 || (n && !strstr(s.err.text, "TRUNCATED")))
                printf("# cut at %zu (%s): rc %d status %d %s\n", n, through_pipe ? "pipe" : "file",
                       s.rc, s.err.status, s.err.text);
        }
    tap_ok(wrong == 0, "a stream cut at any of %zu bytes is refused with status 2", f->n);
    tap_ok(word == 0, "and called TRUNCATED");
}

static void test_flips(const struct forge *f)
{
    static const unsigned char mask[] = {0x01, 0x10, 0x80, 0xff};
    int wrong = 0, word = 0;
    for (size_t at = 0; at < f->n; at++)
        for (int m = 0; m < 4; m++) {
            f->p[at] ^= mask[m];
            struct forge_seen s = forge_read(f->p, f->n, m & 1);
            f->p[at] ^= mask[m];
            wrong += s.rc != -1 || s.err.status != 2;
            word += !strstr(s.err.text, "CORRUPT") && !strstr(s.err.text, "expected an MBF stream");
            if (s.rc != -1 ||
                (!strstr(s.err.text, "CORRUPT") && !strstr(s.err.text, "expected an MBF stream")))
                printf("# byte %zu ^ %02x: rc %d status %d %s\n", at, mask[m], s.rc, s.err.status,
                       s.err.text);
        }
    tap_ok(wrong == 0, "every flipped byte is found");
    tap_ok(word == 0, "and called CORRUPT (or no stream at all)");
}

static void rehash(unsigned char *header)
{
    uint64_t h = wire_hash(header, 120);
    memcpy(header + 120, &h, 8);
}

/* Changes each header byte and makes the hash valid. A stream that is still accepted must contain
 * the same data (bits that may be ignored). */
static void test_forged(const struct forge *f, const struct span *s, int n, uint64_t good)
{
    static const unsigned char value[] = {0x00, 0x01, 0x02, 0x04, 0x7f, 0x80, 0xff};
    int wrong = 0, tried = 0, accepted = 0;
    for (int k = 0; k < n; k++)
        for (int b = 0; b < 120; b++)
            for (int v = 0; v < 14; v++) {
                unsigned char *h = f->p + s[k].at, keep[WIRE_HEADER];
                memcpy(keep, h, WIRE_HEADER);
                h[b] = v < 7 ? value[v] : h[b] ^ value[v - 7];
                rehash(h);
                struct forge_seen seen = {0};
                if (memcmp(h, keep, WIRE_HEADER) != 0) {
                    seen = forge_read(f->p, f->n, v & 1);
                    tried++;
                    accepted += seen.rc == 0;
                    if (seen.rc == 0 ? seen.digest != good : seen.err.status != 2) {
                        wrong++;
                        printf("# frame %d byte %d: rc %d status %d %s\n", k, b, seen.rc,
                               seen.err.status, seen.err.text);
                    }
                }
                memcpy(h, keep, WIRE_HEADER);
            }
    tap_ok(wrong == 0,
           "%d forged header bytes never change what is read (%d in ignorable bits of END)", tried,
           accepted);
}

/* Does the same with an END that matches the changes. The reader may accept it, and must not
 * crash. */
static void test_forged_whole(const struct forge *f, const struct span *s, int n)
{
    int tried = 0, machine = 0;
    for (int k = 0; k + 1 < n; k++)
        for (int b = 8; b < 104; b++)
            for (int v = 0; v < 3; v++) {
                static const unsigned char value[] = {0x00, 0x40, 0xff};
                struct forge g = {0};
                forge_bytes(&g, f->p, s[n - 1].at);
                unsigned char *h = g.p + s[k].at;
                h[b] ^= value[v];
                rehash(h);
                g.seq = (uint64_t)n - 1;
                forge_end(&g, FRAME_COMPLETE);
                struct forge_seen seen = forge_read(g.p, g.n, v & 1);
                machine += seen.rc < 0 && seen.err.status != 2;
                tried++;
                free(g.p);
            }
    tap_ok(machine == 0,
           "%d forged headers with an END that agrees: survived, and no memory asked for in vain",
           tried);
}

/* Joins frames of f in the given order, which ends with -1, and reads them. */
static struct forge_seen reordered(const struct forge *f, const struct span *s, const int *order)
{
    struct forge g = {0};
    for (; *order >= 0; order++)
        forge_bytes(&g, f->p + s[*order].at, s[*order].n);
    struct forge_seen seen = forge_read(g.p, g.n, true);
    free(g.p);
    return seen;
}

static void test_moved(const struct forge *f, const struct span *s, int n)
{
    int order[2 * MAX_FRAMES], wrong = 0, tried = 0;
    for (int k = 0; k < n; k++) {
        int m = 0;
        for (int i = 0; i < n; i++)
            if (i != k)
                order[m++] = i;
        order[m] = -1;
        wrong += reordered(f, s, order).rc != -1; /* a frame is dropped */
        m = 0;
        for (int i = 0; i < n; i++) {
            order[m++] = i;
            if (i == k)
                order[m++] = i;
        }
        order[m] = -1;
        wrong += reordered(f, s, order).rc != -1; /* a frame occurs twice */
        tried += 2;
        for (int j = 0; j < k; j++, tried++) {
            for (int i = 0; i < n; i++)
                order[i] = i == k ? j : i == j ? k : i;
            order[n] = -1;
            wrong += reordered(f, s, order).rc != -1; /* two frames are swapped */
        }
    }
    tap_ok(wrong == 0, "%d streams with a frame lost, repeated or two exchanged are refused",
           tried);
}

/* Does the same with an END that agrees, so that only the sequence numbers are wrong. */
static void test_sequence(const struct forge *f, const struct span *s, int n)
{
    int wrong = 0, tried = 0;
    for (int k = 1; k < n - 1; k++)
        for (int twice = 0; twice < 2; twice++, tried++) {
            struct forge g = {0};
            for (int i = 0; i < n - 1; i++)
                for (int c = i != k ? 1 : 2 * twice; c > 0; c--)
                    forge_bytes(&g, f->p + s[i].at, s[i].n);
            g.seq = (uint64_t)n - 1;
            forge_end(&g, FRAME_COMPLETE);
            struct forge_seen seen = forge_read(g.p, g.n, true);
            wrong += seen.rc != -1 || !strstr(seen.err.text, "sequence number");
            free(g.p);
        }
    tap_ok(wrong == 0,
           "%d streams with a frame lost or repeated and an END that agrees: the sequence tells",
           tried);
}

/* Tests streams that break only one rule and are correct in everything else. */
static void test_single_rules(void)
{
    struct frame_desc d = {
        .type = FRAME_SPEC, .dtype = FRAME_F64, .ndim = 1, .dims = {2}, .flags = 1};
    double v[2] = {1, 2};
    struct forge g = {0};
    forge_array(&g, &d, v, 16, 0, 0);
    forge_end(&g, FRAME_COMPLETE);
    struct forge_seen s = forge_read(g.p, g.n, true);
    tap_ok(s.rc == -1 && strstr(s.err.text, "expected META"), "a segment without META");
    for (unsigned bit = 5; bit < 18; bit++) {
        g.n = 0;
        forge_meta(&g, FORGE_META);
        d.flags = 1 | 1u << bit;
        forge_array(&g, &d, v, 16, 0, 0);
        forge_end(&g, FRAME_COMPLETE);
        s = forge_read(g.p, g.n, true);
        tap_ok(bit < 16
                   ? s.rc == -1 && strstr(s.err.text,
                                          "expected only flags that this version supports") != NULL
                   : s.rc == 0,
               "flag bit %u is %s", bit, bit < 16 ? "refused" : "ignored");
    }
    free(g.p);
}

/* Reads a POSN whose second part has index, time, codec, filter and stored of `further`. */
static struct forge_seen further_part(struct wire_header further)
{
    static const float pos[3][4][3];
    const struct frame_desc d = {.type = FRAME_POSN,
                                 .dtype = FRAME_F32,
                                 .ndim = 3,
                                 .dims = {3, 4, 3},
                                 .index = further.desc.index,
                                 .time = further.desc.time,
                                 .flags = FRAME_CRITICAL};
    struct wire_header first = {.desc = d, .raw = 96, .stored = 96};
    struct forge g = {0};
    first.desc.index = 0;
    first.desc.time = 0.5;
    forge_meta(&g, FORGE_META);
    forge_frame(&g, &first, pos);
    further.desc = d;
    further.desc.flags |= WIRE_LAST;
    further.offset = 96;
    further.raw = 48;
    further.raw_hash = wire_hash(pos, 48);
    unsigned char packed[100];
    uLongf len = sizeof packed;
    (void)compress2(packed, &len, (const unsigned char *)pos, 48, 6);
    further.stored = further.stored ? further.stored : further.codec ? len : 48;
    further.stored -= further.stored == UINT64_MAX ? further.stored : 0;
    forge_frame(&g, &further, further.codec ? packed : (const unsigned char *)pos);
    forge_end(&g, FRAME_COMPLETE);
    struct forge_seen s = forge_read(g.p, g.n, true);
    free(g.p);
    return s;
}

static void test_further_parts(void)
{
    static const struct {
        struct wire_header h;
        const char *words;
    } bad[] = {
        {{.desc = {.time = 1.5}}, "expected the next part of POSN"},
        {{.desc = {.time = 0.5, .index = 3}}, "expected the next part of POSN"},
        {{.desc = {.time = 0.5}, .codec = 4}, "expected a codec from 0 to 3"},
        {{.desc = {.time = 0.5}, .codec = 1, .filter = 3}, "expected a codec from 0 to 3"},
        {{.desc = {.time = 0.5}, .filter = 1}, "expected a codec from 0 to 3"},
        {{.desc = {.time = 0.5}, .codec = 1, .stored = 49}, "compressed length that is possible"},
        {{.desc = {.time = 0.5}, .codec = 1, .stored = UINT64_MAX},
         "compressed length that is possible for 48 uncompressed bytes, found 0"}};
    tap_ok(further_part((struct wire_header){.desc = {.time = 0.5}}).rc == 0, "two parts");
    tap_ok(further_part((struct wire_header){.desc = {.time = 0.5}, .codec = 1}).rc == 0,
           "one of them compressed");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct forge_seen s = further_part(bad[k].h);
        tap_ok(s.rc == -1 && strstr(s.err.text, bad[k].words), "a further part: %s", s.err.text);
    }
}

/* META, ERR and END are not steps and have neither time nor index. */
static void test_control(void)
{
    for (int what = 0; what < 3; what++) {
        struct forge g = {0};
        struct wire_header h = {.raw = strlen(FORGE_META), .stored = strlen(FORGE_META)};
        h.desc = (struct frame_desc){.type = FRAME_META,
                                     .dtype = FRAME_UTF8,
                                     .ndim = 1,
                                     .dims = {strlen(FORGE_META)},
                                     .index = what == 1,
                                     .time = what == 2 ? 0.0 : NAN,
                                     .flags = FRAME_CRITICAL | WIRE_LAST};
        forge_frame(&g, &h, FORGE_META);
        forge_end(&g, FRAME_COMPLETE);
        struct forge_seen s = forge_read(g.p, g.n, true);
        tap_ok(what ? s.rc == -1 && strstr(s.err.text, "META without an index or a time")
                    : s.rc == 0,
               "META with %s",
               what == 0   ? "neither"
               : what == 1 ? "an index"
                           : "a time");
        free(g.p);
    }
}

/* An END with valid hashes that describes the segment wrongly, in one field at a time. */
static void test_end(const struct forge *f, size_t end)
{
    static const struct {
        int at;
        const char *words;
    } field[] = {{0, "number of frames"}, {8, "number of arrays"},   {16, "uncompressed bytes"},
                 {24, "number of bytes"}, {32, "stream hash"},       {48, "content hash"},
                 {96, "an END status"},   {100, "at most 2 inputs"}, {104, "number of steps"}};
    unsigned char *h = f->p + end, keep[WIRE_TAIL];
    memcpy(keep, h, WIRE_TAIL);
    for (size_t k = 0; k < sizeof field / sizeof *field; k++) {
        h[WIRE_HEADER + field[k].at] ^= 0x40;
        uint64_t hash = wire_hash(h + WIRE_HEADER, WIRE_END);
        memcpy(h + 104, &hash, 8);
        memcpy(h + 112, &hash, 8);
        rehash(h);
        for (int pipe = 0; pipe < 2; pipe++) {
            struct forge_seen s = forge_read(f->p, f->n, pipe);
            tap_ok(s.rc == -1 && strstr(s.err.text, field[k].words), "END is told by its %s%s",
                   field[k].words, pipe ? ", through a pipe" : "");
        }
        memcpy(h, keep, WIRE_TAIL);
    }
}

/* Replaces frame k of one stream by frame k of another stream. */
static void test_spliced(const struct forge *f, const struct span *s, int n)
{
    int wrong = 0, tried = 0;
    struct forge g = {0};
    static const char other[] =
        "sys.cell\t9 0 0 0 9 0 0 0 9\nsys.dt_ps\t0.5\nsys.natoms\t4\nsys.pbc\tTTF\n";
    float pos[3][4][3] = {{{1}}};
    struct frame_desc d = {
        .type = FRAME_POSN, .dtype = FRAME_F32, .ndim = 3, .dims = {3, 4, 3}, .flags = 1};
    forge_meta(&g, other);
    for (int k = 0; k < 6; k++)
        forge_array(&g, &d, pos, 1 << 20, 0, 0);
    forge_end(&g, FRAME_COMPLETE);
    struct span t[MAX_FRAMES];
    int m = split(&g, t);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < m; j++, tried++) {
            struct forge x = {0};
            forge_bytes(&x, f->p, s[k].at);
            forge_bytes(&x, g.p + t[j].at, t[j].n);
            forge_bytes(&x, f->p + s[k].at + s[k].n, f->n - s[k].at - s[k].n);
            wrong += forge_read(x.p, x.n, true).rc != -1;
            free(x.p);
        }
    for (int k = 1; k < n; k++) /* the beginning of one stream and the end of the other */
        for (int j = 1; j < m; j++, tried++) {
            struct forge x = {0};
            forge_bytes(&x, f->p, s[k].at);
            forge_bytes(&x, g.p + t[j].at, g.n - t[j].at);
            wrong += forge_read(x.p, x.n, true).rc != -1;
            free(x.p);
        }
    free(g.p);
    tap_ok(wrong == 0, "%d splices of two streams are refused", tried);
}

static void test_cat(const struct forge *f, const struct span *s, int n)
{
    struct forge g = {0};
    forge_bytes(&g, f->p, f->n);
    forge_bytes(&g, f->p, f->n);
    struct forge_seen both = forge_read(g.p, g.n, true);
    tap_ok(both.rc == 0 && both.segments == 2, "cat A B is two whole segments");
    g.n = 0;
    forge_bytes(&g, f->p, s[n - 1].at); /* stream A without its END */
    forge_bytes(&g, f->p, f->n);
    struct forge_seen cut = forge_read(g.p, g.n, true);
    tap_ok(cut.rc == -1 && strstr(cut.err.text, "CORRUPT"),
           "a cut stream with a good one behind it is refused");
    g.n = 0;
    forge_bytes(&g, f->p, f->n);
    forge_bytes(&g, "\n", 1);
    tap_ok(forge_read(g.p, g.n, true).rc == -1, "one byte after END is refused");
    g.n = 0;
    forge_bytes(&g, "x", 1);
    forge_bytes(&g, f->p, f->n);
    tap_ok(forge_read(g.p, g.n, false).rc == -1, "one byte before META is refused");
    g.n = 0;
    forge_bytes(&g, f->p, f->n);
    forge_bytes(&g, f->p + s[n - 1].at, s[n - 1].n);
    tap_ok(forge_read(g.p, g.n, false).rc == -1, "END twice is refused");
    free(g.p);
}

int main(void)
{
    struct forge f = {0}, two = {0};
    struct span s[MAX_FRAMES];
    forge_sample(&f, FRAME_COMPLETE);
    int n = split(&f, s);
    struct forge_seen good = forge_read(f.p, f.n, false), piped = forge_read(f.p, f.n, true);
    if (!tap_ok(good.rc == 0 && good.events == 7, "the sample of %d frames, %zu bytes, is whole", n,
                f.n))
        printf("# %d %u %s\n", good.rc, good.events, good.err.text);
    tap_ok(piped.rc == 0 && piped.digest == good.digest, "through a pipe too");
    forge_sample(&two, FRAME_COMPLETE);
    forge_sample(&two, FRAME_LIMITED);
    test_cuts(&two, f.n);
    test_flips(&f);
    test_forged(&f, s, n, good.digest);
    test_forged_whole(&f, s, n);
    test_moved(&f, s, n);
    test_sequence(&f, s, n);
    test_single_rules();
    test_further_parts();
    test_control();
    test_end(&f, s[n - 1].at);
    test_spliced(&f, s, n);
    test_cat(&f, s, n);
    free(f.p);
    free(two.p);
    return tap_done();
}
