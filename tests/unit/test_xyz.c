/* SPDX-License-Identifier: MIT */
/* Tests header dialects, and rows at every SIMD level. */
#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli_traj.h"
#include "formats/format.h"
#include "formats/xyz_rows.h"
#include "tap.h"

static uint64_t seed = 0x9e3779b97f4a7c15ull;

static uint64_t random_u64(void) /* splitmix64 */
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

typedef size_t rows_fn(const struct rows *, const char **);

/* Random lines give the same bits with the vector code of one level and with xyz_row. */
static int rows_agree(rows_fn *f32, rows_fn *f64, int kind)
{
    enum { N = 500 };
    static char text[N * 200 + ROWS_PAD];
    static float p32[3 * N];
    static double p64[3 * N];
    char *p = text;
    for (int i = 0; i < N; i++) {
        p += sprintf(p, kind & 1 ? "  Ar\t" : "O ");
        for (int a = 0; a < 3; a++)
            p += sprintf(p, " %*.*f", (int)(random_u64() % 14),
                         (int)(random_u64() % (kind & 2 ? 18 : 8)),
                         (double)(int64_t)random_u64() * (kind & 2 && i & 1 ? 0x1p-25 : 0x1p-56));
        p += sprintf(p, "%s%s\n", kind & 4 ? "  0.1234567 -9.87654321 1e-5 some more columns" : "",
                     kind & 8 ? "\r" : "");
    }
    struct rows_layout l = {.pos = 1, .name = 0, .id = -1};
    const char *q = text;
    int done32 = 0, done64 = 0;
    for (int i = 0; i < N; i++) {
        struct rows r = {.text = q, .end = p, .nrows = 1, .layout = l, .pos = p32 + 3 * i};
        const char *stop, *nl = memchr(q, '\n', (size_t)(p - q));
        struct xyz_row row;
        struct err e;
        int n = (int)f32(&r, &stop);
        done32 += n;
        if (xyz_row(q, (size_t)(nl - q), &l, false, &row, &e) != 0 ||
            (n && (memcmp(row.pos32, p32 + 3 * i, 12) != 0 || stop != nl + 1)))
            return printf("# f32 differs: %.*s\n", (int)(nl - q), q), 0;
        r.pos = p64 + 3 * i;
        n = (int)f64(&r, &stop);
        done64 += n;
        if (xyz_row(q, (size_t)(nl - q), &l, true, &row, &e) != 0 ||
            (n && (memcmp(row.pos64, p64 + 3 * i, 24) != 0 || stop != nl + 1)))
            return printf("# f64 differs: %.*s\n", (int)(nl - q), q), 0;
        q = nl + 1;
    }
    return done32 == done64 &&
           (done32 == N || (kind & 2)); /* ordinary lines all take the vector path */
}

/* Numbers of 15 digits whose f64 is exactly between two f32 numbers. Rounding twice would give the
 * wrong f32 number. */
static int midpoints_agree(rows_fn *f32)
{
    static const char *const hard[] = {"6.86483359336853", "2.73436176776886", "8.62885332107544",
                                       "5.65847373008728", "9.49212121963501", "5.95385479927063"};
    int ok = 1;
    for (size_t k = 0; k < sizeof hard / sizeof *hard; k++) {
        char text[160 + ROWS_PAD] = "";
        float pos[9]; /* a single row, and two rows together */
        const char *stop;
        int n = sprintf(text, "Ar %s -%s 1\nAr %s -%s 1\nAr 1 2 -%s\n", hard[k], hard[k], hard[k],
                        hard[k], hard[k]);
        struct rows r = {.text = text,
                         .end = text + n,
                         .nrows = 3,
                         .layout = {.pos = 1, .name = 0, .id = -1},
                         .pos = pos};
        ok &= f32(&r, &stop) == 3 && pos[0] == strtof(hard[k], NULL) && pos[1] == -pos[0] &&
              pos[3] == pos[0] && pos[4] == -pos[0] && pos[8] == -pos[0];
        ok &= pos[0] != (float)strtod(hard[k], NULL); /* otherwise the case would be easy */
    }
    return ok;
}

