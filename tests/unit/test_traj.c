/* SPDX-License-Identifier: MIT */
/* test_traj.c: writes and reads blocks of steps, and tests every check on which programs rely. */
#include "forge.h"
#include "stream/scalars.h"
#include "stream/traj.h"
#include "tap.h"

enum { ATOMS = 4 };

static struct frame_writer *create(const char *path)
{
    struct frame_writer_opts o = {.tool = "test"};
    struct meta *m = meta_parse(FORGE_META, strlen(FORGE_META), NULL);
    struct frame_writer *w = frame_create(path, &o, NULL);
    if (!w || frame_put_meta(w, m))
        abort();
    meta_free(m);
    return w;
}

/* Writes `steps` steps. The cell grows from step `grow` on, and times leave the stride from step
 * `odd` on. */
static void write_file(const char *path, int steps, int grow, int odd)
{
    struct frame_writer *w = create(path);
    double cell[9] = {9, 0, 0, 0, 9, 0, 0, 0, 9};
    int pbc[3] = {1, 1, 1}, rc = 0;
    struct box b0, b;
    box_init(&b0, cell, pbc);
    struct traj_writer *t = traj_writer_new(w, ATOMS, FRAME_F32, 0.5, &b0);
    for (int k = 0; k < steps; k++) {
        float pos[ATOMS][3];
        for (int i = 0; i < 3 * ATOMS; i++)
            ((float *)pos)[i] = (float)(k + 0.01 * i);
        cell[0] = k < grow ? 9 : 9 + 1e-3 * (k - grow + 1);
        box_init(&b, cell, pbc);
        rc |=
            traj_put(t, (uint64_t)k + 7, 0.5 * (k + 7) + (k >= odd ? 0.3 : 0), &b, pos, NULL, NULL);
    }
    rc |= traj_flush(t) | frame_end(w, FRAME_COMPLETE, NULL, NULL);
    traj_writer_free(t);
    if (rc || frame_close_writer(w, NULL))
        abort();
}

/* Reads all steps and checks their index, time, cell and positions. Returns the number of steps, or
 * -1 and sets e. */
static long read_file(const char *path, int grow, uint64_t seek, struct err *e, int *wrong)
{
    int rc = 0;
    struct traj_block b;
    struct frame_reader *r = frame_open(path, NULL);
    struct traj_reader *t = traj_open(r, FRAME_POSN, e);
    long n = -1;
    *wrong = 0;
    if (t) {
        traj_seek(t, seek);
        while ((rc = traj_next(t, &b, NULL)) > 0)
            for (size_t s = 0; s < b.nsteps; s++) {
                uint64_t k = b.index + s - 7;
                const float *p = (const float *)b.data + s * 3 * ATOMS;
                *wrong += b.time[s] != 0.5 * (double)(k + 7) || p[5] != (float)((double)k + 0.05);
                double want = (int)k < grow ? 9 : 9 + 1e-3 * ((int)k - grow + 1);
                *wrong += b.box[s].h[0][0] != want;
            }
        n = rc < 0 ? -1 : (long)traj_steps(t);
        if (rc < 0)
            *e = *traj_error(t);
        *wrong += n >= 0 && traj_expected(t) != (uint64_t)n;
    }
    traj_close(t);
    frame_close_reader(r);
    return n;
}

/* A forged segment of one block must be refused with `word` in the message. */
static void refused(const char *what, const char *meta, const struct frame_desc *d,
                    const void *data, const char *word)
{
    struct forge f = {0};
    char path[64];
    struct err e = {0};
    int fd = portable_memory_file();
    struct traj_block b;
    forge_meta(&f, meta);
    for (; d->ndim; d++)
        forge_array(&f, d, data, 1 << 20, 0, 0);
    forge_end(&f, FRAME_COMPLETE);
    if (pwrite(fd, f.p, f.n, 0) != (ssize_t)f.n)
        abort();
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    struct frame_reader *r = frame_open(path, NULL);
    struct traj_reader *t = traj_open(r, FRAME_POSN, &e);
    int rc = t ? 1 : -1;
    while (t && (rc = traj_next(t, &b, NULL)) > 0)
        ;
    if (t && rc < 0)
        e = *traj_error(t);
    if (!tap_ok(rc == -1 && e.status == ERR_BAD && strstr(e.text, word), "refused: %s", what))
        printf("# rc %d status %d %s\n", rc, e.status, e.text);
    traj_close(t);
    frame_close_reader(r);
    close(fd);
    free(f.p);
}

