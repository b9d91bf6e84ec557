/* SPDX-License-Identifier: MIT */
/* Compares near.h with a loop over all pairs for all cell shapes and one, two and three threads. */
#include <stdlib.h>
#include <string.h>

#include "near/near.h"
#include "near/near_step.h"
#include "tap.h"

static uint64_t state = 12345;

static double uniform(double a, double b)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return a + (b - a) * (double)(state >> 11) * 0x1p-53;
}

enum fill {
    RANDOM,
    UNWRAPPED, /* up to 50 cells away */
    FACES,     /* fractions are multiples of 1/4, from -1 to 1 */
    LATTICE,   /* distances of 1, 2 and 3 Å, many of which are equal */
    DENSE      /* all atoms are in one corner */
};

struct system {
    const char *name;
    double cell[9];
    int pbc[3];
    size_t n;
    enum fill fill;
    double part; /* the cutoff divided by half the width, or in Å if no axis is periodic */
};

static const struct system systems[] = {
    {"cube, half the width", {10, 0, 0, 0, 10, 0, 0, 0, 10}, {1, 1, 1}, 150, RANDOM, 1.0},
    {"cube, short", {20, 0, 0, 0, 20, 0, 0, 0, 20}, {1, 1, 1}, 900, RANDOM, 0.2},
    {"brick, unwrapped", {20, 0, 0, 0, 31.7, 0, 0, 0, 47.11}, {1, 1, 1}, 700, UNWRAPPED, 0.33},
    {"long brick", {7, 0, 0, 0, 8, 0, 0, 0, 90}, {1, 1, 1}, 400, RANDOM, 0.9},
    {"cells of two", {9, 0, 0, 0, 9.5, 0, 0, 0, 10}, {1, 1, 1}, 90, RANDOM, 0.7},
    {"few atoms", {10, 0, 0, 0, 10, 0, 0, 0, 10}, {1, 1, 1}, 5, RANDOM, 0.5},
    {"two atoms", {10, 0, 0, 0, 10, 0, 0, 0, 10}, {1, 1, 1}, 2, RANDOM, 1.0},
    {"one atom", {10, 0, 0, 0, 10, 0, 0, 0, 10}, {1, 1, 1}, 1, RANDOM, 1.0},
    {"no atom", {10, 0, 0, 0, 10, 0, 0, 0, 10}, {1, 1, 1}, 0, RANDOM, 1.0},
    {"faces of a brick", {8, 0, 0, 0, 9, 0, 0, 0, 10}, {1, 1, 1}, 200, FACES, 0.6},
    {"lattice", {5, 0, 0, 0, 6, 0, 0, 0, 7}, {1, 1, 1}, 210, LATTICE, 1.0},
    {"dense corner", {50, 0, 0, 0, 50, 0, 0, 0, 50}, {1, 1, 1}, 300, DENSE, 0.05},
    {"triclinic", {20, 0, 0, 5, 18, 0, -4, 6, 17}, {1, 1, 1}, 500, UNWRAPPED, 0.5},
    {"triclinic, half the width", {20, 0, 0, 5, 18, 0, -4, 6, 17}, {1, 1, 1}, 200, RANDOM, 1.0},
    {"tilted by half an edge", {12, 0, 0, 6, 12, 0, 6, 6, 12}, {1, 1, 1}, 300, RANDOM, 1.0},
    {"tilted by two edges", {12, 0, 0, 24, 12, 0, -24, 24, 12}, {1, 1, 1}, 300, RANDOM, 1.0},
    {"truncated octahedron",
     {12, 0, 0, 4, 11.31370849898476, 0, -4, 5.65685424949238, 9.79795897113271},
     {1, 1, 1},
     400,
     FACES,
     0.8},
    {"slab, open along x", {30, 0, 0, 0, 14, 0, 0, 0, 16}, {0, 1, 1}, 400, RANDOM, 0.4},
    {"slab, open along y", {14, 0, 0, 0, 30, 0, 0, 0, 16}, {1, 0, 1}, 400, UNWRAPPED, 0.5},
    {"slab, open along z", {14, 0, 0, 0, 16, 0, 0, 0, 30}, {1, 1, 0}, 400, RANDOM, 1.0},
    {"rod, periodic along z", {14, 0, 0, 0, 16, 0, 0, 0, 30}, {0, 0, 1}, 400, RANDOM, 0.3},
    {"triclinic slab", {20, 0, 0, 5, 18, 0, 3, -2, 17}, {1, 1, 0}, 300, RANDOM, 0.7},
    {"triclinic slab, open along x", {20, 0, 0, 5, 18, 0, 3, -2, 17}, {0, 1, 1}, 300, RANDOM, 0.5},
    {"cluster in a cell", {12, 0, 0, 0, 12, 0, 0, 0, 12}, {0, 0, 0}, 300, RANDOM, 2.5},
    {"cluster in a triclinic cell", {20, 0, 0, 5, 18, 0, -4, 6, 17}, {0, 0, 0}, 300, RANDOM, 3},
    {"cluster without a cell", {0}, {0, 0, 0}, 300, RANDOM, 4.0},
    {"cluster, all pairs", {0}, {0, 0, 0}, 60, RANDOM, HUGE_VAL},
    {"liquid", {20, 0, 0, 0, 20, 0, 0, 0, 20}, {1, 1, 1}, 2500, RANDOM, 0.45},
    {"liquid in a slab", {20, 0, 0, 0, 20, 0, 0, 0, 20}, {1, 0, 1}, 2500, RANDOM, 0.4},
    {"triclinic liquid", {20, 0, 0, 5, 18, 0, -4, 6, 17}, {1, 1, 1}, 2500, RANDOM, 0.5},
    {"two atoms without a cell", {0}, {0, 0, 0}, 2, RANDOM, 100.0},
};
enum { SYSTEMS = sizeof systems / sizeof *systems, MOST = 2500 };