static void test_rows(void)
{
    rows_fn *const f32[3] = {SIMD_LEVELS(rows_f32)};
    rows_fn *const f64[3] = {SIMD_LEVELS(rows_f64)};
    typedef const char *skip_fn(const char *, const char *, size_t *);
    skip_fn *const skip[3] = {SIMD_LEVELS(rows_skip_lines)};
    for (int level = 2; level <= simd_level(); level++) {
        int ok = 1;
        for (int kind = 0; kind < 16; kind++)
            ok &= rows_agree(f32[level - 2], f64[level - 2], kind);
        tap_ok(ok, "v%d: the vector path gives the bits of the careful one", level);
        tap_ok(midpoints_agree(f32[level - 2]), "v%d: no double rounding", level);
        char text[1000 + ROWS_PAD];
        ok = 1;
        for (int k = 0; k < 2000; k++) {
            size_t n = random_u64() % 1000, want = random_u64() % 40, left = want, seen = 0;
            for (size_t i = 0; i < sizeof text; i++)
                text[i] = random_u64() % 16 ? 'x' : '\n';
            const char *p = skip[level - 2](text, text + n, &left), *q = text;
            while (q < text + n && seen < want)
                seen += *q++ == '\n';
            ok &= left == want - seen && (left ? p == text + n : p == q);
        }
        tap_ok(ok, "v%d: lines are counted to the byte", level);
    }
}

static int dialect_of(const char *s)
{
    struct err e;
    enum xyz_dialect d;
    return xyz_header_detect(s, strlen(s), &d, &e) == 0 ? (int)d : -1;
}

static void test_detection(void)
{
    static const struct {
        const char *line;
        int dialect; /* -1 if ambiguous */
    } cases[] = {{"", XYZ_PLAIN},
                 {"water, step 5", XYZ_PLAIN},
                 {"# comment", XYZ_PLAIN},
                 {"energy=-1.5", XYZ_PLAIN},
                 {"0.125 Ar 11.5 11.5 11.5 3.4", XYZ_RIGMD},
                 {"0.125 Ar 11.5 11.5 11.5", -1},
                 {"0.125 Ar 11.5 11.5 11.5 3.4 1", -1},
                 {"1 2 3 4 5 6", XYZ_PLAIN},
                 {" i =        0, time =        0.000, E =        -0.12", XYZ_CP2K},
                 {" i = 3, E = -17.1", XYZ_CP2K},
                 {"Atoms. Timestep: 50", XYZ_LAMMPS},
                 {"Lattice=\"1 0 0 0 1 0 0 0 1\"", XYZ_EXTENDED},
                 {"properties=pos:R:3", XYZ_EXTENDED},
                 {"a=\"Lattice=\"", XYZ_PLAIN},
                 {"Time=3", -1},
                 {"pbc=\"T T T\"", -1},
                 {"frame 1 Box X: 1 2 3", XYZ_CPPTRAJ},
                 {"# BOX: 1 2 3", XYZ_CASSANDRA},
                 {"Atoms. Timestep: 5 Lattice=\"1 0 0 0 1 0 0 0 1\"", -1}};
    int ok = 1;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (dialect_of(cases[k].line) != cases[k].dialect)
            ok = 0, printf("# '%s' gives %d\n", cases[k].line, dialect_of(cases[k].line));
    tap_ok(ok, "the second line tells the dialect, or that it is ambiguous");
}

static struct xyz_header header(enum xyz_dialect d, const char *s, int want)
{
    struct xyz_header h;
    struct err e = {0};
    int got = xyz_header_parse(d, s, strlen(s), &h, &e);
    if (got != want)
        tap_ok(0, "'%s' parses to %d (%s)", s, got, e.text);
    return h;
}

