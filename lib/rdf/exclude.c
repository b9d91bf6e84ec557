/* SPDX-License-Identifier: MIT */
#include "rdf/exclude.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

#define BLANKS " \t\r\n,"

/* ---- which pairs */

static int add_pair(struct exclude *x, size_t *room, uint32_t i, uint32_t j, struct err *e)
{
    if (x->n == *room) {
        size_t want = *room ? 2 * *room : 4096;
        if (err_over(e, (double)want * sizeof *x->pair, x->p.max_mem, NULL,
                     "%zu pairs of --exclude", want))
            return -1;
        void *p = realloc(x->pair, want * sizeof *x->pair);
        if (!p)
            return err_memory(e, "the pairs of --exclude");
        x->pair = p;
        *room = want;
    }
    x->pair[x->n][0] = i < j ? i : j;
    x->pair[x->n++][1] = i < j ? j : i;
    return 0;
}

static int add_molecules(struct exclude *x, size_t size, struct err *e)
{
    size_t room = 0;
    if (size < 1 || x->p.natoms % size != 0)
        return err_set(e, ERR_BAD,
                       "--exclude %zu: expected a number of atoms that divides the %zu there are",
                       size, x->p.natoms);
    for (size_t first = 0; first < x->p.natoms; first += size)
        for (size_t i = 0; i < size; i++)
            for (size_t j = i + 1; j < size; j++)
                if (add_pair(x, &room, (uint32_t)(first + i), (uint32_t)(first + j), e) != 0)
                    return -1;
    return 0;
}

/* The atoms of a line, and its pairs. 0 or -1. */
static int add_line(struct exclude *x, size_t *room, char *line, uint32_t *atom, struct err *e)
{
    size_t n = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *p = line + strspn(line, BLANKS); *p; p += strspn(p, BLANKS)) {
        size_t len = strcspn(p, BLANKS);
        uint64_t v;
        if (decimal_get_u64(p, len, x->p.natoms - 1, &v) != 0)
            return err_set(e, ERR_BAD, "expected the numbers of atoms, 0 to %zu, found '%.*s'",
                           x->p.natoms - 1, (int)(len < 40 ? len : 40), p);
        if (n == x->p.natoms)
            return err_set(e, ERR_BAD, "expected each atom once, found more than there are");
        for (size_t k = 0; k < n; k++) {
            if (atom[k] == v)
                return err_set(e, ERR_BAD, "expected each atom once, found %llu again",
                               (unsigned long long)v);
            if (add_pair(x, room, atom[k], (uint32_t)v, e) != 0)
                return -1;
        }
        atom[n++] = (uint32_t)v;
        p += len;
    }
    return n == 1 ? err_set(e, ERR_BAD, "expected two atoms or more, found one") : 0;
}