static void place(const struct system *s, double *r)
{
    for (size_t i = 0; i < s->n; i++) {
        double f[3], none = s->cell[0] == 0.0;
        size_t at[3] = {i % 5, i / 5 % 6, i / 30};
        for (int k = 0; k < 3; k++) {
            f[k] = s->fill == UNWRAPPED ? uniform(-50, 50) : uniform(0, 1);
            if (s->fill == UNWRAPPED && !s->pbc[k])
                f[k] *= 0.02;
            if (s->fill == FACES)
                f[k] = (floor(8.99 * f[k]) - 4.0) / 4.0;
            if (s->fill == DENSE)
                f[k] *= 0.08;
        }
        for (size_t a = 0; a < 3; a++) {
            r[3 * i + a] = none ? 15.0 * f[a] : 0.0;
            for (size_t k = 0; k < 3; k++)
                r[3 * i + a] += f[k] * s->cell[3 * k + a];
            if (s->fill == LATTICE)
                r[3 * i + a] = (double)at[a];
        }
    }
}

static int by_distance(const void *a, const void *b)
{
    const struct near_pair *p = a, *q = b;
    return p->r2 != q->r2 ? (p->r2 > q->r2) - (p->r2 < q->r2) : (p->j > q->j) - (p->j < q->j);
}

static int by_index(const void *a, const void *b)
{
    const struct near_pair *p = a, *q = b;
    return (p->j > q->j) - (p->j < q->j);
}

/* Lists all atoms closer than the cutoff to a point, without atom `skip`, by index. */
static size_t brute(const struct box *b, size_t n, const double *r, const double x[3], size_t skip,
                    double cutoff, struct near_pair *out)
{
    size_t found = 0;
    for (size_t j = 0; j < n; j++) {
        struct near_pair p = {.j = (uint32_t)j};
        for (size_t a = 0; a < 3; a++)
            p.d[a] = r[3 * j + a] - x[a];
        box_image(b, p.d);
        p.r2 = (p.d[0] * p.d[0] + p.d[1] * p.d[1]) + p.d[2] * p.d[2];
        if (j != skip && p.r2 < cutoff * cutoff)
            out[found++] = p;
    }
    return found;
}

