/* SPDX-License-Identifier: MIT */
/* dielectric: computes the dielectric function and the absorption coefficient from correlation
 * functions of dipole moments or currents. */
#include "dielectric/dielectric.h"

#include <math.h>
#include <string.h>

#include "cli/cli_steps.h"

static struct dielectric_params params = {.temperature = NAN, .volume = NAN, .infinity = 1.0};
static const char *const windows[] = {"none", "hann", "blackman", NULL};

static const struct cli_opt opts[] = {
    CLI_OPT("temperature", "K", REAL, &params.temperature, "temperature of the sample", .min = 1e-6,
            .max = 1e9),
    CLI_OPT("volume", "A3", REAL, &params.volume,
            "volume of the cell in Å^3 (default: from the input)", .min = 1e-9, .max = 1e30),
    CLI_OPT("epsilon-inf", "X", REAL, &params.infinity,
            "dielectric constant of the electrons at high frequency (default: 1)", .min = 1,
            .max = 1e6),
    CLI_OPT("window", "none|hann|blackman", CHOICE, &params.window,
            "window by which the correlation function is multiplied (default: none)",
            .choices = windows),
    {0}};
static const struct cli_tool tool = {
    CLI_INPUT_TOOL("dielectric"),
    .summary = "Compute the dielectric function and the absorption coefficient (SPEC) from "
               "correlation functions (CORR of acf) of the dipole moment or the current.",
    .examples = "  current --quantity dipole --molecules 3 water.mbf | acf --tmax 20 |\n"
                "      dielectric --temperature 298 | bin2txt\n"
                "  acf --derivative --tmax 1 m.mbf | dielectric --temperature 298 --window hann\n"};

/* Warns of functions that have not decayed, and of errors that are missing from lag `unsure` on. */
static void warn(const struct series *cf, size_t unsure)
{
    const double *end = cf->v + (cf->rows - 1) * cf->cols;
    if (unsure)
        cli_warn(SPECTRUM_UNSURE, unsure);
    for (size_t c = SERIES_FIRST; c < SERIES_FIRST + cf->nsets * cf->nfunctions; c++)
        if (!series_decayed(cf, c)) {
            cli_warn("at the last lag, %s is still %.2g of its value at lag 0. The spectrum has "
                     "ripples and, for a dipole moment, a false line at low frequencies (use more "
                     "lags, or acf --derivative)",
                     cf->name[c], end[c] / cf->v[c]);
            return;
        }
}

static int describe(struct meta *m, const struct series *s, const struct dielectric_params *p)
{
    return meta_set(m, "data.quantity", "dielectric-function") | meta_set(m, "data.unit", "1") |
           meta_set(m, "data.columns",
                    s->cols > 4 ? "nu_cm-1 eps1 eps2 alpha_cm-1 eps1_se eps2_se alpha_cm-1_se"
                                : "nu_cm-1 eps1 eps2 alpha_cm-1") |
           meta_set(m, "data.unit.of", "nu_cm-1:cm-1 eps1:1 eps2:1 alpha_cm-1:cm-1") |
           meta_set(m, "data.label.of", "eps1:ε′(ν) eps2:ε″(ν) alpha_cm-1:α(ν)") |
           meta_set(m, "data.window", windows[p->window]) |
           meta_set_f64(m, "data.temperature", &p->temperature, 1) |
           meta_set_f64(m, "data.volume", &p->volume, 1) |
           meta_set_f64(m, "data.epsilon_inf", &p->infinity, 1) |
           meta_set(m, "data.convention", "fluctuations with conducting boundary conditions");
}

/* Processes one segment. Returns 1, 0 at the end of the stream, or -1 and sets e. */
static int segment(struct frame_reader *r, struct frame_writer *w, const struct cli_common *c,
                   struct err *e)
{
    struct dielectric_params p = params;
    struct series cf, s = {0};
    size_t unsure = 0;
    double dt;
    int got = cli_segment_corr(r, "correlation functions (CORR of acf)", &cf, &dt, e), rc = -1;
    if (got <= 0)
        return got;
    struct meta *m = meta_derive(frame_meta(r), tool.name, CLI_VERSION, c->args);
    if (!m)
        err_memory(e, "META");
    else if (dielectric_inspect(frame_meta(r), &cf, false, &p, e) != 0 ||
             dielectric_compute(&cf, dt, &p, &s, &unsure, e) != 0)
        err_file(e, frame_name(r));
    else if (describe(m, &s, &p) != 0)
        err_memory(e, "META");
    else {
        warn(&cf, unsure);
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
    if (isnan(params.temperature))
        cli_die(CLI_BAD, "expected --temperature K, found none");
    return cli_segments(&c, segment);
}
