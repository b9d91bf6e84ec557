/* SPDX-License-Identifier: MIT */
#include "stats/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/drift.h"
#include "stats/series.h"
#include "stats/shard.h"
#include "stream/frame_rules.h"

enum { ARRAYS = 3 }; /* arrays of a CORR or HIST segment, at most (frame_rules.h) */

/* Keys that hold only for one run. */
static const char *const dropped[] = {"data.isotropy.", "data.correlation_time", "data.mesh.tail",
                                      NULL};
/* Keys that may differ. The values of the first two are added, and functions are compared
 * separately. */
enum { ADDED = 2 };
static const char *const other[] = {
    "data.blocks",   "data.steps",   "data.functions", "data.shard",   "data.runs",
    "data.label.of", "data.scatter", "data.times",     "data.changed", NULL};
static const char *const of_share[] = {"data.shard", "data.window", "data.whole.", NULL};

struct part {
    char *file;
    size_t segment;
    struct meta *meta;
    struct frame_totals totals;
    struct shard share; /* n is 0 for a whole run */
    int narrays;
    struct frame_desc desc[ARRAYS];
    unsigned char *data[ARRAYS];
};

struct merge {
    struct part *part; /* [parts] */
    size_t parts;
    const struct part *like; /* segment that the others must match, which is the first or, for
                              * parts of a run, a typical one */
    struct meta *first;      /* META of `like` without keys that may differ */
    uint64_t held, max_mem;  /* bytes of all arrays, and their limit */
    void (*left_out)(const char *name, const char *code); /* set to NULL after this call */
    struct frame_rules rules;                             /* rules for the segment being read */
    struct frame_desc desc[ARRAYS];                       /* headers of the written sums */
    unsigned char *sums[ARRAYS];
};