static int same(const struct near_list *l, const struct near_pair *want, size_t n)
{
    int bad = l->n != n;
    for (size_t k = 0; k < n && !bad; k++)
        bad = l->pair[k].j != want[k].j || l->pair[k].r2 != want[k].r2 ||
              l->pair[k].d[0] != want[k].d[0] || l->pair[k].d[1] != want[k].d[1] ||
              l->pair[k].d[2] != want[k].d[2];
    return !bad;
}

#define SOME(y) (1 + (y)->n / 300) /* every such atom of a large system is checked */

/* Results of a search for all atoms: the number of wrong lists of each kind. */
struct faults {
    size_t index, distance, cell, nearest;
};

static void check_lists(const struct near *s, const struct system *y, const struct box *b,
                        const double *r, double cutoff, struct faults *f)
{
    static struct near_pair want[MOST];
    struct near_list l = {0};
    for (size_t i = 0; i < y->n; i += SOME(y)) {
        size_t n = brute(b, y->n, r, r + 3 * i, i, cutoff, want);
        f->index += near_within(s, i, NEAR_BY_INDEX, &l) != 0 || !same(&l, want, n);
        f->cell += near_within(s, i, NEAR_BY_CELL, &l) != 0;
        qsort(l.pair, l.n, sizeof *l.pair, by_index);
        f->cell += !same(&l, want, n);
        qsort(want, n, sizeof *want, by_distance);
        f->distance += near_within(s, i, NEAR_BY_DISTANCE, &l) != 0 || !same(&l, want, n);
    }
    near_list_free(&l);
}

static void check_nearest(const struct near *s, const struct system *y, const struct box *b,
                          const double *r, struct faults *f)
{
    static struct near_pair want[MOST];
    struct near_list l = {0};
    const size_t some[] = {0, 1, 4, 13, 40, y->n ? y->n - 1 : 0, y->n};
    for (size_t i = 0; i < y->n; i += SOME(y))
        for (size_t m = 0; m < sizeof some / sizeof *some; m++) {
            struct err e = {0};
            size_t k = some[m], n = brute(b, y->n, r, r + 3 * i, i, box_half_width(b), want);
            qsort(want, n, sizeof *want, by_distance);
            int got = near_nearest(s, i, k, &l, &e);
            f->nearest += k <= n ? got != 0 || !same(&l, want, k) : got == 0 || e.status != ERR_BAD;
        }
    near_list_free(&l);
}

/* Counts how often the ranges contain each pair of atoms in range, and any pair twice. */
static size_t check_ranges(const struct system *y, const struct box *b, const double *r,
                           double cutoff, int forward)
{
    static struct near_pair want[MOST];
    struct near_range range[NEAR_RANGES];
    struct near_step s = {0};
    struct err e;
    unsigned char *count = calloc(MOST, MOST);
    size_t bad = near_step_set(&s, y->n, r, b, cutoff, NULL, &e) != 0 ||
                 near_grid_reserve(&s.grid, y->n) != 0;
    for (size_t i = 0; i < y->n; i++)
        s.grid.cell[i] = (uint32_t)near_step_cell(&s, r + 3 * i);
    near_grid_sort(&s.grid);
    const uint32_t *order = s.grid.order;
    for (size_t c = 0; c < near_grid_cells(&s.grid); c++) {
        struct near_range own = {s.grid.start[c], s.grid.start[c + 1]};
        size_t ranges = near_grid_ranges(&s.grid, c, forward, range);
        bad += ranges > NEAR_RANGES;
        for (size_t k = own.from; k < own.to; k++) {
            for (size_t q = k + 1; forward && q < own.to; q++) {
                count[order[k] * MOST + order[q]]++;
                count[order[q] * MOST + order[k]]++;
            }
            for (size_t m = 0; m < ranges; m++)
                for (size_t q = range[m].from; q < range[m].to; q++) {
                    count[order[k] * MOST + order[q]]++;
                    if (forward)
                        count[order[q] * MOST + order[k]]++;
                }
        }
    }
    for (size_t i = 0; i < y->n; i++) {
        size_t n = brute(b, y->n, r, r + 3 * i, i, cutoff, want);
        for (size_t k = 0; k < n; k++)
            bad += count[i * MOST + want[k].j] != 1;
        for (size_t j = 0; j < y->n; j++)
            bad += count[i * MOST + j] > 1;
    }
    free(count);
    near_grid_free(&s.grid);
    return bad;
}