static int compare_pairs(const void *a, const void *b)
{
    const uint32_t *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static int add_file(struct exclude *x, const char *path, struct err *e)
{
    struct err why = {0};
    char *line = NULL;
    size_t cap = 0, room = 0, number = 0, kept = 0;
    int bad = 0;
    FILE *f = fopen(path, "r");
    uint32_t *atom = f ? malloc((x->p.natoms + 1) * sizeof *atom) : NULL;
    if (!f)
        return err_set(e, ERR_BAD, "--exclude %s: %s", path, strerror(errno));
    while (atom && !bad && getline(&line, &cap, f) >= 0) {
        number++;
        bad = add_line(x, &room, line, atom, &why);
    }
    if (bad)
        err_set(e, why.status, "--exclude %s: line %zu: %s", path, number, why.text);
    else if (!atom)
        bad = err_memory(e, "--exclude");
    else if (ferror(f))
        bad = err_set(e, errno == EISDIR ? ERR_BAD : ERR_MACHINE, "--exclude %s: %s", path,
                      strerror(errno));
    else if (x->n == 0)
        bad = err_set(e, ERR_BAD, "--exclude %s: expected atoms, found none", path);
    fclose(f);
    free(line);
    free(atom);
    if (bad)
        return -1;
    qsort(x->pair, x->n, sizeof *x->pair, compare_pairs);
    for (size_t k = 0; k < x->n; k++)
        if (k == 0 || compare_pairs(x->pair[k], x->pair[k - 1]) != 0)
            memmove(x->pair[kept++], x->pair[k], sizeof *x->pair);
    x->n = kept;
    return 0;
}

/* ---- where they count */

static int kind(const struct exclude *x, uint32_t atom)
{
    return x->p.species ? x->p.species[atom] : 0;
}

static int set_of(const struct exclude *x, size_t k)
{
    return x->set[kind(x, x->pair[k][0]) * x->p.nspecies + kind(x, x->pair[k][1])];
}

static int add_sets(struct exclude *x, struct err *e)
{
    size_t n = (size_t)x->p.nspecies;
    x->set = malloc(n * n * sizeof *x->set);
    x->of_set = calloc(x->p.npairs, sizeof *x->of_set);
    x->place = malloc(3 * x->p.natoms * sizeof(double));
    if (!x->set || !x->of_set || !x->place)
        return err_memory(e, "--exclude");
    for (size_t k = 0; k < n * n; k++)
        x->set[k] = x->p.pairs[0].a == SPECIES_EVERY ? 0 : -1;
    for (size_t q = 0; q < x->p.npairs; q++) {
        struct species_pair v = x->p.pairs[q];
        if (v.a != SPECIES_EVERY)
            x->set[(size_t)v.a * n + (size_t)v.b] = x->set[(size_t)v.b * n + (size_t)v.a] = (int)q;
    }
    for (size_t k = 0; k < x->n; k++)
        if (set_of(x, k) >= 0)
            x->of_set[set_of(x, k)]++;
    return 0;
}

int exclude_open(struct exclude *x, const char *text, const struct rdf_params *p, struct err *e)
{
    uint64_t size;
    *x = (struct exclude){.p = *p};
    int number = decimal_get_u64(text, strlen(text), SIZE_MAX, &size) == 0;
    if ((number ? add_molecules(x, (size_t)size, e) : add_file(x, text, e)) != 0)
        return -1;
    return add_sets(x, e);
}

void exclude_close(struct exclude *x)
{
    free(x->pair);
    free(x->set);
    free(x->of_set);
    free(x->place);
    *x = (struct exclude){0};
}

/* ---- a step */

static double distance_f32(const struct hist_frame *f, const float *a, const float *b)
{
    float d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    if (!f->ortho)
        hist_triclinic_f32(f, &d[0], &d[1], &d[2]);
    for (int k = 0; f->ortho && k < 3; k++)
        d[k] = hist_image_f32(d[k], f->lenf[k]);
    return (double)sqrtf(hist_r2_f32(d[0], d[1], d[2], f->quarter));
}

static double distance_f64(const struct hist_frame *f, const double *a, const double *b)
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    if (!f->ortho)
        hist_triclinic_f64(f, &d[0], &d[1], &d[2]);
    for (int k = 0; f->ortho && k < 3; k++)
        d[k] = box_image_f64(d[k], f->len[k], f->inv[k]);
    return sqrt(hist_r2_f64(d[0], d[1], d[2]));
}

void exclude_step(struct exclude *x, const struct box *box, const void *pos, uint64_t *counts)
{
    struct hist_frame f;
    int f32 = x->p.dtype == FRAME_F32;
    size_t bins = x->p.bins;
    float *rf = x->place;
    double *rd = x->place;
    hist_frame_init(&f, box, (int)bins, x->p.rmax, f32, x->p.natoms, pos);
    for (size_t i = 0; i < x->p.natoms; i++)
        if (f32)
            hist_place_f32(&f, (const float *)pos + 3 * i, rf + 3 * i);
        else
            hist_place_f64(&f, (const double *)pos + 3 * i, rd + 3 * i);
    for (size_t k = 0; k < x->n; k++) {
        size_t i = 3 * (size_t)x->pair[k][0], j = 3 * (size_t)x->pair[k][1];
        int q = set_of(x, k);
        double t = f32 ? distance_f32(&f, rf + i, rf + j) : distance_f64(&f, rd + i, rd + j);
        if (q >= 0 && (f.closed || t < (double)bins))
            counts[(size_t)q * bins + (t < (double)bins ? (size_t)t : bins - 1)]--;
    }
}
