/* SPDX-License-Identifier: MIT */
/* frame-check: verifies every checksum of a stream, and lists its content with -v. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "io/utf8.h"
#include "stream/frame_rules.h"

static bool strict;
static const struct cli_opt options[] = {
    CLI_OPT("strict", NULL, FLAG, &strict,
            "also check the contents of each frame: array shapes, cells, times, and whether all "
            "numbers are finite"),
    {0}};
static const struct cli_tool tool = {
    .name = "frame-check",
    .operands = "[FILE...]",
    .summary = "Verify frame streams and print one verdict per file. The exit status is 0 only if "
               "every stream is whole.",
    .opts = options,
    .examples = "  frame-check argon.mbf\n"
                "  frame-check --strict *.mbf\n"
                "  frame-check -v argon.mbf        # segments, META, arrays, hashes\n"
                "  beta-gen argon.mbf | frame-check\n",
    .max_operands = -1};

static const char *const dtypes[] = {"u8", "i32", "u32", "i64", "u64", "f32", "f64", "utf8"};
static const char *const statuses[] = {"complete", "limited on request", "partial"};

/* Arrays of one kind, which differ only in their number of steps. */
enum { KINDS = 32 };
struct kind {
    struct frame_desc first;
    uint64_t arrays, steps, bytes;
    double last;
};

struct report {
    struct cli_text *text;
    const struct cli_common *c;
    struct kind kind[KINDS];
    int nkinds;
    struct frame_rules rules;
    uint64_t segments, others, bytes, frames;
};

static void count(struct report *r, const struct frame *f)
{
    const struct frame_desc *d = &f->desc;
    int k = 0;
    for (; k < r->nkinds; k++) {
        const struct frame_desc *e = &r->kind[k].first;
        size_t from = frame_is_per_step(d) ? 1 : 0;
        if (memcmp(e->code, d->code, 4) == 0 && e->dtype == d->dtype && e->ndim == d->ndim &&
            memcmp(e->dims + from, d->dims + from, (4 - from) * sizeof d->dims[0]) == 0)
            break;
    }
    if (k == KINDS) {
        r->others++;
        return;
    }
    if (k == r->nkinds)
        r->kind[r->nkinds++] = (struct kind){.first = *d};
    r->kind[k].arrays++;
    r->kind[k].steps += d->dims[0];
    r->kind[k].bytes += f->bytes;
    r->kind[k].last = d->time;
}

static void show_hash(struct report *r, const char *name, const unsigned char h[16])
{
    char text[33];
    frame_hex(h, text);
    cli_text_printf(r->text, "  %-12s %s\n", name, text);
}

/* Prints text from the stream with terminal control characters escaped, in case the output is a
 * terminal. */
static void show_text(struct report *r, const char *s)
{
    for (size_t len; *s; s += len) {
        const unsigned char *p = (const unsigned char *)s;
        len = utf8_length(p, 4);
        bool obeyed = len && utf8_obeyed(p, len);
        len = len ? len : 1;
        for (size_t k = 0; obeyed && k < len; k++)
            cli_text_printf(r->text, "\\x%02x", p[k]);
        if (!obeyed)
            cli_text_write(r->text, s, len);
    }
}

static void show_meta(struct report *r, const struct meta *m)
{
    const char *key, *value;
    cli_text_printf(r->text, " segment %" PRIu64 "\n", r->segments);
    for (size_t i = 0; meta_at(m, i, &key, &value); i++) {
        cli_text_printf(r->text, "  %-20s ", key);
        show_text(r, value);
        cli_text_printf(r->text, "\n");
    }
}

static void show_kind(struct report *r, const struct kind *k)
{
    const struct frame_desc *d = &k->first;
    cli_text_printf(r->text, "  %.4s %-4s [", d->code, dtypes[d->dtype]);
    for (int i = 0; i < d->ndim; i++)
        cli_text_printf(r->text, i || !frame_is_per_step(d) ? "%s%" PRIu64 : "%sF", i ? "," : "",
                        d->dims[i]);
    cli_text_printf(r->text, "] %" PRIu64 " array%s", k->arrays, k->arrays == 1 ? "" : "s");
    if (frame_is_per_step(d)) {
        cli_text_printf(r->text, ", %" PRIu64 " steps from %" PRIu64, k->steps, d->index);
        if (!isnan(d->time))
            cli_text_printf(r->text, " at %.9g ps", d->time);
    }
    cli_text_printf(r->text, ", %" PRIu64 " bytes\n", k->bytes);
}

