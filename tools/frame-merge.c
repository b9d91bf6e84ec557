/* SPDX-License-Identifier: MIT */
/* frame-merge: sums of several runs (CORR, HIST) as one: the blocks of every run, side by side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "stats/drift.h"
#include "stats/series.h"
#include "stream/frame_rules.h"

static const struct cli_opt options[] = {{0}};
static const struct cli_tool tool = {
    .name = "frame-merge",
    .operands = "[FILE...]",
    .summary = "Join the sums of several runs of one system (CORR or HIST): "
               "every run's blocks are kept, so averages and errors follow.",
    .opts = options,
    .examples = "  frame-merge run1.cf run2.cf run3.cf | bin2txt\n"
                "  for k in 1 2 3; do rdf-cpu --shard $k/3 run1.mbf -o gr.$k; done\n"
                "  frame-merge gr.? -o gr.mbf\n"
                "  cat gr.*.mbf | frame-merge -o gr.mbf\n",
    .max_operands = -1,
    .writes_frames = true};

enum { ARRAYS = 3 }; /* of one CORR or HIST segment, at most (frame_rules.h) */
enum { ADDED = 2 };
/* may differ: the first two are sums of the inputs', the functions are compared apart */
static const char *const other[] = {"data.blocks", "data.steps", "data.functions",
                                    "data.shard",  "data.runs",  NULL};
static const char *const dropped[] = {"data.isotropy.", "data.correlation_time", "data.mesh.tail",
                                      NULL}; /* results of one run */

/* One segment. */
struct part {
    char *file;
    size_t segment;
    struct meta *meta;
    struct frame_totals totals;
    uint64_t k, n; /* share k of n; n 0: a whole run */
    int narrays;
    struct frame_desc desc[ARRAYS];
    unsigned char *data[ARRAYS];
};

struct joint {
    const char *args;
    struct part *part; /* [parts] */
    size_t parts;
    const struct part *like; /* whom the others must be like: the first, of shares one of most */
    bool shares;             /* all parts are shares of one run */
    struct meta *out;        /* META to be, data.* and all */
    struct meta *first;      /* what must agree: META of like without other and dropped keys */
    unsigned long long sum[ADDED];
    uint64_t held, max_mem;         /* bytes of all arrays; what may be held of them */
    bool left_out;                  /* an array of unknown type, and said so */
    struct frame_rules rules;       /* of the segment that is read */
    struct frame_desc desc[ARRAYS]; /* of the sums that were written */
    unsigned char *sums[ARRAYS];
    struct err err;
};

static int refuse(struct joint *j, const struct part *p, int status, const char *what)
{
    return err_set(&j->err, status, "%s: segment %zu: %s", p->file, p->segment, what);
}

/* A copy of m without keys that begin with one of the words. */
static struct meta *without(const struct meta *m, const char *const *words)
{
    struct meta *c = meta_new();
    const char *key, *value;
    for (size_t i = 0; c && meta_at(m, i, &key, &value); i++) {
        bool skip = false;
        for (const char *const *w = words; *w; w++)
            skip |= strncmp(key, *w, strlen(*w)) == 0;
        if (!skip && meta_set(c, key, value)) {
            meta_free(c);
            return NULL;
        }
    }
    return c;
}

/* Keys that must agree; sums of pairs from before there was a choice are of nearest images, and
 * their convention did not say so. */
static struct meta *agreeing(const struct meta *m)
{
    struct meta *rest = without(m, dropped), *c = rest ? without(rest, other) : NULL;
    meta_free(rest);
    if (c && meta_get(c, "data.prefactor") &&
        (meta_set(c, "data.convention", "") ||
         (!meta_get(c, "data.sum") && meta_set(c, "data.sum", "mic")))) {
        meta_free(c);
        return NULL;
    }
    return c;
}

/* data.runs: the blocks of every run, where errors come from blocks that must not be merged across.
 */
