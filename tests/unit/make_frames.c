/* SPDX-License-Identifier: MIT */
/*
 * make_frames.c KIND: writes to stdout a stream that no program of mbf writes, for the bats files
 * and the fuzz corpus. The kinds are sample, limited, partial, two (segments), err (received ERR),
 * critical, dropped (unknown types), empty (no array), big (64 MiB of positions that do not
 * compress), big-nan (atom 1,
 * y of step 400000 of them), bomb (64 MiB
 * of zeros in one part), sums (a CORR segment), pairs, nan (atom 2, z of step 2), unknown and
 * unknown-sums (unknown arrays of every kind but critical behind POSN and CORR), velocities (blocks
 * of 3 and 2 steps, POSN and VELO), other-velocities (those of other steps), scalars, other-scalars
 * (the same with SCAL), scalars-more and scalars-nan (q6 of atom 2 in step 3 is 0.25 more, or NaN),
 * series (SERI, in blocks of 3 and 2 steps), series-other (0.001 more in column two), uneven
 * (blocks of 4 steps, each step k of 30 at k (k + 1) / 100 ps, with a cell of its own).
 */
#include "forge.h"

static void forge_put(struct forge *f, enum frame_type type, const char *code,
                      enum frame_dtype dtype, uint32_t flags, uint64_t a, uint64_t b, uint64_t c,
                      const void *data, unsigned codec, unsigned filter)
{
    struct frame_desc d = {
        .type = type, .dtype = dtype, .ndim = 3, .dims = {a, b, c}, .time = 0, .flags = flags};
    memcpy(d.code, code, 5);
    forge_array(f, &d, data, 64 << 20, codec, filter);
}

/* Arrays of unknown types after arrays of known types. NEWS must not be copied, but MORE may be. */
static void unknown(struct forge *f, bool sums)
{
    static const double data[64] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
    static const uint64_t counts[4] = {9, 8, 9, 8};
    forge_meta(f, FORGE_META);
    if (sums) {
        struct frame_desc n = {.type = FRAME_CORR,
                               .dtype = FRAME_U64,
                               .ndim = 2,
                               .dims = {2, 2},
                               .flags = FRAME_CRITICAL,
                               .code = "CORR"};
        struct frame_desc g = n;
        g.dtype = FRAME_F64;
        g.ndim = 4;
        g.dims[2] = 1;
        g.dims[3] = 4;
        forge_array(f, &n, counts, 64 << 20, 0, 0);
        forge_array(f, &g, data, 64 << 20, 0, 0);
    } else {
        forge_put(f, FRAME_POSN, "POSN", FRAME_F64, FRAME_CRITICAL, 1, 4, 3, data, 0, 0);
    }
    forge_put(f, FRAME_OTHER, "NEWS", FRAME_F64, 0, 2, 2, 2, data, 0, 0);
    forge_put(f, FRAME_OTHER, "NEWS", FRAME_F64, 0, 2, 2, 2, data, 0, 0);
    forge_put(f, FRAME_OTHER, "MORE", FRAME_F64, FRAME_COPYSAFE, 1, 4, 3, data, 0, 0);
    forge_end(f, FRAME_COMPLETE);
}

/* Five steps in two blocks. The position of atom i along axis a at step k is k + i/10 + a/100, and
 * its velocity is ten times that. The two scalars are x and -y. A series has k and k squared. */
