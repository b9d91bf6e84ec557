/* SPDX-License-Identifier: MIT */
/* compare: tests whether two frame streams of one type agree within tolerances or error bars. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "stats/series.h"
#include "stats/tolerance.h"
#include "stream/frame_rules.h"

static struct tolerance tol = {NAN, NAN, NAN};
static const struct cli_opt options[] = {
    CLI_OPT("rtol", "X", REAL, &tol.rtol,
            "relative tolerance (default: 1e-9, or 0 for integers and positions)", .max = 1e300),
    CLI_OPT("atol", "X", REAL, &tol.atol,
            "absolute tolerance (default: --rtol times the largest absolute value in the column)",
            .max = 1e300),
    CLI_OPT("sigma", "K", REAL, &tol.sigma,
            "accept differences of up to K combined standard errors", .max = 1e300),
    {0}};
static const struct cli_tool tool = {
    .name = "compare",
    .operands = "A B",
    .summary = "Compare two streams of the same kind. The exit status is 0 if they agree, 1 if "
               "they differ, and 2 if they cannot be compared.",
    .opts = options,
    .differs = "1 the streams differ",
    .examples = "  g4-cpu --lags 8 argon.mbf | compare - reference.mbf\n"
                "  compare --rtol 1e-6 cpu.mbf gpu.mbf\n"
                "  compare --sigma 3 run1.mbf run2.mbf\n",
    .min_operands = 2,
    .max_operands = 2};

/* One of the two inputs. */
struct side {
    struct frame_reader *r;
    struct frame f;
    struct series s;
    struct series_steps steps;
};

static struct err fault;

/* Advances to the first array (or the END) of the next segment. Returns 1, 0 at the end of the
 * stream, or -1. */
static int next_segment(struct side *x)
{
    int got;
    x->f.data = NULL;
    while ((got = frame_next(x->r, &x->f)) > 0 &&
           (x->f.desc.type == FRAME_META || x->f.desc.type == FRAME_OTHER))
        ;
    if (got < 0)
        fault = *frame_error(x->r);
    return got;
}

/* Streams with equal content hashes agree, even if some values are undefined. */
static bool same_content(const struct side *a, const struct side *b)
{
    struct frame_totals ta, tb;
    return frame_totals(a->r, &ta) && frame_totals(b->r, &tb) &&
           memcmp(ta.content_hash, tb.content_hash, 16) == 0 &&
           !meta_sys_differs(frame_meta(a->r), frame_meta(b->r));
}

static void put_table(struct cli_text *out, const struct side *a, const struct tolerance_table *t,
                      bool same)
{
    cli_text_printf(out, "# column points max_rel mean_rel max_abs at_%s%s verdict\n", t->axis,
                    isnan(tol.sigma) ? "" : " max_sigmas");
    for (size_t i = 0; i < t->ncols; i++) {
        const struct tolerance_column *c = &t->col[i];
        char where[64] = "-";
        int verdict = same ? 1 : tolerance_judge(c, &tol);
        uint64_t compared = c->points - c->nan_one - c->nan_both - c->unjudged;
        if (c->points == 0)
            continue;
        if (c->max_abs > 0)
            tolerance_where(t, a->s.v ? &a->s : NULL, c->at_abs, where, sizeof where);
        cli_text_printf(out, "%s %llu %.3g %.3g %.3g %s", c->name, (unsigned long long)c->points,
                        c->max_rel, compared ? c->sum_rel / (double)compared : 0.0, c->max_abs,
                        where);
        if (!isnan(tol.sigma))
            cli_text_printf(out, c->has_se ? " %.3g" : " -", c->max_sigma);
        cli_text_printf(out, " %s\n", verdict < 0 ? "not-judged" : verdict ? "agree" : "differ");
        if (c->unjudged)
            cli_text_printf(out, "## %s has no standard error at %llu points: not judged there\n",
                            c->name, (unsigned long long)c->unjudged);
        if (c->nan_one || c->nan_both)
            cli_text_printf(
                out, "## %s is not a number at %llu points in one stream, at %llu in both\n",
                c->name, (unsigned long long)c->nan_one, (unsigned long long)c->nan_both);
    }
}

/* Prints the tolerances of the comparison. */
static void put_tolerances(struct cli_text *out)
{
    static const char *const names[] = {"rtol", "atol", "sigma"};
    const double v[] = {tol.rtol, tol.atol, tol.sigma};
    const char *before = " within ";
    for (int k = 0; k < 3; k++)
        if (!isnan(v[k])) {
            cli_text_printf(out, "%s%s %g", before, names[k], v[k]);
            before = ", ";
        }
    if (*before == ' ')
        cli_text_printf(out, " within the default tolerances (compare(1))");
}

/* Prints the last line, which is "identical", "agree", or "differ" with the largest difference.
 * Returns 1 if the streams differ. */