static bool add_runs(struct joint *j, const struct meta *rest, struct meta *out)
{
    const char *runs = meta_get(rest, "data.runs"),
               *before = j->out ? meta_get(j->out, "data.runs") : NULL;
    if (!runs)
        runs = meta_get(rest, "data.blocks");
    if (!meta_get(rest, "data.errors") || !runs || meta_get(rest, "data.shard"))
        return true; /* shares are of one run */
    size_t size = (before ? strlen(before) : 0) + strlen(runs) + 2;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s", before ? before : "", before ? " " : "", runs);
    bool ok = text && meta_set(out, "data.runs", text) == 0;
    free(text);
    return ok;
}

/* Take the META of a part into the one to be; 0, or -1 with j->err. */
static int on_meta(struct joint *j, const struct part *p)
{
    char what[512];
    struct meta *rest = without(p->meta, dropped), *same = rest ? agreeing(rest) : NULL;
    struct meta *out =
        p - j->part > 1 ? meta_copy(j->out) /* the first two are parents, as in END */
        : rest ? meta_derive2(j->part->meta, j->out ? rest : NULL, tool.name, CLI_VERSION, j->args)
               : NULL;
    bool ok = same && out && meta_copy_keys(out, rest, "data.") == 0 &&
              meta_set(out, "data.shard", NULL) == 0 && meta_set(out, "data.window", NULL) == 0;
    const char *key = NULL, *a, *b;
    for (int k = 0; ok && k < ADDED; k++) {
        unsigned long long v;
        if (meta_get_u64(rest, other[k], &v) != 1)
            continue;
        j->sum[k] += v;
        ok = meta_setf(out, other[k], "%llu", j->sum[k]) == 0;
    }
    ok = ok && add_runs(j, rest, out);
    if (ok && j->first && !(key = meta_sys_differs(j->first, same)))
        key = meta_differs(j->first, same, "data.");
    a = ok ? series_functions(j->like->meta) : "";
    b = series_functions(p->meta);
    if (ok && !key && strcmp(a, b) != 0)
        key = "data.functions";
    else if (key) {
        a = meta_get(j->first, key);
        b = meta_get(same, key);
    }
    if (key)
        snprintf(what, sizeof what, "expected %s %.100s, as in %.150s, found %.100s", key,
                 a ? a : "absent", j->like->file, b ? b : "absent");
    meta_free(rest);
    if (ok && !key && !j->first) {
        j->first = same;
        same = NULL;
    }
    meta_free(same);
    if (key || !ok) {
        meta_free(out);
        return key ? refuse(j, p, ERR_BAD, what) : refuse(j, p, ERR_MEMORY, "out of memory");
    }
    meta_free(j->out);
    j->out = out;
    return 0;
}

/* Are the arrays of a part like those of the first? */
static int on_arrays(struct joint *j, const struct part *p)
{
    const struct part *first = j->part;
    if (p->narrays != first->narrays)
        return refuse(j, p, ERR_BAD,
                      p->narrays < first->narrays
                          ? "expected as many arrays as in the first segment, found fewer"
                          : "expected as many arrays as in the first segment, found more");
    for (int k = 0; k < p->narrays; k++) {
        const struct frame_desc *d = &p->desc[k], *f = &first->desc[k];
        if (d->type != f->type || d->dtype != f->dtype || d->ndim != f->ndim ||
            memcmp(d->dims + 1, f->dims + 1, 3 * sizeof d->dims[0]) != 0)
            return refuse(
                j, p, ERR_BAD,
                "expected arrays like those of the first segment, found other dimensions");
    }
    return 0;
}

/* A run that is given twice would count twice, and its error shrink. */
static int on_content(struct joint *j, const struct part *p)
{
    char what[512];
    for (const struct part *q = j->part; q < p; q++)
        if (memcmp(q->totals.content_hash, p->totals.content_hash, 16) == 0) {
            snprintf(what, sizeof what,
                     "expected another run, found the content of segment %zu (%.200s) again",
                     (size_t)(q - j->part), q->file);
            return refuse(j, p, ERR_BAD, what);
        }
    return 0;
}

/* ---- reading */