static void five_steps(struct forge *f, const char *kind)
{
    static const char series[] = "data.columns\tone two\ndata.quantity\tseries\nsys.dt_ps\t0.5\n";
    static const char scalars[] = "data.scalars\tcharge:e q6:1\n" FORGE_META;
    bool seri = !strncmp(kind, "series", 6), scal = strstr(kind, "scalars");
    forge_meta(f, seri ? series : scal ? scalars : FORGE_META);
    for (int first = 0; first < 5; first += 3) {
        double pos[3 * 12], velo[3 * 12], row[3 * 2], two[3 * 4][2];
        uint64_t n = first ? 2 : 3;
        for (int j = 0; j < (int)n * 12; j++) {
            pos[j] = first + j / 12 + 0.1 * (j % 12 / 3) + 0.01 * (j % 3);
            velo[j] = 10 * pos[j];
            if (j % 3 < 2)
                two[j / 3][j % 3] = j % 3 ? -pos[j] : pos[j];
        }
        if (first && scal && kind[7] == '-') /* step 3, atom 2 */
            two[2][1] = kind[8] == 'm' ? two[2][1] + 0.25 : NAN;
        for (int k = 0; k < (int)n; k++) {
            row[2 * k] = first + k;
            row[2 * k + 1] = (first + k) * (first + k) + (kind[6] == '-' ? 0.001 : 0);
        }
        struct frame_desc d = {.type = FRAME_POSN,
                               .dtype = FRAME_F64,
                               .ndim = 3,
                               .dims = {n, 4, 3},
                               .index = (uint64_t)first,
                               .time = 0.5 * first,
                               .flags = FRAME_CRITICAL};
        struct frame_desc v = d, s = d, q = d;
        q.type = FRAME_SCAL;
        q.dims[2] = 2;
        q.index += *kind == 'o';
        v.type = FRAME_VELO;
        v.flags = FRAME_COPYSAFE;
        v.index += *kind == 'o';
        s.type = FRAME_SERI;
        s.ndim = 2;
        s.dims[1] = 2;
        s.dims[2] = 0;
        if (seri) {
            forge_array(f, &s, row, 64 << 20, 0, 0);
        } else {
            if (!scal)
                forge_array(f, &v, velo, 64 << 20, 0, 0);
            else
                forge_array(f, &q, two, 64 << 20, 0, 0);
            forge_array(f, &d, pos, 64 << 20, 0, 0);
        }
    }
    forge_end(f, FRAME_COMPLETE);
}

static void uneven(struct forge *f)
{
    forge_meta(f, "data.quantity\tpositions\nsys.cell\t9 0 0 0 9 0 0 0 9\nsys.natoms\t4\n"
                  "sys.pbc\tTTT\n");
    for (int first = 0; first < 30; first += 4) {
        double pos[4 * 12], time[4], cell[4][9] = {{0}};
        uint64_t n = first < 28 ? 4 : 2;
        for (int j = 0; j < (int)n * 12; j++)
            pos[j] = 5 * sin(first * 12 + j);
        for (int k = 0; k < (int)n; k++) {
            time[k] = (first + k) * (first + k + 1) / 100.0;
            cell[k][0] = cell[k][4] = cell[k][8] = 9 + 0.01 * (first + k);
        }
        struct frame_desc d = {.type = FRAME_POSN,
                               .dtype = FRAME_F64,
                               .ndim = 3,
                               .dims = {n, 4, 3},
                               .index = (uint64_t)first,
                               .time = time[0],
                               .flags = FRAME_CRITICAL};
        struct frame_desc t = d, c = d;
        t.type = FRAME_TIME;
        t.ndim = 1;
        t.dims[1] = t.dims[2] = 0;
        c.type = FRAME_CELL;
        c.ndim = 2;
        c.dims[1] = 9;
        c.dims[2] = 0;
        forge_array(f, &t, time, 64 << 20, 0, 0);
        forge_array(f, &c, cell, 64 << 20, 0, 0);
        forge_array(f, &d, pos, 64 << 20, 0, 0);
    }
    forge_end(f, FRAME_COMPLETE);
}