static void show_end(struct report *r, const struct frame_totals *t)
{
    static const unsigned char none[16];
    for (int k = 0; k < r->nkinds; k++)
        show_kind(r, &r->kind[k]);
    if (r->others)
        cli_text_printf(r->text, "  and %" PRIu64 " arrays of other kinds\n", r->others);
    cli_text_printf(r->text,
                    "  END %s: %" PRIu64 " frames, %" PRIu64 " arrays, %" PRIu64 " steps, %" PRIu64
                    " raw bytes, %" PRIu64 " on the wire (ratio %.3f)\n",
                    statuses[t->status], t->frames, t->arrays, t->steps, t->raw_bytes,
                    t->wire_bytes,
                    t->raw_bytes ? (double)t->wire_bytes / (double)t->raw_bytes : 1.0);
    show_hash(r, "stream", t->stream_hash);
    show_hash(r, "content", t->content_hash);
    for (int k = 0; k < 2; k++)
        if (memcmp(t->parent_hash[k], none, 16) != 0)
            show_hash(r, "parent", t->parent_hash[k]);
    if (memcmp(t->of_hash, none, 16) != 0)
        show_hash(r, "share of", t->of_hash);
}

/* Verifies one event of the stream and, with --strict, the rules of its type. Returns 0, or -1 with
 * the error in e, or in frame_error if e->status is 0. */
static int verify(struct report *r, struct frame_reader *in, struct frame *f, struct err *e)
{
    if (f->desc.type == FRAME_META)
        return strict ? frame_rules_meta(&r->rules, frame_meta(in), e) : 0;
    if (f->desc.type == FRAME_END)
        return strict ? frame_rules_end(&r->rules, e) : 0;
    if (!strict)
        return frame_drop(in);
    return frame_load(in, f) < 0 ? -1 : frame_rules_array(&r->rules, f, e);
}

/* Checks one stream to its end. Returns 0, or the status of its failure. */
static int check(struct report *r, struct frame_reader *in)
{
    struct frame f;
    struct err e = {0};
    struct frame_totals t = {0}, sum = {0};
    int rc;
    r->segments = 0;
    while ((rc = frame_peek(in, &f)) > 0) {
        if (f.desc.type == FRAME_META) {
            r->nkinds = 0;
            r->others = 0;
            if (r->c->verbose)
                show_meta(r, frame_meta(in));
        } else if (f.desc.type == FRAME_END) {
            frame_totals(in, &t);
            r->segments++;
            sum.frames += t.frames + 1;
            sum.arrays += t.arrays;
            sum.steps += t.steps;
            if (r->c->verbose)
                show_end(r, &t);
        } else {
            count(r, &f);
        }
        if (verify(r, in, &f, &e))
            break;
        cli_progress(frame_wire_bytes(in), frame_file_bytes(in), "bytes");
    }
    r->bytes += frame_wire_bytes(in);
    r->frames += sum.frames;
    if (rc == 0) {
        show_text(r, frame_name(in));
        cli_text_printf(r->text,
                        ": whole: %" PRIu64 " segment%s, %" PRIu64 " frames, %" PRIu64
                        " arrays, %" PRIu64 " steps, %" PRIu64 " bytes%s\n",
                        r->segments, r->segments == 1 ? "" : "s", sum.frames, sum.arrays, sum.steps,
                        frame_wire_bytes(in),
                        t.status == FRAME_LIMITED ? ", limited on request" : "");
    } else if (e.status)
        cli_error("%s: segment %" PRIu64 ": %s", frame_name(in),
                  r->segments - (f.desc.type == FRAME_END), e.text);
    else
        cli_error("%s", frame_error(in)->text);
    return rc == 0 ? CLI_OK : e.status ? e.status : frame_error(in)->status;
}

int main(int argc, char **argv)
{
    struct cli_common c;
    static struct report r;
    int worst = CLI_OK;
    cli_parse(&tool, argc, argv, &c);
    r.c = &c;
    r.text = cli_text_open(&c);
    for (int k = 0; k < cli_inputs(&c); k++) {
        struct frame_reader *in = cli_open(&c, cli_input_at(&c, k));
        int status = check(&r, in);
        frame_close_reader(in);
        worst = status > worst ? status : worst;
    }
    cli_summary(r.frames, r.bytes, NULL);
    return cli_text_close(r.text, worst);
}