/* The next array of a part. 0, or -1 with j->err. */
static int read_array(struct joint *j, struct part *p, const struct frame *f)
{
    char what[128];
    struct err why;
    if (f->desc.type == FRAME_OTHER) {
        if (!j->left_out)
            cli_left_out(p->file, f->desc.code);
        j->left_out = true;
        return 0;
    }
    if (f->desc.type != FRAME_CORR && f->desc.type != FRAME_HIST) {
        snprintf(what, sizeof what, "expected sums (CORR of g4 and acf, HIST of rdf), found %s%s",
                 f->desc.code, f->desc.type == FRAME_SPEC ? ": averages, no longer sums" : "");
        return refuse(j, p, ERR_BAD, what);
    }
    if (frame_rules_array(&j->rules, f, &why) != 0)
        return refuse(j, p, ERR_BAD, why.text);
    j->held += f->bytes; /* and once more as one array (put_array) */
    if (err_over(&why, 2.0 * (double)j->held, j->max_mem, NULL, "the sums of %zu segments",
                 j->parts))
        return refuse(j, p, ERR_MEMORY, why.text);
    unsigned char *data = malloc(f->bytes + 1);
    if (!data)
        return refuse(j, p, ERR_MEMORY, "out of memory");
    memcpy(data, f->data, f->bytes);
    p->data[p->narrays] = data;
    p->desc[p->narrays++] = f->desc;
    return 0;
}

/* A new part of r, whose META was just read. NULL with j->err. */
static struct part *read_meta(struct joint *j, const struct frame_reader *r)
{
    unsigned long long k, n;
    char what[256];
    struct err why;
    struct part *all = realloc(j->part, (j->parts + 1) * sizeof *all);
    if (!all) {
        err_memory(&j->err, "parts");
        return NULL;
    }
    j->part = all;
    struct part *p = &all[j->parts];
    *p = (struct part){.segment = j->parts, .file = strdup(frame_name(r))};
    p->meta = meta_copy(frame_meta(r));
    j->parts++;
    if (!p->file || !p->meta) {
        err_memory(&j->err, "META");
        return NULL;
    }
    if (frame_rules_meta(&j->rules, p->meta, &why) != 0) {
        refuse(j, p, ERR_BAD, why.text);
        return NULL;
    }
    const char *share = meta_get(p->meta, "data.shard"), *is = meta_get(p->meta, "data.quantity"),
               *first = meta_get(j->part->meta, "data.quantity");
    if (meta_differs(j->part->meta, p->meta, "data.quantity")) {
        snprintf(what, sizeof what, "expected %.60s as in the first segment, found %.60s",
                 first ? first : "sums", is ? is : "what does not say its data.quantity");
        refuse(j, p, ERR_BAD, what);
        return NULL;
    }
    if (!share)
        return p;
    if (sscanf(share, "%llu/%llu", &k, &n) != 2 || k < 1 || k > n) {
        refuse(j, p, ERR_BAD, "expected K/N in data.shard, found something else");
        return NULL;
    }
    p->k = k;
    p->n = n;
    return p;
}

static int read_end(struct joint *j, struct part *p, const struct frame_reader *r)
{
    struct err why;
    (void)!frame_totals(r, &p->totals);
    if (p->narrays == 0)
        return refuse(j, p, ERR_BAD, "expected sums, found no array");
    return frame_rules_end(&j->rules, &why) ? refuse(j, p, ERR_BAD, why.text) : 0;
}

static int add_input(struct joint *j, struct frame_reader *r)
{
    struct frame f;
    struct part *p = NULL;
    int rc, bad = 0;
    while (!bad && (rc = frame_next(r, &f)) > 0)
        bad = f.desc.type == FRAME_META  ? !(p = read_meta(j, r))
              : f.desc.type == FRAME_END ? read_end(j, p, r)
                                         : read_array(j, p, &f);
    if (!bad && rc < 0)
        j->err = *frame_error(r);
    return bad || rc < 0 ? -1 : 0;
}

/* ---- shares */

static int by_share(const void *a, const void *b)
{
    const struct part *p = a, *q = b;
    return p->k != q->k ? (p->k > q->k) - (p->k < q->k)
                        : (p->segment > q->segment) - (p->segment < q->segment);
}

