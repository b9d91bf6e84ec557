/* SPDX-License-Identifier: MIT */
/* meta_prov.c: provenance, and the META that the output of a program inherits from its input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "io/decimal.h"
#include "stream/meta.h"

#define PROV_MAX 64    /* number of entries kept */
#define PROV_PARENTS 2 /* number of parents of an entry */

static const char *const FIELD[] = {"tool", "version", "args"};

/* One provenance entry. Its strings belong to the META from which it was read, or to the caller. */
struct prov {
    const char *field[3];
    int parent[PROV_PARENTS], nparents; /* numbers of earlier entries, ascending from 1, or 0 if
                                         * collapsed */
};

struct chain {
    struct prov p[2 * PROV_MAX + 4];
    int n;
};

static const char *prov_get(const struct meta *m, int number, const char *field)
{
    char key[64];
    snprintf(key, sizeof key, "prov.%d.%s", number, field);
    return meta_get(m, key);
}

/* Reads the entries of m in order. Returns their number. Entries of other programs beyond PROV_MAX
 * are ignored. */
static int read_chain(const struct meta *m, struct chain *c)
{
    c->n = 0;
    for (int k = 1; m && k <= PROV_MAX && prov_get(m, k, "tool"); k++) {
        struct prov *p = &c->p[c->n++];
        *p = (struct prov){0};
        for (int f = 0; f < 3; f++)
            p->field[f] = prov_get(m, k, FIELD[f]) ? prov_get(m, k, FIELD[f]) : "";
        const char *s = prov_get(m, k, "parents");
        while (s && *s && p->nparents < PROV_PARENTS) {
            char *end;
            long v = strtol(s, &end, 10);
            if (end == s || v < 0 || v >= k)
                break;
            p->parent[p->nparents++] = (int)v;
            s = end;
        }
    }
    return c->n;
}

static int same(const struct prov *a, const struct prov *b)
{
    for (int f = 0; f < 3; f++)
        if (strcmp(a->field[f], b->field[f]) != 0)
            return 0;
    if (a->nparents != b->nparents)
        return 0;
    for (int k = 0; k < a->nparents; k++)
        if (a->parent[k] != b->parent[k])
            return 0;
    return 1;
}

/* Appends an entry unless it exists, and returns its number. */
static int add(struct chain *c, const struct prov *p)
{
    for (int k = 0; k < c->n; k++)
        if (same(&c->p[k], p))
            return k + 1;
    c->p[c->n++] = *p;
    return c->n;
}

/* Adds the entries of b to c. Returns the new number of the last one, or 0 if b has no entries. */
static int merge(struct chain *c, const struct chain *b)
{
    int number[2 * PROV_MAX + 4] = {0}, last = 0;
    for (int k = 0; k < b->n; k++) {
        struct prov p = b->p[k];
        for (int j = 0; j < p.nparents; j++)
            p.parent[j] = number[p.parent[j]];
        last = number[k + 1] = add(c, &p);
    }
    return last;
}

/* Adds entry p to the hash of collapsed entries. */
static uint64_t fold(uint64_t hash, const struct prov *p)
{
    for (int f = 0; f < 3; f++)
        hash = XXH3_64bits_withSeed(p->field[f], strlen(p->field[f]), hash);
    return XXH3_64bits_withSeed(p->parent, sizeof p->parent[0] * (size_t)p->nparents, hash);
}

/* Writes the newest PROV_MAX entries to m. Older entries are replaced by prov.0.count and
 * prov.0.hash. */
static int write_chain(struct meta *m, const struct chain *c, unsigned long long count,
                       uint64_t hash)
{
    int drop = c->n > PROV_MAX ? c->n - PROV_MAX : 0, bad = 0;
    for (int k = 0; k < drop; k++)
        hash = fold(hash, &c->p[k]);
    count += (unsigned long long)drop;
    if (count > 0) {
        bad |= meta_setf(m, "prov.0.count", "%llu", count);
        bad |= meta_setf(m, "prov.0.hash", "%016llx", (unsigned long long)hash);
    }
    for (int k = drop; k < c->n; k++) {
        const struct prov *p = &c->p[k];
        char key[64], parents[64] = "";
        for (int f = 0; f < 3; f++) {
            snprintf(key, sizeof key, "prov.%d.%s", k - drop + 1, FIELD[f]);
            bad |= meta_set(m, key, p->field[f]);
        }
        for (int j = 0; j < p->nparents; j++) {
            int number = p->parent[j] > drop ? p->parent[j] - drop : 0;
            snprintf(parents + strlen(parents), sizeof parents - strlen(parents), "%s%d",
                     j ? " " : "", number);
        }
        snprintf(key, sizeof key, "prov.%d.parents", k - drop + 1);
        bad |= meta_set(m, key, p->nparents ? parents : NULL);
    }
    return bad ? -1 : 0;
}