/* Sets e to a message that names the file and segment of part p, and returns -1. */
#define refuse(p, e, fmt, ...)                                                                     \
    err_in(e, ERR_BAD, (p)->file, 0, "segment %zu: " fmt, (p)->segment, ##__VA_ARGS__)

/* ---- reading */

static int read_array(struct merge *m, struct part *p, const struct frame *f, struct err *e)
{
    struct err why;
    if (f->desc.type == FRAME_OTHER) {
        if (m->left_out)
            m->left_out(p->file, f->desc.code);
        m->left_out = NULL;
        return 0;
    }
    if (f->desc.type != FRAME_CORR && f->desc.type != FRAME_HIST)
        return refuse(p, e, "expected sums (CORR of g4 and acf, HIST of rdf), found %s%s",
                      f->desc.code, f->desc.type == FRAME_SPEC ? ", which holds averages" : "");
    if (frame_rules_array(&m->rules, f, &why) != 0)
        return refuse(p, e, "%s", why.text);
    m->held += f->bytes; /* counted twice, because join_array() needs a copy */
    if (err_over(&why, 2.0 * (double)m->held, m->max_mem, NULL, "the sums of %zu segments",
                 m->parts))
        return err_set(e, ERR_MEMORY, "%s: segment %zu: %s", p->file, p->segment, why.text);
    unsigned char *data = malloc(f->bytes + 1);
    if (!data)
        return err_memory(e, "sums");
    memcpy(data, f->data, f->bytes);
    p->data[p->narrays] = data;
    p->desc[p->narrays++] = f->desc;
    return 0;
}

static int read_meta(struct merge *m, const struct frame_reader *r, struct err *e)
{
    struct err why;
    struct part *all = realloc(m->part, (m->parts + 1) * sizeof *all);
    if (!all)
        return err_memory(e, "parts");
    m->part = all;
    struct part *p = &all[m->parts];
    *p = (struct part){.segment = m->parts, .file = strdup(frame_name(r))};
    p->meta = meta_copy(frame_meta(r));
    m->parts++;
    if (!p->file || !p->meta)
        return err_memory(e, "META");
    if (frame_rules_meta(&m->rules, p->meta, &why) != 0)
        return refuse(p, e, "%s", why.text);
    const char *share = meta_get(p->meta, "data.shard"), *is = meta_get(p->meta, "data.quantity"),
               *first = meta_get(all->meta, "data.quantity");
    if (meta_differs(all->meta, p->meta, "data.quantity"))
        return refuse(p, e, "expected %.60s as in the first segment, found %.60s",
                      first ? first : "sums", is ? is : "a segment without data.quantity");
    if (share && shard_parse(share, &p->share, &why) != 0)
        return refuse(p, e, "expected K/N in data.shard, found another value");
    return 0;
}

static int read_end(struct merge *m, struct part *p, const struct frame_reader *r, struct err *e)
{
    struct err why;
    (void)!frame_totals(r, &p->totals);
    if (p->narrays == 0)
        return refuse(p, e, "expected sums, found no array");
    return frame_rules_end(&m->rules, &why) ? refuse(p, e, "%s", why.text) : 0;
}

int merge_add(struct merge *m, struct frame_reader *r, struct err *e)
{
    struct frame f;
    int rc, bad = 0;
    while (!bad && (rc = frame_next(r, &f)) > 0) {
        struct part *p = m->part + m->parts - (m->parts > 0);
        bad = f.desc.type == FRAME_META  ? read_meta(m, r, e)
              : f.desc.type == FRAME_END ? read_end(m, p, r, e)
                                         : read_array(m, p, &f, e);
    }
    if (!bad && rc < 0)
        *e = *frame_error(r);
    return bad || rc < 0 ? -1 : 0;
}

/* ---- checks */

/* Removes from `m` the keys that begin with one of the words. */
static void drop(struct meta *m, const char *const *words)
{
    const char *key, *value;
    for (const char *const *w = words; *w; w++)
        for (size_t i = 0; meta_at(m, i, &key, &value);)
            if (strncmp(key, *w, strlen(*w)) == 0)
                (void)meta_set(m, key, NULL);
            else
                i++;
}

/* Returns the keys of a META that must agree, or NULL if out of memory. Old sums of pairs used the
 * minimum image without stating it in data.sum or the convention. */
static struct meta *agreeing(const struct meta *m)
{
    struct meta *c = meta_copy(m);
    if (!c)
        return NULL;
    drop(c, dropped);
    drop(c, other);
    if (meta_get(c, "data.prefactor") &&
        (meta_set(c, "data.convention", "") ||
         (!meta_get(c, "data.sum") && meta_set(c, "data.sum", "mic")))) {
        meta_free(c);
        return NULL;
    }
    return c;
}

static int check_meta(const struct merge *m, const struct part *p, struct err *e)
{
    struct meta *same = agreeing(p->meta);
    if (!same)
        return err_memory(e, "META");
    const char *key = meta_system_differs(m->first, same), *a, *b;
    if (!key) /* the number of blocks depends on the window */
        key = meta_differs(m->first, same, "data.window");
    if (!key)
        key = meta_differs(m->first, same, "data.");
    a = key ? meta_get(m->first, key) : series_functions(m->like->meta);
    b = key ? meta_get(same, key) : series_functions(p->meta);
    if (!key && strcmp(a, b) != 0)
        key = "data.functions";
    if (key)
        (void)refuse(p, e, "expected %s %.100s, as in %.150s, found %.100s", key, a ? a : "absent",
                     m->like->file, b ? b : "absent");
    meta_free(same);
    return key ? -1 : 0;
}

static int check_arrays(const struct merge *m, const struct part *p, struct err *e)
{
    const struct part *first = m->part;
    for (int k = 0; k < p->narrays; k++) {
        const struct frame_desc *d = &p->desc[k], *f = &first->desc[k];
        if (d->type != f->type || d->dtype != f->dtype || d->ndim != f->ndim ||
            memcmp(d->dims + 1, f->dims + 1, 3 * sizeof d->dims[0]) != 0)
            return refuse(
                p, e, "expected the same arrays as in the first segment, found other dimensions");
    }
    return 0;
}

/* Refuses a run that is given twice, because errors would be too small. Returns 0, or -1 and sets
 * e. */
static int check_content(const struct merge *m, const struct part *p, struct err *e)
{
    for (const struct part *q = m->part; q < p; q++)
        if (memcmp(q->totals.content_hash, p->totals.content_hash, 16) == 0)
            return refuse(
                p, e, "expected a different run, found the same content as in segment %zu (%.200s)",
                (size_t)(q - m->part), q->file);
    return 0;
}

/* ---- parts of one run */

static int by_share(const void *a, const void *b)
{
    const struct part *p = a, *q = b;
    uint64_t k = p->share.k, l = q->share.k;
    return k != l ? (k > l) - (k < l) : (p->segment > q->segment) - (p->segment < q->segment);
}

/* Checks that p is a part of the same run as `like`, from the same program. Returns 0, or -1 and
 * sets e. */
static int check_share(const struct part *like, const struct part *p, struct err *e)
{
    unsigned long long k = p->share.k, n = p->share.n, all = like->share.n;
    const char *tool = meta_last_tool(p->meta), *want = meta_last_tool(like->meta);
    if (!n || !all)
        return refuse(n ? like : p, e,
                      "expected parts of one run, found a whole run (merge the parts first)");
    if (n != all)
        return refuse(p, e, "expected one of %llu parts as in %.200s, found part %llu/%llu", all,
                      like->file, k, n);
    if (memcmp(p->totals.of_hash, like->totals.of_hash, 16) != 0)
        return refuse(p, e,
                      "expected a part of the same input as %.200s, found a part of another input "
                      "(part %llu)",
                      like->file, k);
    if (!tool || !want || strcmp(tool, want) != 0)
        return refuse(p, e, "expected a part from %.60s as in %.200s, found a part from %.60s",
                      want ? want : "?", like->file, tool ? tool : "?");
    return 0;
}

/* Returns 1 if p and q are parts of one run with the same options, or else 0, or -1 if out of
 * memory. */
static int alike(const struct part *p, const struct part *q)
{
    if (p->share.n != q->share.n || memcmp(p->totals.of_hash, q->totals.of_hash, 16) != 0)
        return 0;
    struct meta *a = agreeing(p->meta), *b = agreeing(q->meta);
    int is = !a || !b ? -1 : !meta_differs(a, b, "data.");
    meta_free(a);
    meta_free(b);
    return is;
}

/* Finds a part that most parts match, by a vote in which pairs of different parts cancel. An error
 * then names the part that differs. */
static int find_max(struct merge *m, struct err *e)
{
    size_t votes = 0;
    for (const struct part *p = m->part; p < m->part + m->parts; p++) {
        int same = votes ? alike(p, m->like) : 1;
        if (same < 0)
            return err_memory(e, "META");
        if (votes == 0)
            m->like = p;
        votes += same ? 1 : -1;
    }
    return 0;
}

/* Sorts the parts, and checks that each part exists exactly once. Returns 0, or -1 and sets e. */
static int sort_shares(struct merge *m, struct err *e)
{
    char missing[ERR_BYTES];
    const struct part *end = m->part + m->parts;
    qsort(m->part, m->parts, sizeof *m->part, by_share);
    if (find_max(m, e))
        return -1;
    for (const struct part *p = m->part; p < end; p++)
        if (check_share(m->like, p, e))
            return -1;
    unsigned long long n = m->part->share.n, want = 1;
    for (const struct part *p = m->part + 1; p < end; p++)
        if (p->share.k == p[-1].share.k)
            return refuse(p, e, "expected every part once, found part %llu/%llu also in %.200s",
                          (unsigned long long)p->share.k, n, p[-1].file);
    size_t at = 0;
    for (const struct part *p = m->part; p <= end; p++, want++)
        for (uint64_t have = p < end ? p->share.k : n + 1; want < have; want++)
            at += at < 100   ? (size_t)snprintf(missing + at, sizeof missing - at, " %llu", want)
                  : at < 104 ? (size_t)snprintf(missing + at, sizeof missing - at, " ...")
                             : 0;
    return at ? err_bad(e, "expected %llu parts, found %zu (missing%s)", n, m->parts, missing) : 0;
}

/* ---- writing */

/* Sets data.runs to the number of blocks of every run, if errors must not combine blocks of
 * different runs. Parts belong to one run. Returns 0 or -1. */
static int add_runs(struct meta *out, const struct meta *part)
{
    const char *runs = meta_get(part, "data.runs"), *before = meta_get(out, "data.runs");
    if (!runs)
        runs = meta_get(part, "data.blocks");
    if (!meta_get(part, "data.errors") || !runs || meta_get(part, "data.shard"))
        return 0;
    return meta_setf(out, "data.runs", "%s%s%s", before ? before : "", before ? " " : "", runs);
}

/* Sets data.scatter to the lists of all runs. Returns 0 or -1. */
static int add_scatter(struct meta *out, const struct meta *part)
{
    const char *list = meta_get(part, "data.scatter"), *before = meta_get(out, "data.scatter");
    return list ? meta_setf(out, "data.scatter", "%s%s%s", before ? before : "", before ? " " : "",
                            list)
                : 0;
}

/* Returns the number of steps or time origins in a part. */
static double weight(const struct part *p)
{
    const struct frame_desc *d = p->desc;
    double n = 0.0;
    for (uint64_t b = 0; b < d->dims[0]; b++)
        n += d->type == FRAME_HIST
                 ? ((const double *)(const void *)
                        p->data[2])[b * (p->desc[2].ndim > 1 ? p->desc[2].dims[1] : 1)]
                 : (double)((const uint64_t *)(const void *)p->data[0])[b * d->dims[1]];
    return n;
}

/* Sets sys.cell to the cell of all parts, or the weighted mean of their cells. Returns 0 or -1. */
static int mean_cell(const struct merge *m, struct meta *out)
{
    double cell[9], mean[9] = {0}, all = 0.0;
    bool same = true;
    for (const struct part *p = m->part; p < m->part + m->parts; p++) {
        double w = weight(p);
        if (meta_get_f64(p->meta, "sys.cell", cell, 9) != 1)
            return 0;
        same &= meta_differs(m->part->meta, p->meta, "sys.cell") == NULL;
        all += w;
        for (int k = 0; k < 9; k++)
            mean[k] += w * cell[k];
    }
    for (int k = 0; k < 9; k++)
        mean[k] /= all;
    return same || !(all > 0.0) ? 0 : meta_set_f64(out, "sys.cell", mean, 9);
}

static int put_meta(const struct merge *m, struct frame_writer *w, const char *tool,
                    const char *version, const char *args, const char *changed, struct err *e)
{
    const struct part *p = m->part; /* the first two are parents, as in END */
    struct meta *out = meta_derive2(p->meta, m->parts > 1 ? p[1].meta : NULL, tool, version, args);
    unsigned long long sum[ADDED] = {0}, v;
    int bad = !out;
    for (size_t i = 0; !bad && i < m->parts; i++)
        bad = meta_copy_keys(out, p[i].meta, "data.");
    if (!bad)
        bad = meta_set(out, "data.runs", NULL) || meta_set(out, "data.scatter", NULL) ||
              (*changed && meta_set(out, "data.changed", changed)) || mean_cell(m, out);
    for (size_t i = 0; !bad && i < m->parts; i++) {
        for (int k = 0; k < ADDED; k++)
            if (meta_get_u64(p[i].meta, other[k], &v) == 1)
                bad |= meta_setf(out, other[k], "%llu", sum[k] += v);
        bad |= add_runs(out, p[i].meta) | add_scatter(out, p[i].meta);
        if (meta_differs(p[0].meta, p[i].meta, "data.times"))
            bad |= meta_set(out, "data.times", NULL);
    }
    if (!bad) {
        drop(out, dropped);
        drop(out, of_share);
    }
    if (bad)
        (void)err_memory(e, "META");
    else if ((bad = frame_put_meta(w, out)))
        *e = *frame_writer_error(w);
    meta_free(out);
    return bad ? -1 : 0;
}

static int join_array(struct merge *m, int k, struct err *e)
{
    struct frame_desc *d = &m->desc[k];
    *d = m->part->desc[k];
    d->dims[0] = 0;
    for (size_t i = 0; i < m->parts; i++)
        d->dims[0] += m->part[i].desc[k].dims[0];
    unsigned char *to = m->sums[k] = malloc(frame_bytes(d) + 1);
    if (!to)
        return err_memory(e, "the sums of all parts");
    for (size_t i = 0; i < m->parts; i++) {
        size_t n = frame_bytes(&m->part[i].desc[k]);
        memcpy(to, m->part[i].data[k], n);
        to += n;
    }
    return 0;
}

static void find_drift(const struct merge *m, char *text, size_t size)
{
    const struct frame_desc *d = &m->desc[1];
    const struct meta *meta = m->part->meta;
    const uint64_t *counts = (const void *)m->sums[0];
    const double *sums = (const void *)m->sums[1], *steps = (const void *)m->sums[2];
    size_t n[4] = {d->dims[0], d->dims[1], d->dims[2], d->dims[3]};
    if (d->type == FRAME_CORR)
        (void)drift_corr(meta, n[0], n[1], n[2], n[3], counts, sums, text, size);
    else
        (void)drift_hist(meta, n[0], n[1], n[2], counts, steps, 1, text, size);
}

int merge_put(struct merge *m, struct frame_writer *w, const char *tool, const char *version,
              const char *args, char *text, size_t size, struct err *e)
{
    bool shares = false;
    const struct part *p = m->part, *end = p + m->parts;
    *text = '\0';
    m->like = p;
    for (; p < end; p++)
        shares |= p->share.n != 0;
    if (shares && sort_shares(m, e))
        return -1;
    if (!(m->first = agreeing(m->like->meta)))
        return err_memory(e, "META");
    for (p = m->part; p < end; p++)
        if (check_meta(m, p, e) || check_arrays(m, p, e) || (!shares && check_content(m, p, e)))
            return -1;
    p = m->part;
    for (int k = 0; k < p->narrays; k++)
        if (join_array(m, k, e))
            return -1;
    if (shares)
        find_drift(m, text, size);
    if (put_meta(m, w, tool, version, args, text, e))
        return -1;
    for (int k = 0; k < p->narrays; k++)
        if (frame_put(w, &m->desc[k], m->sums[k]))
            return *e = *frame_writer_error(w), -1;
    if (frame_end(w, FRAME_COMPLETE, p->totals.stream_hash,
                  m->parts > 1 ? p[1].totals.stream_hash : NULL))
        return *e = *frame_writer_error(w), -1;
    return 0;
}

/* ---- */

struct merge *merge_open(uint64_t max_mem, void (*left_out)(const char *name, const char *code))
{
    struct merge *m = calloc(1, sizeof *m);
    if (m)
        *m = (struct merge){.max_mem = max_mem, .left_out = left_out};
    return m;
}

uint64_t merge_segments(const struct merge *m)
{
    return m->parts;
}

void merge_close(struct merge *m)
{
    if (!m)
        return;
    for (int k = 0; k < ARRAYS; k++)
        free(m->sums[k]);
    for (struct part *p = m->part; p < m->part + m->parts; p++) {
        for (int k = 0; k < p->narrays; k++)
            free(p->data[k]);
        free(p->file);
        meta_free(p->meta);
    }
    free(m->part);
    meta_free(m->first);
    free(m);
}