static void test_refusals(void)
{
    static double data[64];
#define POSN(F, N, T)                                                                              \
    {                                                                                              \
        .type = FRAME_POSN, .dtype = FRAME_F64, .ndim = 3, .dims = {F, N, 3}, .time = T,           \
        .flags = 1                                                                                 \
    }
    struct frame_desc good[] = {POSN(2, 4, 0), {0}};
    struct frame_desc atoms[] = {POSN(2, 5, 0), {0}}, gap[] = {POSN(2, 4, 0), POSN(2, 4, 2), {0}};
    struct frame_desc ints[] = {POSN(2, 4, 0), {0}}, two[] = {POSN(2, 4, 0), POSN(2, 4, 1), {0}};
    struct frame_desc time[] = {
        {.type = FRAME_TIME, .dtype = FRAME_F64, .ndim = 1, .dims = {3}}, POSN(2, 4, 0), {0}};
    struct frame_desc cell[] = {
        {.type = FRAME_CELL, .dtype = FRAME_F64, .ndim = 2, .dims = {2, 9}}, POSN(2, 4, 0), {0}};
    struct frame_desc lone[] = {{.type = FRAME_TIME, .dtype = FRAME_F64, .ndim = 1, .dims = {2}},
                                {0}};
    struct frame_desc pair[] = {
        {.type = FRAME_PAIR, .dtype = FRAME_F64, .ndim = 3, .dims = {2, 1, 6}, .flags = 1}, {0}};
    ints[0].dtype = FRAME_I64;
    two[1].dtype = FRAME_F32;
    refused("another number of atoms", FORGE_META, atoms, data, "4 atoms");
    refused("steps missing between blocks", FORGE_META, gap, data, "frame 2: expected time 1 ps");
    refused("whole numbers", FORGE_META, ints, data, "f32 or f64");
    refused("two dtypes", FORGE_META, two, data, "first block");
    refused("TIME of another length", FORGE_META, time, data, "TIME");
    refused("a CELL of zeros", FORGE_META, cell, data, "cell");
    refused("TIME without a block", FORGE_META, lone, data, "END");
    refused("pair tables", FORGE_META, pair, data, "POSN");
    refused("no sys.natoms", "sys.dt_ps\t0.5\n", good, data, "sys.natoms");
    refused("sys.natoms 0", "sys.natoms\t0\n", good, data, "sys.natoms");
    refused("a negative stride", "sys.dt_ps\t-1\nsys.natoms\t4\n", good, data, "sys.dt_ps");
    refused("eight numbers in sys.cell", "sys.cell\t9 0 0 0 9 0 0 0\nsys.natoms\t4\n", good, data,
            "sys.cell");
    refused("a left-handed cell", "sys.cell\t9 0 0 0 9 0 0 0 -9\nsys.natoms\t4\nsys.pbc\tTTT\n",
            good, data, "right-handed");
    refused("periodic without a cell", "sys.natoms\t4\nsys.pbc\tTTT\n", good, data, "sys.cell");
    data[12 + 3 * 2 + 1] = NAN;
    refused("NaN", FORGE_META, good, data,
            "frame 1: expected finite positions, found a non-finite value at atom 2, y");
    data[12 + 3 * 2 + 1] = -HUGE_VAL;
    refused("infinity", FORGE_META, good, data, "atom 2, y");
}

/* Writes steps without velocities, then with, and then without. Blocks have velocities for all
 * steps or for none. */
static void test_velocities(const char *path)
{
    enum { STEPS = 9 };
    struct frame_writer *w = create(path);
    struct traj_writer *t = traj_writer_new(w, ATOMS, FRAME_F64, 0.5, NULL);
    struct traj_block b;
    int rc = 0, wrong = 0, with = 0, blocks = 0;
    for (int k = 0; k < STEPS; k++) {
        double pos[3 * ATOMS], velo[3 * ATOMS];
        for (int i = 0; i < 3 * ATOMS; i++) {
            pos[i] = k + 0.01 * i;
            velo[i] = -pos[i];
        }
        rc |= traj_put(t, (uint64_t)k, 0.5 * k, NULL, pos, k >= 3 && k < 6 ? velo : NULL, NULL);
    }
    rc |= traj_flush(t) | frame_end(w, FRAME_COMPLETE, NULL, NULL);
    traj_writer_free(t);
    rc |= frame_close_writer(w, NULL);
    struct frame_reader *r = frame_open(path, NULL);
    struct traj_reader *in = traj_open(r, FRAME_OTHER, NULL);
    while (in && traj_next(in, &b, NULL) > 0) {
        const double *pos = b.data, *velo = b.velocities;
        wrong += (velo != NULL) != (b.index == 3);
        with += velo != NULL;
        blocks++;
        for (size_t i = 0; velo && i < b.nsteps * 3 * ATOMS; i++)
            wrong += velo[i] != -pos[i];
    }
    tap_ok(rc == 0 && blocks == 3 && with == 1 && wrong == 0 && in && !traj_error(in)->status,
           "velocities come back with their steps");
    traj_close(in);
    frame_close_reader(r);
}

/* Scalars are returned with the steps of any piece and slice. A reader that does not request them
 * skips them. */
