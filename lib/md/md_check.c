/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>

#include "base/box.h"
#include "md/md.h"
#include "near/near.h"

#define MD_PIECE 16384 /* atoms per task */

/* Atoms closer than this fraction of lj_core() are invalid input, because U is then nearly twice
 * the largest value in a run. */
#define MD_OVERLAP 0.95

static int md_check_numbers(const struct md_params *p, struct err *e)
{
    const struct {
        const char *name;
        double value;
        int zero; /* the value may be 0 */
    } n[] = {{"box edge a", p->box[0], 0},     {"box edge b", p->box[1], 0},
             {"box edge c", p->box[2], 0},     {"epsilon", p->eps, 0},
             {"sigma", p->sigma, 0},           {"mass", p->mass, 0},
             {"Boltzmann constant", p->kb, 0}, {"energy unit", p->mvv2e, 0},
             {"cutoff", p->cutoff, 0},         {"temperature", p->temperature, 1},
             {"thermostat time", p->tau, 1},   {"time step", p->dt, 0}};
    static const char *const sign[] = {"positive", "non-negative"};
    if (p->natoms < 1 || p->replicas < 1)
        return err_bad(e, "expected at least one atom and one replica, found none");
    for (size_t k = 0; k < sizeof n / sizeof *n; k++)
        if (!isfinite(n[k].value) || n[k].value < 0.0 || (n[k].value == 0.0 && !n[k].zero))
            return err_bad(e, "%s: expected a %s number, found %g", n[k].name, sign[n[k].zero],
                           n[k].value);
    if (!isnan(p->skin) && !(p->skin > 0.0 && isfinite(p->skin)))
        return err_bad(e, "skin: expected a positive number, found %g", p->skin);
    return 0;
}

static int md_check_ranges(const struct md_params *p, struct err *e)
{
    double edge = fmin(p->box[0], fmin(p->box[1], p->box[2]));
    if (p->boundary == MD_PERIODIC && p->cutoff > 0.5 * edge)
        return err_bad(e,
                       "cutoff %g is more than half the smallest box edge, %g: an atom would "
                       "interact with two images of another atom",
                       p->cutoff, 0.5 * edge);
    if (p->tau > 0.0 && p->tau < p->dt)
        return err_bad(e, "thermostat time %g is shorter than the time step, %g", p->tau, p->dt);
    /* The value is five standard deviations of one component. About one or two atoms in a million
     * exceed it at any time. */
    double move = 5.0 * sqrt(p->kb * p->temperature / (p->mass * p->mvv2e)) * p->dt;
    if (move > MD_MAX_MOVE * p->sigma)
        return err_bad(e,
                       "time step %g is too long: fast atoms at temperature %g move %.3g in one "
                       "step, more than %g sigma",
                       p->dt, p->temperature, move, MD_MAX_MOVE);
    return 0;
}

/* Checks one atom without its neighbours. Returns 0, or -1 and sets e. */
static int md_check_atom(const struct md_params *p, const double *r, const double *v, size_t i,
                         struct err *e)
{
    for (size_t k = 3 * i; k < 3 * i + 3; k++) {
        if (!isfinite(r[k]) || !isfinite(v[k]))
            return err_bad(e, "atom %zu: expected finite numbers, found position %g, velocity %g",
                           i, r[k], v[k]);
        if (p->boundary == MD_MIRROR && (r[k] < 0.0 || r[k] > p->box[k % 3]))
            return err_bad(e,
                           "atom %zu is outside the mirror walls: its coordinate is %g, but the "
                           "walls are at 0 and %g",
                           i, r[k], p->box[k % 3]);
        /* lj_fixed_pos() converts positions through 52-bit integers */
        if (fabs(r[k]) > 65536.0 * p->box[k % 3])
            return err_bad(
                e, "atom %zu: coordinate %g is more than 65536 box edges from the origin", i, r[k]);
    }
    return 0;
}

/* Parallel search for the invalid atom with the smallest index. */
struct md_hunt {
    const struct md_params *p;
    const double *r, *v;
    const struct near *near; /* NULL to check single atoms, else pairs closer than its cutoff */
    size_t first;
    int bad; /* set if out of memory */
};

