/* SPDX-License-Identifier: MIT */
/* nmr-rates: computes dipolar relaxation rates of like spins from the pair function, or quadrupolar
 * rates from the reorientation function, as functions of frequency. */
#include <math.h>
#include <string.h>

#include "cli/cli_steps.h"
#include "g4/nmr_rates.h"

#define TAIL_LACKS 0.02 /* fraction of J(0) that a missing tail would add */
#define TAIL_MUCH 0.2   /* fraction of J(0) above which a tail is only a guess */

static struct nmr_params params = {.from = NAN, .to = NAN, .decade = 10, .coupling = NAN};
static uint64_t decade = 10;

static const struct cli_opt opts[] = {
    CLI_OPT(
        "spin", "NUCLEUS", CHOICE, &params.nucleus,
        "type of nucleus: 1H, 2H, 3He, 7Li, 13C, 14N, 17O, 19F, 23Na, 31P or 129Xe (default: 1H)",
        .choices = nmr_nuclei),
    CLI_OPT("quadrupolar", "KHZ", REAL, &params.coupling,
            "compute quadrupolar instead of dipolar rates, from the function C_2 of rotacf-cpu; "
            "KHZ is the coupling constant e^2qQ/h in kHz",
            .min = 1e-9, .max = 1e9),
    CLI_OPT("asymmetry", "ETA", REAL, &params.asymmetry,
            "asymmetry parameter of the field gradient for --quadrupolar (default: 0)", .min = 0,
            .max = 1),
    CLI_OPT("tail", NULL, FLAG, &params.tail,
            "extend the correlation function beyond the last lag by a diffusive tail, t^-3/2, "
            "fitted to the second half of the lags"),
    CLI_OPT("spins", "N", REAL, &params.spins,
            "number of spins (default: number of atoms, if all pairs are of one species)", .min = 1,
            .max = 1e12),
    CLI_OPT("lowest", "MHZ", REAL, &params.from, "lowest frequency above 0, in MHz (default: 1)",
            .min = 1e-9, .max = 1e12),
    CLI_OPT("highest", "MHZ", REAL, &params.to,
            "highest frequency, in MHz (default: chosen so that the time between frames changes R1 "
            "by at most 5 %)",
            .min = 1e-9, .max = 1e12),
    CLI_OPT("decade", "N", UINT, &decade, "number of frequencies per decade (default: 10)",
            .min = 1, .max = 10000),
    {0}};
static const struct cli_tool tool = {
    CLI_INPUT_TOOL("nmr-rates"),
    .summary = "Compute the relaxation rates R1 and R2 (SPEC, 1/s) of nuclear spins from "
               "correlation functions (CORR) of g4-cpu or rotacf-cpu.",
    .examples = "  frame-cut --species H w.mbf | g4-cpu --sum mic --component all -o all.cf\n"
                "  nmr-rates --spin 1H --tail all.cf | bin2txt\n"
                "  rotacf-cpu --axis O-H --molecules 3 w.mbf |\n"
                "      nmr-rates --spin 2H --quadrupolar 256 | bin2txt\n"};

static int describe(const struct series *s, const double fit[2], struct meta *m)
{
    const char *columns = s->cols > 3 ? "nu_MHz R1 R2 R1_se R2_se" : "nu_MHz R1 R2";
    bool dipolar = isnan(params.coupling);
    int bad =
        meta_set(m, "data.quantity", "relaxation-rates") | meta_set(m, "data.unit", "1/s") |
        meta_set(m, "data.columns", columns) | meta_set(m, "data.label.of", "R1:R₁ R2:R₂") |
        meta_set(m, "data.spin", nmr_nuclei[params.nucleus]) |
        (params.spins > 0.0 ? meta_set_f64(m, "data.spins", &params.spins, 1) : 0) |
        meta_set(m, "data.tail", params.tail ? "hwang-freed" : NULL) |
        meta_set(m, "data.convention",
                 dipolar ? "dipolar, like spins, isotropic sample: R1 = K/6 [J(nu) + 4 J(2 nu)], "
                           "R2 = K/6 [3/2 J(0) + 5/2 J(nu) + J(2 nu)]"
                         : "quadrupolar, isotropic sample: R1 = K/6 [J(nu) + 4 J(2 nu)], "
                           "R2 = K/6 [3/2 J(0) + 5/2 J(nu) + J(2 nu)]");
    if (!dipolar && (meta_set_f64(m, "data.quadrupolar", &params.coupling, 1) |
                     meta_set_f64(m, "data.asymmetry", &params.asymmetry, 1)))
        return -1;
    return bad || (params.tail && meta_set_f64(m, "data.tail.share", fit, 1) != 0);
}