static int put_verdict(struct cli_text *out, const struct side *a, const struct side *b,
                       const struct tolerance_table *t)
{
    const struct tolerance_column *worst = NULL;
    bool same = same_content(a, b);
    for (size_t i = 0; i < t->ncols && !same; i++)
        if (tolerance_judge(&t->col[i], &tol) == 0 && (!worst || t->col[i].excess > worst->excess))
            worst = &t->col[i];
    if (worst) {
        char where[64];
        tolerance_where(t, a->s.v ? &a->s : NULL, worst->at_excess, where, sizeof where);
        cli_text_printf(out, "differ: %s", worst->name);
        if (worst->excess > 0)
            cli_text_printf(out, " most, at %s %s;", t->axis, where);
        else
            cli_text_printf(out, " holds numbers that are undefined;");
        cli_text_printf(out, " not");
    } else if (same) {
        cli_text_printf(out, "identical: the content hashes are equal, %llu rows\n",
                        (unsigned long long)t->rows);
        return 0;
    } else
        cli_text_printf(out, "agree: %llu rows", (unsigned long long)t->rows);
    put_tolerances(out);
    cli_text_write(out, "\n", 1);
    return worst != NULL;
}

/* Shows the progress of both inputs, a struct side *[2]. The total is known if both are files. */
static void progress(void *ctx)
{
    struct side *const *s = ctx;
    uint64_t a = frame_file_bytes(s[0]->r), b = frame_file_bytes(s[1]->r);
    cli_progress(frame_wire_bytes(s[0]->r) + frame_wire_bytes(s[1]->r), a && b ? a + b : 0,
                 "bytes");
}

/* Compares the segments whose first arrays were read. Returns 0 (agree), 1 (differ) or -1. */
static int segment(struct cli_text *out, const struct cli_common *c, struct side *a, struct side *b)
{
    struct tolerance_table t = {0};
    int rc = -1;
    if (a->f.desc.type == FRAME_END && b->f.desc.type == FRAME_END) {
        cli_text_printf(out, "agree: both are empty\n");
        return 0;
    }
    if (frame_is_sums(&a->f.desc) != frame_is_sums(&b->f.desc)) {
        err_bad(&fault, "expected streams of the same kind, found %s and %s", a->f.desc.code,
                b->f.desc.code);
    } else if (frame_is_sums(&a->f.desc)) {
        if (series_read_from(a->r, &a->f, &a->s, &fault) == 1 &&
            series_read_from(b->r, &b->f, &b->s, &fault) == 1)
            rc = tolerance_series(&a->s, &b->s, &tol, &t, &fault);
    } else {
        a->steps = (struct series_steps){.r = a->r, .first = a->f};
        b->steps = (struct series_steps){.r = b->r, .first = b->f};
        rc = tolerance_steps(&a->steps, &b->steps, &tol, progress, (struct side *[]){a, b}, &t,
                             &fault);
        series_steps_free(&a->steps);
        series_steps_free(&b->steps);
    }
    if (rc == 0) {
        tolerance_meta(frame_meta(a->r), frame_meta(b->r), cli_warn);
        if (!c->quiet)
            put_table(out, a, &t, same_content(a, b));
        rc = put_verdict(out, a, b, &t);
    }
    tolerance_table_free(&t);
    series_free(&a->s);
    series_free(&b->s);
    return rc;
}

/* Compares the streams segment by segment. Returns 0, 1 or -1. */
static int streams(struct cli_text *out, const struct cli_common *c, struct side *a, struct side *b)
{
    int answer = 0;
    for (;;) {
        int more_a = next_segment(a), more_b = more_a < 0 ? -1 : next_segment(b);
        if (more_a < 0 || more_b < 0)
            return -1;
        if (more_a != more_b)
            return err_bad(
                &fault, "expected the same number of segments in both streams, found more in one");
        if (!more_a)
            return answer;
        int rc = segment(out, c, a, b);
        if (rc < 0)
            return -1;
        answer |= rc;
        progress((struct side *[]){a, b});
    }
}

int main(int argc, char **argv)
{
    static struct cli_common c;
    struct side side[2] = {0};
    cli_parse(&tool, argc, argv, &c);
    if (!cli_input_at(&c, 0) && !cli_input_at(&c, 1))
        cli_die(CLI_BAD, "expected at most one input from stdin, found two");
    for (int k = 0; k < 2; k++)
        side[k].r = cli_open(&c, cli_input_at(&c, k));
    struct cli_text *out = cli_text_open(&c);
    int answer = streams(out, &c, &side[0], &side[1]);
    if (answer < 0)
        cli_error("%s", fault.text);
    cli_summary(2, frame_wire_bytes(side[0].r) + frame_wire_bytes(side[1].r), NULL);
    for (int k = 0; k < 2; k++)
        frame_close_reader(side[k].r);
    return cli_text_close(out, answer < 0 ? fault.status : answer ? CLI_NO : CLI_OK);
}
