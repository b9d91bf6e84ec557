/* SPDX-License-Identifier: MIT */
/* rdf2sq: computes the structure factor from a histogram of pair distances. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli_steps.h"
#include "rdf/rdf_sq.h"

static double qmax = 10.0, qstep = 0.05, range[2];
static int window, method;
static struct cli_common common;

/* Parses a range LO:HI in Å⁻¹. */
static int parse_fit(const char *s, void *dst, struct err *e)
{
    double *v = dst;
    char low[64];
    const char *colon = strchr(s, ':');
    if (!colon || (size_t)(colon - s) >= sizeof low)
        return err_bad(e, "expected LO:HI, found %.60s", s);
    snprintf(low, sizeof low, "%.*s", (int)(colon - s), s);
    if (cli_parse_real(low, 1e-9, 1e9, &v[0], e) != 0 ||
        cli_parse_real(colon + 1, v[0], 1e9, &v[1], e) != 0)
        return -1;
    return 0;
}

static const char *const windows[] = {"none", "lorch", NULL};
static const char *const methods[] = {"transform", "debye", NULL};
static const struct cli_opt opts[] = {
    CLI_OPT("qmax", "Q", REAL, &qmax, "largest q, 1/Å (default: 10)", .min = 1e-6, .max = 1e6),
    CLI_OPT("qstep", "Q", REAL, &qstep, "smallest q and spacing of q, 1/Å (default: 0.05)",
            .min = 1e-9, .max = 1e6),
    CLI_OPT("window", "none|lorch", CHOICE, &window,
            "window by which g(r) - 1 is multiplied: none, or lorch to reduce the ripples caused "
            "by the truncation at rmax (default: none)",
            .choices = windows),
    CLI_OPT("method", "transform|debye", CHOICE, &method,
            "formula for S(q): transform is the Fourier transform of g(r) - 1, and debye is the "
            "sum over all pairs of a finite body in a vacuum (default: transform)",
            .choices = methods),
    CLI_OPT("fit", "LO:HI", CUSTOM, range,
            "fit the slope of ln S against ln q between q = LO and q = HI, both in 1/Å (default: "
            "no fit)",
            .parse = parse_fit),
    {0}};
static const struct cli_tool tool = {
    CLI_INPUT_TOOL("rdf2sq"),
    .summary = "Compute structure factors (SPEC) from histograms of pair distances (HIST).",
    .examples =
        "  xyz2bin argon.xyz.gz | rdf-cpu | rdf2sq --window lorch | bin2txt >sq.txt\n"
        "  rdf-cpu --rmax 50 cluster.mbf | rdf2sq --method debye --fit 0.1:0.5 -o sq.mbf\n"};

/* Writes the slopes to META, one number per pair. Returns 0, or -1 and sets e. */
static int fit(struct meta *m, const struct sq_hist *h, const struct sq_params *p, const double *s,
               const double *dev, struct err *e)
{
    double slope[256], se[256];
    for (size_t k = 0; k < h->in.pairs && k < 256; k++) {
        struct sq_fit f;
        if (sq_fit(h, p, k, s, dev, range[0], range[1], &f) < 0)
            return err_bad(e,
                           "--fit %g:%g: expected at least three values of q with S > 0 in this "
                           "range, found fewer",
                           range[0], range[1]);
        slope[k] = f.slope;
        se[k] = f.slope_se;
        cli_note("slope %.6g +- %.2g: fractal dimension %.6g", f.slope, f.slope_se, -f.slope);
    }
    if (range[0] < h->qmin)
        cli_warn("--fit begins below 2 pi / L = %.4g 1/A, where the wavelength exceeds the cell",
                 h->qmin);
    size_t n = h->in.pairs < 256 ? h->in.pairs : 256;
    int bad = meta_set_f64(m, "data.fit.range", range, 2) |
              meta_set_f64(m, "data.fit.slope", slope, n) |
              (dev ? meta_set_f64(m, "data.fit.slope.se", se, n) : 0);
    return bad ? err_memory(e, "META") : 0;
}

static int describe(struct meta *m, const struct sq_hist *h, const char *columns)
{
    return meta_set(m, "data.quantity", "structure-factor") | meta_set(m, "data.unit", "1") |
           meta_set(m, "data.columns", columns) |
           meta_set(m, "data.label.of", "S:S(q) S_cut:S(q),~effect~of~the~cut-off") |
           meta_set(m, "data.method", methods[method]) |
           meta_set(m, "data.window", method ? "none" : windows[window]) |
           meta_set_f64(m, "data.rmax", &h->in.rmax, 1) |
           meta_set_f64(m, "data.qmin", &h->qmin, 1) |
           meta_set(m, "data.convention",
                    "Ashcroft-Langreth; q below data.qmin = 2 pi / L (1/A) is longer than the "
                    "cell: not to be "
                    "trusted (flag 1); S_cut: about what the end of g(r) and the window do to S; "
                    "flag 2: S < 0 or S_cut > S/2");
}