/* Warns about everything that affects the rates. */
static void warn(const struct series *cf, const struct series *s, const double fit[2],
                 double coarse, double dt)
{
    double last = (double)(cf->rows - 1) * dt, top = s->v[(s->rows - 1) * s->cols],
           excess = nmr_excess(top, dt);
    if (excess > NMR_EXCESS)
        cli_warn(
            "frames %.4g ps apart make R1 up to %.2g %% too large at %.4g MHz, the last frequency "
            "(use a lower --highest; by default, the table ends where this error is %g %%)",
            dt, 100.0 * excess, top, 100.0 * NMR_EXCESS);
    if (coarse > 3.0 * NMR_EXCESS || coarse < -3.0 * NMR_EXCESS)
        cli_warn("frames %.4g ps apart do not resolve %s. With every second frame, J(0) changes by "
                 "%.2g %%, so the rates may be wrong by a third of that (record frames more often)",
                 dt, nmr_function(&params), 100.0 * coarse);
    int col = series_column(cf, "C_2");
    if (!isnan(params.coupling) && !series_decayed(cf, (size_t)col))
        cli_warn("at the last lag, %.4g ps, C_2 is still %.2g of its value at lag 0, so J is wrong "
                 "below %.2g MHz (use more --lags in rotacf-cpu)",
                 last, cf->v[(cf->rows - 1) * cf->cols + (size_t)col] / cf->v[col],
                 1e6 / (6.3 * last));
    if (!params.tail && fit[0] > TAIL_LACKS)
        cli_warn(
            "a tail t^-3/2 after the last lag, %.4g ps, would increase J(0) by a fraction of %.2g. "
            "The rates below %.2g MHz are too small (use --tail, or more --lags in g4-cpu)",
            last, fit[0], 1e6 / (6.3 * last));
    if (params.tail && (fit[0] > TAIL_MUCH || fit[0] < -TAIL_MUCH || fit[1] < 0.5 || fit[1] > 2.0))
        cli_warn("--tail is unreliable, because G2 has not yet reached the power law. The tail "
                 "contributes a fraction of %.2g to J(0), and t^-3/2 is %.2g of the fit at the "
                 "last lag, %.4g ps (use more --lags)",
                 fit[0], fit[1], last);
}

/* Processes one segment. Returns 1, 0 at the end of the stream, or -1 and sets e. */
static int segment(struct frame_reader *r, struct frame_writer *w, const struct cli_common *c,
                   struct err *e)
{
    struct series cf, s = {0};
    double dt, scale = NAN, fit[2], coarse;
    int got = cli_segment_corr(r, "functions of time (CORR of g4-cpu or rotacf-cpu)", &cf, &dt, e),
        rc = -1;
    if (got <= 0)
        return got;
    struct meta *m = meta_derive(frame_meta(r), tool.name, CLI_VERSION, c->args);
    if (!m)
        err_memory(e, "META");
    else if ((isnan(params.coupling) && nmr_scale(frame_meta(r), params.spins, &scale, e) != 0) ||
             nmr_rates(&cf, dt, scale, &params, &s, fit, &coarse, e) != 0)
        err_file(e, frame_name(r));
    else if (describe(&s, fit, m) != 0)
        err_memory(e, "META");
    else {
        warn(&cf, &s, fit, coarse, dt);
        rc = cli_segment_put(r, w, m, s.rows, s.cols, s.v, e);
    }
    meta_free(m);
    series_free(&s);
    series_free(&cf);
    return rc;
}

int main(int argc, char **argv)
{
    static struct cli_common c;
    cli_parse(&tool, argc, argv, &c);
    params.decade = (size_t)decade;
    cli_unused(!isnan(params.coupling), "spins", "with --quadrupolar");
    cli_unused(!isnan(params.coupling), "tail", "with --quadrupolar");
    cli_unused(isnan(params.coupling), "asymmetry", "without --quadrupolar");
    if (params.from > params.to)
        cli_die(CLI_BAD, "expected --lowest no larger than --highest, found %g and %g", params.from,
                params.to);
    return cli_segments(&c, segment);
}