static void special(struct forge *f, const char *kind)
{
    static double big[1 << 16];
    for (int k = 0; k < 1 << 16; k++)
        big[k] = sin(0.001 * k);
    forge_meta(f, FORGE_META);
    const char *err =
        "err.exit\t3\nerr.hop\tg4-cpu\nerr.msg\tdisk\\tfull\nerr.seq\t1\nerr.tool\tbeta-gen\n";
    if (!strcmp(kind, "err"))
        forge_control(f, FRAME_ERR, err, strlen(err));
    if (!strcmp(kind, "critical") || !strcmp(kind, "dropped"))
        forge_put(f, FRAME_OTHER, "NEWS", FRAME_F64, kind[0] == 'c' ? FRAME_CRITICAL : 0, 2, 2, 2,
                  big, 0, 0);
    if (!strcmp(kind, "bomb")) {
        void *zeros = calloc(64, 1 << 20);
        forge_put(f, FRAME_POSN, "POSN", FRAME_F32, FRAME_CRITICAL, (64 << 20) / 48 - 1, 4, 3,
                  zeros, 1, 0);
        free(zeros);
    }
    if (!strncmp(kind, "big", 3)) {
        uint32_t *words = malloc(64 << 20), x = 1;
        for (size_t k = 0; k < 16 << 20; k++) {
            x = x * 1664525u + 1013904223u;
            words[k] = 0x41000000u | x >> 9; /* 8 to 16 Å */
        }
        if (kind[3]) /* step 400000 - 4 * 87381 in block 4 */
            words[((size_t)4 << 20) + 12 * (400000 - 4 * 87381) + 4] = 0x7fc00000u;
        for (unsigned k = 0; k < 16; k++) { /* blocks of 4 MiB less 16 bytes */
            struct frame_desc d = {.type = FRAME_POSN,
                                   .dtype = FRAME_F32,
                                   .ndim = 3,
                                   .dims = {87381, 4, 3},
                                   .index = 87381 * k,
                                   .time = 87381 * 0.5 * k,
                                   .flags = FRAME_CRITICAL};
            forge_array(f, &d, words + ((size_t)k << 20), FRAME_PART_BYTES, 0, 0);
        }
        free(words);
    }
    if (!strcmp(kind, "badzlib")) { /* every hash is correct except that of the decompressed data */
        size_t at = f->n;
        forge_put(f, FRAME_POSN, "POSN", FRAME_F64, FRAME_CRITICAL, 200, 4, 3, big, 1, 0);
        uint64_t stored, hash;
        unsigned char *h = f->p + at;
        memcpy(&stored, h + 96, 8);
        memset(h + WIRE_HEADER + stored / 2, 0xff, 16);
        hash = wire_hash(h + WIRE_HEADER, (size_t)stored);
        memcpy(h + 112, &hash, 8);
        hash = wire_hash(h, 120);
        memcpy(h + 120, &hash, 8);
    }
    if (!strcmp(kind, "pairs")) {
        forge_put(f, FRAME_PAIR, "PAIR", FRAME_F64, FRAME_CRITICAL, 7, 2, 6, big, 1, 2);
        forge_put(f, FRAME_PAIR, "PAIR", FRAME_F64, FRAME_CRITICAL, 1, 2, 6, big, 1, 1);
    }
    if (!strcmp(kind, "nan")) {
        big[2 * 12 + 8] = NAN;
        forge_put(f, FRAME_POSN, "POSN", FRAME_F64, FRAME_CRITICAL, 3, 4, 3, big, 0, 0);
    }
    if (!strcmp(kind, "sums")) {
        uint64_t counts[4] = {9, 8, 9, 8};
        forge_put(f, FRAME_CORR, "CORR", FRAME_U64, FRAME_CRITICAL, 2, 2, 1, counts, 0, 0);
        forge_put(f, FRAME_CORR, "CORR", FRAME_F64, FRAME_CRITICAL, 4, 1, 4, big, 0, 0);
    }
    if (strcmp(kind, "err") != 0)
        forge_end(f, FRAME_COMPLETE);
}

int main(int argc, char **argv)
{
    struct forge f = {0};
    const char *kind = argc > 1 ? argv[1] : "sample";
    if (!strcmp(kind, "sample") || !strcmp(kind, "limited") || !strcmp(kind, "partial"))
        forge_sample(&f, kind[0] == 's'   ? FRAME_COMPLETE
                         : kind[0] == 'l' ? FRAME_LIMITED
                                          : FRAME_PARTIAL);
    else if (!strcmp(kind, "two")) {
        forge_sample(&f, FRAME_COMPLETE);
        forge_sample(&f, FRAME_LIMITED);
    } else if (!strncmp(kind, "unknown", 7))
        unknown(&f, !strcmp(kind, "unknown-sums"));
    else if (strstr(kind, "velocities") || strstr(kind, "scalars") || !strncmp(kind, "series", 6))
        five_steps(&f, kind);
    else if (!strcmp(kind, "uneven"))
        uneven(&f);
    else
        special(&f, kind);
    size_t n = fwrite(f.p, 1, f.n, stdout);
    int bad = n != f.n || fclose(stdout) != 0;
    free(f.p);
    return bad ? 3 : 0;
}