static void test_system(const struct system *y, struct near *s)
{
    static double r[3 * MOST];
    static uint32_t first[MOST];
    struct box b;
    struct err e = {0};
    struct faults f = {0};
    size_t twice = 0, forward = 0, other = 0, bad = 0;
    place(y, r);
    int box = box_init(&b, y->cell, y->pbc);
    double half = box_half_width(&b), cutoff = half < HUGE_VAL ? y->part * half : y->part;
    for (int threads = 1; threads <= 3 && !box; threads++) {
        struct pool *pool = pool_new(threads);
        bad += near_sort(s, y->n, r, &b, cutoff, pool, &e) != 0;
        pool_free(pool);
        if (threads == 1 && y->n)
            memcpy(first, near_order(s), y->n * sizeof *first);
        other += y->n && memcmp(first, near_order(s), y->n * sizeof *first) != 0;
        check_lists(s, y, &b, r, cutoff, &f);
        check_nearest(s, y, &b, r, &f);
        twice += check_ranges(y, &b, r, cutoff, 0);
        forward += check_ranges(y, &b, r, cutoff, 1);
    }
    tap_ok(!box && !bad, "%s: sorted (%s)", y->name, e.text);
    tap_ok(f.index == 0, "%s: neighbours by index (%zu wrong)", y->name, f.index);
    tap_ok(f.distance == 0, "%s: neighbours by distance (%zu wrong)", y->name, f.distance);
    tap_ok(f.cell == 0, "%s: neighbours by cell (%zu wrong)", y->name, f.cell);
    tap_ok(f.nearest == 0, "%s: nearest neighbours (%zu wrong)", y->name, f.nearest);
    tap_ok(twice == 0, "%s: ranges have each pair once (%zu wrong)", y->name, twice);
    tap_ok(forward == 0, "%s: forward ranges have each pair once (%zu wrong)", y->name, forward);
    tap_ok(other == 0, "%s: the same order with every number of threads", y->name);
}

/* Cells that the caller chose, also more than atoms, give the same lists. */
static void test_cells(struct near *s)
{
    static double r[3 * MOST];
    struct system y = {"given cells", {20, 0, 0, 0, 31, 0, 0, 0, 47}, {1, 0, 1}, 300, RANDOM, 0.5};
    const int cells[][3] = {{1, 1, 1}, {2, 3, 1}, {3, 4, 9}, {4, 6, 11}, {30, 2, 20}};
    struct box b;
    struct err e;
    place(&y, r);
    (void)box_init(&b, y.cell, y.pbc);
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        struct faults f = {0};
        double cutoff = k ? 4.0 : 12.0; /* half the width of the cell is 10 */
        int bad = near_sort_cells(s, y.n, r, &b, cutoff, cells[k], NULL, &e);
        size_t want = (size_t)cells[k][0] * (size_t)cells[k][1] * (size_t)cells[k][2];
        check_lists(s, &y, &b, r, cutoff, &f);
        check_nearest(s, &y, &b, r, &f);
        struct near_step t = {0};
        bad |=
            near_step_set(&t, y.n, r, &b, cutoff, cells[k], &e) || near_grid_cells(&t.grid) != want;
        near_grid_scale(&t.grid);
        for (size_t q = 1; q < y.n && !bad; q++) /* the order is that of these cells */
            bad = near_step_cell(&t, r + 3 * near_order(s)[q - 1]) >
                  near_step_cell(&t, r + 3 * near_order(s)[q]);
        tap_ok(!bad && f.index + f.distance + f.cell + f.nearest == 0,
               "%zu given cells: the same neighbours", want);
    }
}