/* Warns about the range in which the end of g(r) makes S unreliable. */
static void warn_cut(const struct sq_hist *h, const struct sq_params *p, size_t columns,
                     const double *v)
{
    size_t n = 0;
    if (p->method == SQ_TRANSFORM && sq_undamped(h))
        cli_warn("g(r) does not decay up to rmax, as in a crystal. S may be very inaccurate, and "
                 "S_cut does not include this error (use sq-cpu)");
    for (size_t i = 0; i < p->nq; i++)
        n += v[i * columns + columns - 1] >= 2.0;
    const char *remedy =
        p->method == SQ_TRANSFORM ? " (use sq-cpu, which sums over wave vectors)" : "";
    if (n)
        cli_warn("at %zu of %zu values of q (flag 2), S is negative, or the truncation of g(r) at "
                 "rmax may change S by more than half%s",
                 n, p->nq, remedy);
}

/* Transforms a segment and writes it, with buffers s, cut and dev. Returns 1, or -1 and sets e. */
static int transform(struct frame_reader *in, struct frame_writer *out, const struct sq_hist *h,
                     const struct sq_params *p, double *s, double *cut, double *dev, struct err *e)
{
    size_t columns = 2 + h->in.pairs * (dev ? 3 : 2);
    char *names = calloc(columns, 48);
    struct meta *m = meta_derive(frame_meta(in), tool.name, CLI_VERSION, common.args);
    double *v = NULL;
    int rc = -1;
    if (!m || !names)
        err_set(e, ERR_MEMORY, "out of memory");
    else if (sq_compute(h, p, s, cut, dev, e) == 0) {
        if (!(v = sq_table(h, p, s, cut, dev, names)) || describe(m, h, names) != 0)
            err_set(e, ERR_MEMORY, "out of memory");
        else if (range[1] <= 0.0 || fit(m, h, p, s, dev, e) == 0) {
            if (qstep < h->qmin && method == SQ_TRANSFORM)
                cli_warn("S is unreliable at q below 2 pi / L = %.4g 1/A, where the wavelength "
                         "exceeds the cell",
                         h->qmin);
            warn_cut(h, p, columns, v);
            rc = cli_segment_put(in, out, m, p->nq, columns, v, e);
        }
    }
    meta_free(m);
    free(names);
    free(v);
    return rc;
}

/* Processes one segment. Returns 1, 0 at the end of the stream, or -1 and sets e. */
static int segment(struct frame_reader *in, struct frame_writer *out, const struct cli_common *c,
                   struct err *e)
{
    struct sq_hist h;
    struct sq_params p = {(enum sq_method)method, (enum sq_window)window,
                          (size_t)(qmax / qstep * (1 + 1e-12)), qstep, c->threads};
    int got = sq_read(in, &h, e), rc = -1;
    if (got <= 0)
        return got;
    double need = 8.0 * (double)p.nq * (double)h.in.pairs * (double)(h.in.blocks + 6);
    if (err_over(e, need, c->max_mem, "a larger --qstep", "%zu q", p.nq) == 0) {
        double *s = calloc(p.nq * h.in.pairs, 2 * sizeof *s), *cut = s + p.nq * h.in.pairs;
        double *dev =
            h.in.blocks >= 2 ? calloc(h.in.blocks * p.nq * h.in.pairs, sizeof *dev) : NULL;
        rc = s && (dev || h.in.blocks < 2) ? transform(in, out, &h, &p, s, cut, dev, e)
                                           : err_set(e, ERR_MEMORY, "out of memory");
        free(dev);
        free(s);
    }
    sq_free(&h);
    return rc;
}

int main(int argc, char **argv)
{
    cli_parse(&tool, argc, argv, &common);
    if (window && method)
        cli_die(CLI_BAD, "--window lorch needs --method transform: the Debye sum has no window");
    if (qstep > qmax)
        cli_die(CLI_BAD, "expected --qstep no larger than --qmax, found %g and %g", qstep, qmax);
    if (qmax / qstep > 1e7)
        cli_die(CLI_BAD, "expected at most 10000000 points, found %.3g", qmax / qstep);
    return cli_segments(&common, segment);
}
