/* SPDX-License-Identifier: MIT */
/* frame-merge: sums of several runs (CORR, HIST) as one: the blocks of every run, side by side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "stats/series.h"

static const struct cli_opt options[] = {{0}};
static const struct cli_tool tool = {"frame-merge",
                                     "[FILE...]",
                                     "Join the sums of several runs of one system (CORR or HIST): "
                                     "every run's blocks are kept, so averages and errors follow.",
                                     options,
                                     "  frame-merge run1.cf run2.cf run3.cf | bin2txt\n"
                                     "  cat gr.*.mbf | frame-merge -o gr.mbf\n",
                                     0,
                                     -1,
                                     true,
                                     NULL,
                                     false};

enum { ARRAYS = 3 }; /* of one CORR or HIST segment, at most */
enum { ADDED = 2 };
/* may differ: the first two are sums of the inputs', the functions are compared apart */
static const char *const other[] = {"data.blocks", "data.steps", "data.functions", NULL};
static const char *const dropped[] = {"data.isotropy.", "data.correlation_time",
                                      NULL}; /* results of one run */

struct joint {
    struct frame_writer *w;
    const char *args;
    struct meta *whole; /* META of the first segment */
    struct meta *out;   /* META to be, data.* and all */
    struct meta *first; /* what must agree: the first META without other and dropped keys */
    unsigned long long sum[2];
    struct frame_desc desc[ARRAYS];
    unsigned char *data[ARRAYS];
    size_t bytes[ARRAYS];
    bool left_out;   /* an array of unknown type, and said so */
    int narrays, at; /* arrays of the first segment; of this one so far */
    size_t segments;
    unsigned char parent[2][16];
    const char *file;  /* being read */
    struct part *part; /* [segments] where each came from, to find one that comes twice */
    struct err err;
};

struct part {
    unsigned char content[16];
    const char *file;
};