/* Returns whether cell b is at most `reach` cells from cell a along an axis. */
static int beside(const struct near_grid *g, int axis, size_t a, size_t b)
{
    int d = abs((int)a - (int)b), n = g->n[axis];
    return d <= g->reach[axis] || (g->pbc[axis] && n - d <= g->reach[axis]);
}

/* In grids with one point per cell, ranges have each neighbouring cell once, in both orders. */
static void test_grid(const int n[3], const int reach[3], const int pbc[3], bool own_first)
{
    struct near_grid g = {.own_first = own_first, .high = {1, 1, 1}};
    memcpy(g.n, n, sizeof g.n);
    memcpy(g.reach, reach, sizeof g.reach);
    memcpy(g.pbc, pbc, sizeof g.pbc);
    size_t cells = near_grid_cells(&g), wrong = near_grid_reserve(&g, cells) != 0, rows = 0;
    for (size_t i = 0; i < cells; i++)
        g.cell[i] = (uint32_t)i;
    near_grid_sort(&g);
    for (size_t i = 0; i < cells; i++) {
        struct near_range r[NEAR_RANGES];
        unsigned char count[MOST] = {0};
        size_t ranges = near_grid_ranges(&g, i, false, r), z = (size_t)n[2], y = (size_t)n[1];
        rows = ranges > rows ? ranges : rows;
        for (size_t k = 0; k < ranges; k++)
            for (size_t j = r[k].from; j < r[k].to; j++)
                count[j]++;
        for (size_t j = 0; j < cells; j++)
            wrong +=
                count[j] != (beside(&g, 0, i / z / y, j / z / y) &&
                             beside(&g, 1, i / z % y, j / z % y) && beside(&g, 2, i % z, j % z));
    }
    tap_ok(wrong == 0 && rows <= near_grid_rows(&g),
           "grid %d x %d x %d, reach %d %d %d, periodic %d%d%d, own first %d: %zu wrong", n[0],
           n[1], n[2], reach[0], reach[1], reach[2], pbc[0], pbc[1], pbc[2], own_first, wrong);
    near_grid_free(&g);
}