static void test_headers(void)
{
    struct xyz_header h = header(XYZ_RIGMD, "0.125 Ar 11.5 12 12.5 3.4", 0);
    tap_ok(h.dt_ps == 0.125 && h.cell[0] == 23 && h.cell[4] == 24 && h.cell[8] == 25 &&
               h.sigma == 3.4 && h.pbc[2],
           "RIGMD: half lengths are doubled");
    h = header(XYZ_CP2K, " i =   12, time =   62.500, E = -1.0", 0);
    tap_ok(h.time_fs == 62.5 && !h.has_cell && h.step == 12, "CP2K: time in fs, no cell");
    h = header(XYZ_LAMMPS, "Atoms. Timestep: 1000", 0);
    tap_ok(h.has_step && h.step == 1000, "LAMMPS: the step");
    h = header(
        XYZ_EXTENDED,
        "Time = 2.5 sigma=3.4 Properties=id:I:1:type:I:1:vel:R:3:pos:R:3:species:S:1 pbc='T F 1' "
        "note=\"Lattice=\\\"x\\\"\" Lattice={1 2 3 4 5 6 7 8 10}",
        0);
    tap_ok(h.layout.pos == 5 && h.layout.name == 8 && h.layout.id == 0,
           "extended: columns wherever Properties puts them");
    tap_ok(h.cell[1] == 2 && h.cell[3] == 4 && h.cell[8] == 10,
           "extended: rows of Lattice are vectors");
    tap_ok(h.pbc[0] && !h.pbc[1] && h.pbc[2] && h.time_fs == 2.5 && h.sigma == 3.4,
           "extended: pbc, Time and sigma");
    h = header(XYZ_EXTENDED, "Lattice=\"9 0 0 0 9 0 0 0 9\"", 0);
    tap_ok(h.layout.pos == 1 && h.layout.name == 0 && h.pbc[0] && h.pbc[1] && h.pbc[2],
           "extended: Lattice alone means the usual columns and a periodic cell");
    h = header(XYZ_EXTENDED, "pbc=TFT Lattice=[[9,0,0],[0,9,0],[0,0,9]]", 0);
    tap_ok(h.cell[4] == 9 && h.pbc[0] && !h.pbc[1], "extended: the array notation");
    static const char *const truths[] = {"T F 1", "0 True False", ".true. .false. T"};
    static const int want[][3] = {{1, 0, 1}, {0, 1, 0}, {1, 0, 1}};
    for (int k = 0; k < 3; k++) {
        char line[80];
        snprintf(line, sizeof line, "pbc=\"%s\" Lattice=\"9 0 0 0 9 0 0 0 9\"", truths[k]);
        h = header(XYZ_EXTENDED, line, 0);
        tap_ok(memcmp(h.pbc, want[k], sizeof h.pbc) == 0, "extended: pbc %s", truths[k]);
    }
    h = header(XYZ_CPPTRAJ, "step 1 Box X: 20 21 22 90 90 90", 0);
    tap_ok(h.cell[4] == 21 && h.cell[1] == 0 && h.cell[3] == 0, "cpptraj: edges and angles");
    h = header(XYZ_CPPTRAJ, "Box X: 20 0 0 Y: 1 21 0 Z: 2 3 22", 0);
    tap_ok(h.cell[3] == 1 && h.cell[7] == 3, "cpptraj: vectors");
    h = header(XYZ_CASSANDRA, "# BOX: 20 20 20 90 90 60", 0);
    tap_near(h.cell[3], 10.0, 1e-14, "Cassandra: gamma is between a and b");
    header(XYZ_EXTENDED, "Lattice=\"1 2 3 4 5 6 7 8\"", -1);
    header(XYZ_EXTENDED, "Lattice=\"1 2 3 4 5 6 7 8 9 10\"", -1);
    header(XYZ_EXTENDED, "Lattice=\"1 2 3 4 5 6 7 8 9", -1);
    header(XYZ_EXTENDED, "Properties=pos:R:2", -1);
    header(XYZ_EXTENDED, "Properties=species:S:1", -1);
    header(XYZ_EXTENDED, "Properties=pos:R:3:pos:R:3", -1);
    header(XYZ_EXTENDED, "pbc=\"T T\" Lattice=\"9 0 0 0 9 0 0 0 9\"", -1);
    header(XYZ_EXTENDED, "Lattice=\"9 0 0 0 9 0 0 0 9\" lattice=\"9 0 0 0 9 0 0 0 9\"", -1);
    header(XYZ_RIGMD, "0.125 Ar 11.5 12 -12.5 3.4", -1);
    header(XYZ_RIGMD, "0.125 Ar 11.5 12 12.5", -1);
    header(XYZ_CP2K, "i = x", -1);
    header(XYZ_LAMMPS, "Atoms. Timestep: 1.5", -1);
    header(XYZ_CASSANDRA, "# BOX: 20 20", -1);
    tap_ok(1, "malformed second lines are refused");
}