/* Are two parts shares of one run, made alike? */
static int check_share(struct joint *j, const struct part *p)
{
    const struct part *first = j->like;
    const char *tool_p = meta_last_tool(p->meta), *tool_f = meta_last_tool(first->meta);
    char what[512];
    if (!p->n || !first->n)
        snprintf(what, sizeof what,
                 "expected shares of one run, found a whole run: merge the "
                 "shares first");
    else if (p->n != first->n)
        snprintf(what, sizeof what, "expected a share of %llu, as %.200s, found share %llu/%llu",
                 (unsigned long long)first->n, first->file, (unsigned long long)p->k,
                 (unsigned long long)p->n);
    else if (memcmp(p->totals.of_hash, first->totals.of_hash, 16) != 0)
        snprintf(what, sizeof what,
                 "expected a share of the input of %.200s, found one of another input (share %llu)",
                 first->file, (unsigned long long)p->k);
    else if (!tool_p || !tool_f || strcmp(tool_p, tool_f) != 0)
        snprintf(what, sizeof what, "expected a share by %.60s, as %.200s, found one by %.60s",
                 tool_f ? tool_f : "?", first->file, tool_p ? tool_p : "?");
    else
        return 0;
    return refuse(j, p->n && !first->n ? first : p, ERR_BAD, what);
}

/* Are two parts shares of one run, made with the same options? -1: no memory. */
static int alike(const struct part *p, const struct part *q)
{
    if (p->n != q->n || memcmp(p->totals.of_hash, q->totals.of_hash, 16) != 0)
        return 0;
    struct meta *a = agreeing(p->meta), *b = agreeing(q->meta);
    int is = !a || !b ? -1 : !meta_differs(a, b, "data.");
    meta_free(a);
    meta_free(b);
    return is;
}

/* A part like most of them, so that the stranger is named and not those that it is laid beside: who
 * is left of a vote in which unlike ones cancel. */
static int most(struct joint *j)
{
    size_t votes = 0;
    for (const struct part *p = j->part; p < j->part + j->parts; p++) {
        int same = votes ? alike(p, j->like) : 1;
        if (same < 0)
            return err_memory(&j->err, "META");
        if (votes == 0)
            j->like = p;
        votes += same ? 1 : -1;
    }
    return (j->first = agreeing(j->like->meta)) ? 0 : err_memory(&j->err, "META");
}

/* Every share of the run once, in order. */
static int sort_shares(struct joint *j)
{
    char what[ERR_BYTES];
    qsort(j->part, j->parts, sizeof *j->part, by_share);
    if (most(j))
        return -1;
    for (size_t i = 0; i < j->parts; i++)
        if (check_share(j, &j->part[i]))
            return -1;
    for (size_t i = 1; i < j->parts; i++)
        if (j->part[i].k == j->part[i - 1].k) {
            snprintf(what, sizeof what,
                     "expected every share once, found share %llu/%llu in %.200s, too",
                     (unsigned long long)j->part[i].k, (unsigned long long)j->part[i].n,
                     j->part[i - 1].file);
            return refuse(j, &j->part[i], ERR_BAD, what);
        }
    uint64_t n = j->part->n, want = 1;
    size_t at = 0;
    for (size_t i = 0; i <= j->parts; i++, want++)
        for (uint64_t have = i < j->parts ? j->part[i].k : n + 1; want < have; want++)
            at += at < 100   ? (size_t)snprintf(what + at, sizeof what - at, " %llu",
                                                (unsigned long long)want)
                  : at < 104 ? (size_t)snprintf(what + at, sizeof what - at, " ...")
                             : 0;
    return at ? err_set(&j->err, ERR_BAD, "expected %llu shares, found %zu: missing%s",
                        (unsigned long long)n, j->parts, what)
              : 0;
}

/* ---- writing */