static void test_scalars(const char *path)
{
    enum { STEPS = 40000, FROM = 16000, WIDTH = 2 };
    struct frame_writer_opts o = {.tool = "test"};
    struct meta *m = meta_parse(FORGE_META, strlen(FORGE_META), NULL);
    struct frame_writer *w = frame_create(path, &o, NULL);
    struct err e;
    struct scalar names[SCALARS_MAX];
    int rc = scalars_add(m, "charge", "e", &e) | scalars_add(m, "q6", "1", &e), wrong = 0, n = 0;
    tap_ok(rc == 0 && scalars_read(m, names, &e) == WIDTH && !strcmp(names[1].name, "q6") &&
               !strcmp(names[0].unit, "e"),
           "scalars are named in META with their units");
    tap_ok(w && frame_put_meta(w, m) == 0, "a stream with scalars begins");
    struct traj_writer *t = traj_writer_new(w, ATOMS, FRAME_F32, 0.5, NULL);
    rc |= traj_writer_scalars(t, WIDTH);
    for (int k = 0; k < STEPS; k++) {
        float pos[3 * ATOMS] = {(float)k}, scal[WIDTH * ATOMS];
        for (int i = 0; i < WIDTH * ATOMS; i++)
            scal[i] = i == 3 ? NAN : (float)(k + 0.01 * i);
        rc |= traj_put(t, (uint64_t)k, 0.5 * k, NULL, pos, NULL, scal);
    }
    rc |= traj_flush(t) | frame_end(w, FRAME_COMPLETE, NULL, NULL);
    traj_writer_free(t);
    rc |= frame_close_writer(w, NULL);
    for (int wants = 0; wants < 2; wants++) {
        struct traj_block b;
        struct frame_reader *r = frame_open(path, NULL);
        struct traj_reader *in = traj_open(r, wants ? FRAME_SCAL : FRAME_VELO, NULL);
        traj_slice(in, FROM, STEPS);
        wrong += traj_info(in)->nscalars != (wants ? WIDTH : 0);
        for (n = 0; traj_next(in, &b, NULL) > 0; n += (int)b.nsteps) {
            const float *scal = b.scalars;
            wrong += (scal != NULL) != wants;
            for (size_t i = 0; scal && i < b.nsteps * ATOMS * WIDTH; i++) {
                size_t k = b.index + i / (ATOMS * WIDTH), j = i % (ATOMS * WIDTH);
                wrong += j == 3 ? !isnan(scal[i]) : scal[i] != (float)((double)k + 0.01 * (int)j);
            }
        }
        wrong += n != STEPS - FROM || traj_error(in)->status;
        traj_close(in);
        frame_close_reader(r);
    }
    tap_ok(rc == 0 && wrong == 0, "scalars come back with their steps, or not at all");
    for (int k = 0; rc == 0 && k < SCALARS_MAX; k++) {
        char name[8];
        snprintf(name, sizeof name, "x%d", k);
        rc = scalars_add(m, name, "-", &e);
    }
    tap_ok(rc < 0 && strstr(e.text, "expected at most 64 entries NAME:UNIT"), "too many: %s",
           e.text);
    meta_free(m);
}

/* Messages name the unwanted type and the expected type. */
static void test_unwanted(const char *path)
{
    static const struct {
        enum frame_type want;
        const char *words;
    } other[] = {{FRAME_PAIR, "expected pair tables (PAIR), found POSN"},
                 {FRAME_SERI, "expected a time series (SERI), found POSN"}};
    write_file(path, 3, 9, 9);
    for (size_t k = 0; k < 2; k++) {
        struct err e = {0};
        struct traj_block b;
        struct frame_reader *r = frame_open(path, NULL);
        struct traj_reader *t = traj_open(r, other[k].want, &e);
        if (t && traj_next(t, &b, NULL) < 0)
            e = *traj_error(t);
        tap_ok(strstr(e.text, other[k].words) != NULL, "unwanted: %s", e.text);
        traj_close(t);
        frame_close_reader(r);
    }
}

int main(void)
{
    char path[] = "/tmp/test_traj.XXXXXX";
    struct err e = {0};
    int wrong, fd = mkstemp(path), n = 50000; /* 2.4 MB: several blocks */
    close(fd);
    write_file(path, n, n, n);
    tap_ok(read_file(path, n, 0, &e, &wrong) == n && wrong == 0,
           "steps come back with index, time and positions");
    tap_ok(read_file(path, n, 40000, &e, &wrong) == n && wrong == 0, "and after a seek");
    write_file(path, n, 30000, n);
    tap_ok(read_file(path, 30000, 0, &e, &wrong) == n && wrong == 0,
           "a cell that changes comes back step by step");
    write_file(path, n, n, 30000);
    tap_ok(read_file(path, n, 0, &e, &wrong) == -1 && strstr(e.text, "frame 30000: expected time"),
           "times off the stride are refused where sys.dt_ps promises one: %s", e.text);
    test_velocities(path);
    test_scalars(path);
    test_unwanted(path);
    unlink(path);
    test_refusals();
    return tap_done();
}