static void test_options(void)
{
    uint64_t a, b, c;
    struct err e = {0};
    double *cell = cli_traj.given.cell;
    int *pbc = cli_traj.given.pbc;
    tap_ok(cli_parse_slice("1:801", &a, &b, &c, &e) == 0 && a == 1 && b == 801 && c == 1,
           "--select A:B");
    tap_ok(cli_parse_slice("::10", &a, &b, &c, &e) == 0 && a == 0 && b == UINT64_MAX && c == 10,
           "--select ::C");
    tap_ok(cli_parse_slice("7", &a, &b, &c, &e) == 0 && a == 7 && b == 8, "--select A");
    int ok = 1;
    static const char *const bad[] = {"", "a", "1:2:3:4", "::0", "-1:", "1.5:", "5:5", "5:4"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        ok &= cli_traj_select(bad[k], NULL, &e) != 0;
    tap_ok(ok && cli_parse_slice("5:5", &a, &b, &c, &e) == 0 && a == 5 && b == 5,
           "--select refuses a text that is no range or an empty one");
    tap_ok(cli_traj_cell("20", NULL, &e) == 0 && cell[0] == 20 && cell[4] == 20 && cell[8] == 20,
           "--cell A");
    tap_ok(cli_traj_cell("1,2,3", NULL, &e) == 0 && cell[4] == 2 && cell[1] == 0, "--cell A,B,C");
    tap_ok(cli_traj_cell("1,2,3,90,90,120", NULL, &e) == 0 && fabs(cell[3] + 1) < 1e-14,
           "--cell with angles");
    tap_ok(cli_traj_cell("1,2", NULL, &e) && cli_traj_cell("1,2,3,", NULL, &e) &&
               cli_traj_cell("0", NULL, &e) && cli_traj_cell("1,2,3,10,10,90", NULL, &e),
           "--cell refuses what is no cell");
    tap_ok(cli_traj_pbc("xz", NULL, &e) == 0 && pbc[0] && !pbc[1] && pbc[2], "--pbc xz");
    tap_ok(cli_traj_pbc("none", NULL, &e) == 0 && !pbc[0] && cli_traj_pbc("xx", NULL, &e) &&
               cli_traj_pbc("", NULL, &e) && cli_traj_pbc("t", NULL, &e),
           "--pbc none, and what it refuses");
}

static void test_few_digits(void)
{
    /* number, slack, result */
    static const double cases[][3] = {
        {1.5, 0.5, 2},        {12.5, 2.5, 10},      {12.5, 0.5, 12},   {12.5, 0.49, 12.5},
        {-1234.5, 40, -1200}, {-1234.5, 34, -1230}, {0.375, 0, 0.375}, {0.375, 0.03, 0.4}};
    bool good = true;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        good &= format_few_digits(cases[k][0], cases[k][1]) == cases[k][2];
    tap_ok(good && isinf(format_few_digits(INFINITY, 1)),
           "the fewest digits that differ by at most the slack, ends included");
}

int main(void)
{
    test_few_digits();
    test_rows();
    test_detection();
    test_headers();
    test_options();
    return tap_done();
}