/* Array k of all parts, one behind the other. */
static int put_array(struct joint *j, struct frame_writer *w, int k)
{
    struct frame_desc d = j->part->desc[k];
    size_t bytes = 0;
    d.dims[0] = 0;
    for (size_t i = 0; i < j->parts; i++) {
        d.dims[0] += j->part[i].desc[k].dims[0];
        bytes += frame_bytes(&j->part[i].desc[k]);
    }
    unsigned char *all = malloc(bytes + 1), *to = all;
    if (!all)
        return err_memory(&j->err, "the sums of all parts");
    for (size_t i = 0; i < j->parts; i++) {
        size_t n = frame_bytes(&j->part[i].desc[k]);
        memcpy(to, j->part[i].data[k], n);
        to += n;
    }
    int rc = frame_put(w, &d, all);
    j->desc[k] = d;
    j->sums[k] = all;
    return rc ? (j->err = *frame_writer_error(w), -1) : 0;
}

static int put_all(struct joint *j, struct frame_writer *w)
{
    if (frame_put_meta(w, j->out))
        return j->err = *frame_writer_error(w), -1;
    for (int k = 0; k < j->part->narrays; k++)
        if (put_array(j, w, k))
            return -1;
    if (frame_end(w, FRAME_COMPLETE, j->part[0].totals.stream_hash,
                  j->parts > 1 ? j->part[1].totals.stream_hash : NULL))
        return j->err = *frame_writer_error(w), -1;
    return 0;
}

/* All parts are read: what they add up to. */
static int join(struct joint *j, struct frame_writer *w)
{
    j->like = j->part;
    for (size_t i = 0; i < j->parts; i++)
        j->shares |= j->part[i].n != 0;
    if (j->shares && sort_shares(j))
        return -1;
    for (struct part *p = j->part; p < j->part + j->parts; p++)
        if (on_meta(j, p) || on_arrays(j, p) || (!j->shares && on_content(j, p)))
            return -1;
    return put_all(j, w);
}

/* What the shares could not know: that the sample changed. */
static void say(const struct joint *j)
{
    const struct frame_desc *d = &j->desc[1];
    const uint64_t *counts = (const void *)j->sums[0];
    const double *sums = (const void *)j->sums[1], *steps = (const void *)j->sums[2];
    size_t n[4] = {d->dims[0], d->dims[1], d->dims[2], d->dims[3]};
    char text[512];
    if (j->shares &&
        (d->type == FRAME_CORR
             ? drift_corr(j->out, n[0], n[1], n[2], n[3], counts, sums, text, sizeof text)
             : drift_hist(j->out, n[0], n[1], n[2], counts, steps, 1, text, sizeof text)))
        cli_warn("%s", text);
}

static void free_parts(struct joint *j)
{
    for (int k = 0; k < ARRAYS; k++)
        free(j->sums[k]);
    for (struct part *p = j->part; p < j->part + j->parts; p++) {
        for (int k = 0; k < p->narrays; k++)
            free(p->data[k]);
        free(p->file);
        meta_free(p->meta);
    }
    free(j->part);
    meta_free(j->out);
    meta_free(j->first);
}

int main(int argc, char **argv)
{
    struct cli_common c;
    struct joint j = {0};
    char *none[] = {(char[]){"-"}};
    uint64_t bytes = 0;
    cli_parse(&tool, argc, argv, &c);
    char **file = c.noperands ? c.operands : none;
    j.args = c.args;
    j.max_mem = c.max_mem;
    struct frame_writer *w = cli_create(&c);
    int bad = 0;
    for (int k = 0; !bad && k < (c.noperands ? c.noperands : 1); k++) {
        struct frame_reader *r = cli_open(&c, strcmp(file[k], "-") == 0 ? NULL : file[k]);
        bad = add_input(&j, r) ? cli_fail(w, r, &j.err) : 0;
        bytes += frame_wire_bytes(r);
        frame_close_reader(r);
    }
    if (!bad && join(&j, w))
        bad = cli_fail(w, NULL, &j.err);
    if (!bad) {
        say(&j);
        cli_summary(j.parts, bytes, NULL);
    }
    free_parts(&j);
    return bad ? bad : cli_close(w);
}