/* Adds the entries that m has already collapsed. */
static void collapsed(const struct meta *m, unsigned long long *count, uint64_t *hash)
{
    unsigned long long n;
    const char *s = m ? meta_get(m, "prov.0.hash") : NULL;
    if (s && meta_get_u64(m, "prov.0.count", &n) == 1) {
        *count += n;
        *hash ^= strtoull(s, NULL, 16);
    }
}

static int copy_kept(struct meta *out, const struct meta *in)
{
    const char *key, *value;
    for (size_t i = 0; in && meta_at(in, i, &key, &value); i++)
        if (strncmp(key, "prov.", 5) != 0 && strncmp(key, "data.", 5) != 0 &&
            meta_set(out, key, value))
            return -1;
    return 0;
}

struct meta *meta_derive2(const struct meta *a, const struct meta *b, const char *tool,
                          const char *version, const char *args)
{
    struct meta *m = meta_new();
    struct chain *c = calloc(2, sizeof *c);
    unsigned long long count = 0;
    uint64_t hash = 0;
    struct prov p = {.field = {tool, version, args ? args : ""}};
    int bad = !m || !c || copy_kept(m, a);
    if (!bad) {
        int last = read_chain(a, &c[0]), other = 0;
        if (b) {
            read_chain(b, &c[1]);
            other = merge(&c[0], &c[1]);
        }
        if (last > 0)
            p.parent[p.nparents++] = last;
        if (other > 0 && other != last)
            p.parent[p.nparents++] = other;
        add(&c[0], &p);
        collapsed(a, &count, &hash);
        if (b != a)
            collapsed(b, &count, &hash);
        bad = write_chain(m, &c[0], count, hash);
    }
    free(c);
    if (!bad)
        return m;
    meta_free(m);
    return NULL;
}

struct meta *meta_derive(const struct meta *in, const char *tool, const char *version,
                         const char *args)
{
    return meta_derive2(in, NULL, tool, version, args);
}

const char *meta_last_tool(const struct meta *m)
{
    const char *tool = NULL;
    for (int k = 1; k <= PROV_MAX; k++) {
        const char *t = prov_get(m, k, "tool");
        if (!t)
            break;
        tool = t;
    }
    return tool;
}

/* Returns whether values are equal as text or, for keys of sys. except sys.species, as numbers. */
static int same_value(const char *key, const char *a, const char *b)
{
    double x, y;
    if (strcmp(a, b) == 0)
        return 1;
    if (strncmp(key, "sys.", 4) != 0 || strcmp(key, "sys.species") == 0)
        return 0;
    for (;;) {
        size_t n = strcspn(a += strspn(a, " "), " "), m = strcspn(b += strspn(b, " "), " ");
        if (n == 0 || m == 0)
            return n == m;
        if (decimal_get_f64(a, n, DECIMAL_OURS, &x) != 0 ||
            decimal_get_f64(b, m, DECIMAL_OURS, &y) != 0 || x != y)
            return 0;
        a += n;
        b += m;
    }
}

/* Returns the first key, except `but`, that begins with `prefix` and has another value, or NULL. */
static const char *differs(const struct meta *a, const struct meta *b, const char *prefix,
                           const char *but)
{
    const char *key, *value;
    for (int turn = 0; turn < 2; turn++) {
        const struct meta *x = turn ? b : a, *y = turn ? a : b;
        for (size_t i = 0; meta_at(x, i, &key, &value); i++) {
            const char *other =
                strncmp(key, prefix, strlen(prefix)) == 0 ? meta_get(y, key) : value;
            if (!other || (strcmp(key, but) != 0 && !same_value(key, other, value)))
                return key;
        }
    }
    return NULL;
}

const char *meta_differs(const struct meta *a, const struct meta *b, const char *prefix)
{
    return differs(a, b, prefix, "");
}

const char *meta_sys_differs(const struct meta *a, const struct meta *b)
{
    return differs(a, b, "sys.", "");
}

const char *meta_system_differs(const struct meta *a, const struct meta *b)
{
    return differs(a, b, "sys.", "sys.cell");
}
