/* SPDX-License-Identifier: MIT */
#include "stats/pair_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

#define BLANKS " \t\r\n,"

static int add_pair(struct pair_list *x, size_t *room, uint32_t i, uint32_t j, struct err *e)
{
    if (x->n == *room) {
        size_t want = *room ? 2 * *room : 4096;
        if (err_over(e, (double)want * sizeof *x->pair, x->max_mem, NULL, "%zu pairs of %s", want,
                     x->option))
            return -1;
        void *p = realloc(x->pair, want * sizeof *x->pair);
        if (!p)
            return err_memory(e, "pairs of atoms");
        x->pair = p;
        *room = want;
    }
    x->pair[x->n][0] = i < j ? i : j;
    x->pair[x->n++][1] = i < j ? j : i;
    return 0;
}

static int add_molecules(struct pair_list *x, size_t size, struct err *e)
{
    size_t room = 0;
    if (size < 1 || x->natoms % size != 0)
        return err_set(e, ERR_BAD,
                       "%s %zu: expected a number of atoms that divides the %zu there are",
                       x->option, size, x->natoms);
    for (size_t first = 0; first < x->natoms; first += size)
        for (size_t i = 0; i < size; i++)
            for (size_t j = i + 1; j < size; j++)
                if (add_pair(x, &room, (uint32_t)(first + i), (uint32_t)(first + j), e) != 0)
                    return -1;
    return 0;
}

/* The atoms of a line, and its pairs. 0 or -1. */
static int add_line(struct pair_list *x, size_t *room, char *line, uint32_t *atom, struct err *e)
{
    size_t n = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *p = line + strspn(line, BLANKS); *p; p += strspn(p, BLANKS)) {
        size_t len = strcspn(p, BLANKS);
        uint64_t v;
        if (decimal_get_u64(p, len, x->natoms - 1, &v) != 0)
            return err_set(e, ERR_BAD, "expected the numbers of atoms, 0 to %zu, found '%.*s'",
                           x->natoms - 1, (int)(len < 40 ? len : 40), p);
        if (n == x->natoms)
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

static int add_file(struct pair_list *x, const char *path, struct err *e)
{
    struct err why = {0};
    char *line = NULL;
    size_t cap = 0, room = 0, number = 0, kept = 0;
    int bad = 0;
    FILE *f = fopen(path, "r");
    uint32_t *atom = f ? malloc((x->natoms + 1) * sizeof *atom) : NULL;
    if (!f)
        return err_set(e, ERR_BAD, "%s %s: %s", x->option, path, strerror(errno));
    while (atom && !bad && getline(&line, &cap, f) >= 0) {
        number++;
        bad = add_line(x, &room, line, atom, &why);
    }
    if (bad)
        err_set(e, why.status, "%s %s: line %zu: %s", x->option, path, number, why.text);
    else if (!atom)
        bad = err_memory(e, "pairs of atoms");
    else if (ferror(f))
        bad = err_set(e, errno == EISDIR ? ERR_BAD : ERR_MACHINE, "%s %s: %s", x->option, path,
                      strerror(errno));
    else if (x->n == 0)
        bad = err_set(e, ERR_BAD, "%s %s: expected atoms, found none", x->option, path);
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

int pair_list_open(struct pair_list *x, const char *option, const char *text, size_t natoms,
                   size_t max_mem, struct err *e)
{
    uint64_t size;
    *x = (struct pair_list){.option = option, .natoms = natoms, .max_mem = max_mem};
    return decimal_get_u64(text, strlen(text), SIZE_MAX, &size) == 0
               ? add_molecules(x, (size_t)size, e)
               : add_file(x, text, e);
}

void pair_list_close(struct pair_list *x)
{
    free(x->pair);
    *x = (struct pair_list){0};
}