static void test_grids(void)
{
    static const int n[][3] = {{1, 1, 1}, {2, 3, 4}, {4, 5, 6}, {7, 8, 9}, {3, 1, 11}, {12, 2, 3}},
                     reach[][3] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {1, 2, 3}},
                     pbc[][3] = {{1, 1, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (size_t k = 0; k < sizeof reach / sizeof *reach; k++)
            for (size_t m = 0; m < sizeof pbc / sizeof *pbc; m++)
                for (int own = 0; own < 2; own++)
                    test_grid(n[i], reach[k], pbc[m], own);
}

/* Tests cutoffs that the cell does not allow, and cells with only some periodic axes. */
static void test_refused(struct near *s)
{
    const double cell[9] = {10, 0, 0, 0, 20, 0, 0, 0, 30}, r[6] = {1, 2, 3, 4, 5, 6};
    struct box b, slab;
    struct err e = {0};
    (void)box_init(&b, cell, (int[]){1, 1, 1});
    (void)box_init(&slab, cell, (int[]){0, 0, 1});
    tap_ok(near_sort(s, 2, r, &b, 5.001, NULL, &e) == -1 && e.status == ERR_BAD &&
               strstr(e.text, "5 Å, found 5.001 Å"),
           "a cutoff beyond half the width is refused: %s", e.text);
    tap_ok(near_sort(s, 2, r, &b, 0.0, NULL, &e) == -1, "a cutoff of 0 is refused");
    tap_ok(near_sort(s, 2, r, &b, NAN, NULL, &e) == -1, "a cutoff that is no number is refused");
    tap_ok(near_sort(s, 2, r, &slab, 15.0, NULL, &e) == 0, "only periodic axes limit the cutoff");
    struct near_list l = {0};
    tap_ok(near_nearest(s, 0, 2, &l, &e) == -1 && strstr(e.text, "more than 2 atoms"),
           "more neighbours than other atoms are refused: %s", e.text);
    near_list_free(&l);
    near_free(NULL);
}

struct visits {
    const struct near *s;
    size_t k, count[MOST], wrong;
};

/* Compares the list of atom i with that of a search, and refuses atoms 30 and 40. */
static int visit(void *ctx, size_t i, const struct near_list *list, struct err *e)
{
    struct visits *v = ctx;
    struct near_list want = {0};
    int bad =
        v->k ? near_nearest(v->s, i, v->k, &want, e) : near_within(v->s, i, NEAR_BY_CELL, &want);
    if (bad || !same(list, want.pair, want.n))
        __atomic_fetch_add(&v->wrong, 1, __ATOMIC_RELAXED);
    near_list_free(&want);
    v->count[i]++;
    return v->k == 5 && (i == 30 || i == 40) ? err_set(e, ERR_BAD, "atom %zu", i) : 0;
}

/* near_each visits each atom once, and near_reach includes k neighbours in a gas and only a few
 * more. */
static void test_each(struct near *s)
{
    static const struct system gas = {
        "gas", {20, 0, 0, 5, 18, 0, -4, 6, 17}, {1, 1, 1}, 600, RANDOM, 1.0};
    static const struct system open = {"drop", {0}, {0, 0, 0}, 600, RANDOM, 10.0};
    static double r[3 * MOST];
    static struct visits v;
    for (int m = 0; m < 2; m++) {
        const struct system *y = m ? &open : &gas;
        struct box b;
        struct err e = {0};
        struct near_list l = {0};
        size_t found = 0;
        place(y, r);
        (void)box_init(&b, y->cell, y->pbc);
        double reach = near_reach(y->n, r, &b, 8);
        int bad = near_sort(s, y->n, r, &b, reach, NULL, &e);
        for (size_t i = 0; i < y->n && !bad; i++) {
            bad = near_within(s, i, NEAR_BY_CELL, &l);
            found += l.n;
        }
        double mean = (double)found / (double)y->n; /* atoms at the surface have half as many */
        tap_ok(!bad && mean > 8.0 && mean < 25.0, "%s: %.3g neighbours for k = 8", y->name, mean);
        near_list_free(&l);
        for (int threads = 1; threads <= 3; threads++) {
            struct pool *pool = pool_new(threads);
            size_t wrong = 0, first = 0;
            for (size_t k = 0; k < 9; k += 8) {
                memset(&v, 0, sizeof v);
                v.s = s;
                v.k = k;
                wrong += near_each(s, k, pool, visit, &v, &e) != 0;
                for (size_t i = 0; i < y->n; i++)
                    wrong += v.count[i] != 1;
                wrong += v.wrong;
            }
            v.k = 5;
            bad = near_each(s, 5, pool, visit, &v, &e);
            while (near_order(s)[first] != 30 && near_order(s)[first] != 40)
                first++;
            char want[32];
            snprintf(want, sizeof want, "atom %u", near_order(s)[first]);
            tap_ok(wrong == 0, "%s, %d threads: each atom once, with its list", y->name, threads);
            tap_ok(bad == -1 && strcmp(e.text, want) == 0, "%s, %d threads: the first error",
                   y->name, threads);
            pool_free(pool);
        }
    }
}

int main(void)
{
    struct near *s = near_new(); /* one search for all, whose memory grows and shrinks */
    for (size_t k = 0; k < SYSTEMS; k++)
        test_system(&systems[k], s);
    test_cells(s);
    test_grids();
    test_refused(s);
    test_each(s);
    near_free(s);
    return tap_done();
}
