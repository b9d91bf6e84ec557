/* SPDX-License-Identifier: MIT */
#include "select/pair_list.h"

#include <stdlib.h>
#include <string.h>

#include "select/molecules.h"

static int compare_pairs(const void *a, const void *b)
{
    const uint32_t *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

/* Appends all pairs within each set, in ascending order and without repetitions. */
static void add_pairs(struct pair_list *x, const struct molecules *m)
{
    size_t kept = 0;
    for (size_t k = 0; k < m->n; k++)
        for (size_t i = m->first[k]; i < m->first[k + 1]; i++)
            for (size_t j = i + 1; j < m->first[k + 1]; j++, x->n++) {
                uint32_t a = m->atom[i], b = m->atom[j];
                x->pair[x->n][0] = a < b ? a : b;
                x->pair[x->n][1] = a < b ? b : a;
            }
    qsort(x->pair, x->n, sizeof *x->pair, compare_pairs);
    for (size_t k = 0; k < x->n; k++)
        if (k == 0 || compare_pairs(x->pair[k], x->pair[k - 1]) != 0)
            memmove(x->pair[kept++], x->pair[k], sizeof *x->pair);
    x->n = kept;
}

int pair_list_open(struct pair_list *x, const char *option, const char *text,
                   const struct meta *meta, size_t natoms, size_t max_mem, struct err *e)
{
    struct molecules m;
    size_t n = 0;
    *x = (struct pair_list){0};
    int bad = molecules_open(&m, option, text, meta, natoms, MOLECULES_SETS, max_mem, e);
    for (size_t k = 0; !bad && k < m.n; k++) {
        size_t atoms = m.first[k + 1] - m.first[k], pairs;
        if (__builtin_mul_overflow(atoms, atoms - 1, &pairs) ||
            __builtin_add_overflow(n, pairs / 2, &n))
            n = SIZE_MAX / sizeof *x->pair;
    }
    if (!bad &&
        err_over(e, (double)n * sizeof *x->pair, max_mem, NULL, "%zu pairs of %s", n, option))
        bad = -1;
    if (!bad && !(x->pair = malloc((n + 1) * sizeof *x->pair)))
        bad = err_memory(e, "pairs of atoms");
    if (!bad)
        add_pairs(x, &m);
    molecules_close(&m);
    return bad ? -1 : 0;
}

int pair_list_meta(const struct pair_list *x, struct meta *m, const char *key)
{
    return meta_setf(m, key, "%zu pairs, FNV-1a %016llx", x->n,
                     (unsigned long long)meta_sum(META_SUM, x->pair, x->n * sizeof *x->pair));
}

void pair_list_close(struct pair_list *x)
{
    free(x->pair);
    *x = (struct pair_list){0};
}