/* Returns whether an atom is invalid: 0 or 1, or -1 if out of memory. */
static int md_hunt_atom(const struct md_hunt *h, size_t i, struct near_list *list)
{
    struct err e;
    if (!h->near)
        return md_check_atom(h->p, h->r, h->v, i, &e) != 0;
    if (near_within(h->near, i, NEAR_BY_INDEX, list))
        return -1;
    return list->n > 0 && list->pair[list->n - 1].j > i;
}

static void md_hunt_piece(void *ctx, size_t from, size_t to, int thread)
{
    struct md_hunt *h = ctx;
    struct near_list list = {0};
    int found = 0;
    (void)thread;
    for (; from < to && (found = md_hunt_atom(h, from, &list)) == 0; from++)
        ;
    near_list_free(&list);
    if (found < 0)
        __atomic_store_n(&h->bad, 1, __ATOMIC_RELAXED);
    size_t seen = __atomic_load_n(&h->first, __ATOMIC_RELAXED);
    while (from < to && from < seen &&
           !__atomic_compare_exchange_n(&h->first, &seen, from, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
}

/* Sets e to report an atom that overlaps and its first partner. Returns -1. */
static int md_overlap(const struct near *near, size_t i, double d, struct err *e)
{
    struct near_list list = {0};
    int rc = near_within(near, i, NEAR_BY_INDEX, &list);
    size_t k = 0;
    while (k < list.n && list.pair[k].j <= i)
        k++;
    if (rc || k == list.n)
        (void)err_memory(e, "a cell list");
    else
        (void)err_bad(e,
                      "atoms %zu and %zu overlap: their distance is %.4g, below the minimum, %.4g",
                      i, (size_t)list.pair[k].j, sqrt(list.pair[k].r2), d);
    near_list_free(&list);
    return -1;
}

static int md_check_pairs(struct md_hunt *h, struct pool *pool, struct err *e)
{
    const struct md_params *p = h->p;
    struct lj lj = lj_make(p->form, p->eps, p->sigma);
    double d = fmin(MD_OVERLAP * lj_core(&lj, p->kb * p->temperature), p->cutoff);
    int periodic = p->boundary == MD_PERIODIC;
    struct box box;
    if (p->separate > d)
        return 0;
    (void)box_init(&box, (double[9]){p->box[0], 0, 0, 0, p->box[1], 0, 0, 0, p->box[2]},
                   (int[3]){periodic, periodic, periodic});
    struct near *near = near_new();
    int rc =
        near ? near_sort(near, p->natoms, h->r, &box, d, pool, e) : err_memory(e, "a cell list");
    if (rc == 0) {
        h->near = near;
        h->first = p->natoms;
        pool_pieces(pool, md_hunt_piece, h, p->natoms, MD_PIECE);
        if (h->bad || h->first < p->natoms)
            rc = h->bad ? err_memory(e, "a cell list") : md_overlap(near, h->first, d, e);
    }
    near_free(near);
    return rc;
}

static int md_check_atoms(const struct md_params *p, const double *r, const double *v,
                          struct err *e)
{
    struct md_hunt h = {.p = p, .r = r, .v = v, .first = p->natoms};
    struct pool *pool = p->natoms > MD_PIECE ? pool_new(p->threads) : NULL; /* or one thread */
    pool_pieces(pool, md_hunt_piece, &h, p->natoms, MD_PIECE);
    int bad =
        h.first < p->natoms ? md_check_atom(p, r, v, h.first, e) : md_check_pairs(&h, pool, e);
    pool_free(pool);
    return bad;
}

int md_check(const struct md_params *p, const double *r, const double *v, struct err *e)
{
    if (md_check_numbers(p, e) != 0 || md_check_ranges(p, e) != 0)
        return -1;
    for (size_t k = 0; r != NULL && v != NULL && k < p->replicas; k++)
        if (md_check_atoms(p, r + 3 * p->natoms * k, v + 3 * p->natoms * k, e) != 0)
            return -1;
    return 0;
}