static int refuse(struct joint *j, const struct frame_reader *r, enum cli_status status,
                  const char *what)
{
    return err_set(&j->err, (int)status, "%s: segment %zu: %s", frame_name(r), j->segments, what);
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

/* Keys that must agree; sums of pairs from before there was a choice are of nearest images. */
static struct meta *agreeing(const struct meta *m)
{
    struct meta *c = without(m, other);
    if (c && meta_get(c, "data.prefactor") && !meta_get(c, "data.sum") &&
        meta_set(c, "data.sum", "mic")) {
        meta_free(c);
        return NULL;
    }
    return c;
}

/* Take in the META of a segment; 0, or -1 with j->err. */
static int on_meta(struct joint *j, const struct frame_reader *r)
{
    char what[512];
    struct meta *rest = without(frame_meta(r), dropped), *same = rest ? agreeing(rest) : NULL;
    if (!j->whole)
        j->whole = meta_copy(frame_meta(r));
    struct meta *out =
        j->segments > 1 ? meta_copy(j->out) /* the first two are parents, as in END */
        : rest && j->whole
            ? meta_derive2(j->whole, j->out ? rest : NULL, tool.name, CLI_VERSION, j->args)
            : NULL;
    bool ok = same && out && meta_copy_keys(out, rest, "data.") == 0;
    const char *key = NULL, *a, *b;
    for (int k = 0; ok && k < ADDED; k++) {
        unsigned long long v;
        if (meta_get_u64(rest, other[k], &v) != 1)
            continue;
        j->sum[k] += v;
        ok = meta_setf(out, other[k], "%llu", j->sum[k]) == 0;
    }
    if (ok && j->first && !(key = meta_differs(j->first, same, "data.quantity")) &&
        !(key = meta_sys_differs(j->first, same)))
        key = meta_differs(j->first, same, "data.");
    a = ok ? series_functions(j->whole) : "";
    b = series_functions(frame_meta(r));
    if (ok && !key && strcmp(a, b) != 0)
        key = "data.functions";
    else if (key) {
        a = meta_get(j->first, key);
        b = meta_get(same, key);
    }
    if (key && strcmp(key, "data.quantity") == 0)
        snprintf(what, sizeof what, "expected %.60s as in the first segment, found %.60s",
                 a ? a : "sums", b ? b : "what does not say its data.quantity");
    else if (key)
        snprintf(
            what, sizeof what,
            "expected the parameters of the first segment, found %s %.100s here and %.100s there",
            key, b ? b : "absent", a ? a : "absent");
    meta_free(rest);
    if (ok && !key && !j->first) {
        j->first = same;
        same = NULL;
    }
    meta_free(same);
    if (key || !ok) {
        meta_free(out);
        return key ? refuse(j, r, CLI_BAD, what) : refuse(j, r, CLI_MEMORY, "out of memory");
    }
    meta_free(j->out);
    j->out = out;
    j->at = 0;
    return 0;
}

/* Append the blocks of one array to those of the segments before. */
static int on_array(struct joint *j, const struct frame_reader *r, const struct frame *f)
{
    int k = j->at++;
    struct frame_desc *d = k < ARRAYS ? &j->desc[k] : NULL;
    if (f->desc.type == FRAME_OTHER) {
        if (!j->left_out)
            cli_left_out(frame_name(r), f->desc.code);
        j->left_out = true;
        return j->at--, 0;
    }
    if (f->desc.type != FRAME_CORR && f->desc.type != FRAME_HIST) {
        char what[128];
        snprintf(what, sizeof what, "expected sums (CORR of g4 and acf, HIST of rdf), found %s%s",
                 f->desc.code, f->desc.type == FRAME_SPEC ? ": averages, no longer sums" : "");
        return refuse(j, r, CLI_BAD, what);
    }
    if (!d || (j->segments > 0 && k >= j->narrays))
        return refuse(j, r, CLI_BAD, "expected as many arrays as in the first segment, found more");
    if (j->segments == 0) {
        *d = f->desc;
        d->dims[0] = 0;
    } else if (d->type != f->desc.type || d->dtype != f->desc.dtype || d->ndim != f->desc.ndim ||
               memcmp(d->dims + 1, f->desc.dims + 1, 3 * sizeof d->dims[0]) != 0) {
        return refuse(j, r, CLI_BAD,
                      "expected arrays like those of the first segment, found other dimensions");
    }
    unsigned char *p = realloc(j->data[k], j->bytes[k] + f->bytes + 1);
    if (!p)
        return refuse(j, r, CLI_MEMORY, "out of memory");
    memcpy(p + j->bytes[k], f->data, f->bytes);
    j->data[k] = p;
    j->bytes[k] += f->bytes;
    d->dims[0] += f->desc.dims[0];
    return 0;
}

/* A run that is given twice would count twice, and its error shrink. */
static int on_hashes(struct joint *j, const struct frame_reader *r)
{
    char what[512];
    struct frame_totals t = {0};
    (void)!frame_totals(r, &t);
    if (j->segments < 2)
        memcpy(j->parent[j->segments], t.stream_hash, 16);
    for (size_t k = 0; k < j->segments; k++)
        if (memcmp(j->part[k].content, t.content_hash, 16) == 0) {
            snprintf(what, sizeof what,
                     "expected another run, found the content of segment %zu (%.200s) again", k,
                     j->part[k].file);
            return refuse(j, r, CLI_BAD, what);
        }
    struct part *p = realloc(j->part, (j->segments + 1) * sizeof *p);
    if (!p)
        return refuse(j, r, CLI_MEMORY, "out of memory");
    j->part = p;
    p[j->segments].file = j->file;
    memcpy(p[j->segments].content, t.content_hash, 16);
    return 0;
}

static int on_end(struct joint *j, const struct frame_reader *r)
{
    if (j->segments == 0)
        j->narrays = j->at;
    if (j->at != j->narrays || j->at == 0)
        return refuse(j, r, CLI_BAD,
                      "expected as many arrays as in the first segment, found fewer");
    if (on_hashes(j, r))
        return -1;
    j->segments++;
    return 0;
}

static int add_input(struct joint *j, struct frame_reader *r)
{
    struct frame f;
    int rc, bad = 0;
    while (!bad && (rc = frame_next(r, &f)) > 0)
        bad = f.desc.type == FRAME_META  ? on_meta(j, r)
              : f.desc.type == FRAME_END ? on_end(j, r)
                                         : on_array(j, r, &f);
    if (!bad && rc < 0)
        j->err = *frame_error(r);
    return bad || rc < 0 ? -1 : 0;
}

static int put_all(struct joint *j)
{
    if (frame_put_meta(j->w, j->out))
        return -1;
    for (int k = 0; k < j->narrays; k++)
        if (frame_put(j->w, &j->desc[k], j->data[k]))
            return -1;
    return frame_end(j->w, FRAME_COMPLETE, j->parent[0], j->segments > 1 ? j->parent[1] : NULL);
}

int main(int argc, char **argv)
{
    struct cli_common c;
    static struct joint j;
    char *none[] = {(char[]){"-"}};
    cli_parse(&tool, argc, argv, &c);
    char **file = c.noperands ? c.operands : none;
    j.args = c.args;
    j.w = cli_create(&c);
    for (int k = 0; k < (c.noperands ? c.noperands : 1); k++) {
        bool is_stdin = strcmp(file[k], "-") == 0;
        j.file = is_stdin ? "stdin" : file[k];
        struct frame_reader *r = cli_open(&c, is_stdin ? NULL : file[k]);
        if (add_input(&j, r))
            return cli_fail(j.w, r, &j.err);
        frame_close_reader(r);
    }
    if (put_all(&j))
        return cli_fail(j.w, NULL, frame_writer_error(j.w));
    cli_summary(j.segments, frame_written(j.w), NULL);
    for (int k = 0; k < ARRAYS; k++)
        free(j.data[k]);
    free(j.part);
    meta_free(j.whole);
    meta_free(j.out);
    meta_free(j.first);
    return cli_close(j.w);
}
