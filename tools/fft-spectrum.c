/* SPDX-License-Identifier: MIT */
/* fft-spectrum: computes spectra of correlation functions, with windows, quantum corrections,
 * moments and errors. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cli/cli_steps.h"
#include "dielectric/dielectric.h"
#include "stats/labels.h"
#include "stats/spectrum.h"

#define NOT_DECAYED 0.01 /* fraction of C(0) at the last lag, without error bars */
#define SIGMAS 3.0       /* the same limit in standard errors */
#define WINGS_CM1 150.0  /* a lower Nyquist frequency causes a warning; argon has wings here */

static struct spectrum_params params = {
    .pad = 1.0, .gauss_ps = NAN, .temperature = NAN, .laser = NAN};
static int window, unit, quantum, weight;
static double volume = NAN, molecules[2]; /* of --amagat; 0: none */

#define IN_HELP(NAME, word, ...) "|" word
#define IN_MESSAGE(NAME, word, ...) ", '" word "'"
static int parse_window(const char *value, void *dst, struct err *e)
{
    int *w = dst;
    if (strncmp(value, "gauss:", 6) == 0) {
        *w = SPECTRUM_GAUSS;
        return cli_parse_real(value + 6, 1e-9, 1e9, &params.gauss_ps, e);
    }
    for (*w = 0; *w < SPECTRUM_GAUSS; ++*w)
        if (strcmp(value, spectrum_windows[*w]) == 0)
            return 0;
    return err_bad(e, "expected 'none'" SPECTRUM_COSINES(IN_MESSAGE) " or 'gauss:PS', found '%s'",
                   value);
}

/* Parses "N" or "N_A,N_B", the numbers of molecules. */
static int parse_amagat(const char *value, void *dst, struct err *e)
{
    double *n = dst;
    char text[64];
    const char *comma = strchr(value, ',');
    snprintf(text, sizeof text, "%.*s", comma ? (int)(comma - value) : 63, value);
    if (cli_parse_real(text, 1, 1e15, n, e) != 0)
        return -1;
    n[1] = n[0];
    return comma ? cli_parse_real(comma + 1, 1, 1e15, n + 1, e) : 0;
}

static const struct cli_opt opts[] = {
    CLI_OPT("window", "none" SPECTRUM_COSINES(IN_HELP) "|gauss:PS", CUSTOM, &window,
            "window, symmetric in time, by which the correlation function is multiplied (default: "
            "none)",
            .parse = parse_window),
    CLI_OPT("pad", "FACTOR", REAL, &params.pad,
            "pad the correlation function with zeros to FACTOR times its length (default: 1)",
            .min = 1, .max = 1e6),
    CLI_OPT("unit", "UNIT", CHOICE, &unit,
            "unit of the frequency axis: cm-1, THz, rad/ps or meV (default: cm-1)",
            .choices = spectrum_units),
    CLI_OPT("quantum", "none|standard|harmonic|schofield|egelstaff|bose", CHOICE, &quantum,
            "quantum correction of the spectrum; needs --temperature (default: none)",
            .choices = spectrum_quanta),
    CLI_OPT("weight", "none|nu|nu2|nu-tanh|absorption|nu3|nu4|rayleigh", CHOICE, &weight,
            "frequency factor by which the spectrum is multiplied, for infrared or "
            "light-scattering spectra; absorption gives the absorption coefficient times the "
            "refractive index, and rayleigh gives the Rayleigh ratio (default: none)",
            .choices = spectrum_weights),
    CLI_OPT("laser", "CM1", REAL, &params.laser,
            "wavenumber of the laser in 1/cm, for --weight nu3, nu4 or rayleigh", .min = 1,
            .max = 1e7),
    CLI_OPT("temperature", "K", REAL, &params.temperature,
            "temperature for --quantum and --weight nu-tanh", .min = 1e-6, .max = 1e9),
    CLI_OPT("amagat", "N|N_A,N_B", CUSTOM, molecules,
            "divide the spectrum by the square of the density, in amagat, of N molecules in the "
            "cell; with N_A,N_B, divide it by the product of the densities of two species",
            .parse = parse_amagat),
    CLI_OPT("volume", "A3", REAL, &volume,
            "volume of the cell in Å^3, for --amagat and for --weight absorption or rayleigh "
            "(default: from the input)",
            .min = 1e-9, .max = 1e30),
    CLI_OPT("ratio", "A/B", STRING, &params.ratio,
            "also write the ratio of the spectra of functions A and B, with its standard error "
            "(default: none)"),
    CLI_OPT("two-sided", NULL, FLAG, &params.two_sided,
            "also write negative frequencies (the anti-Stokes side)"),
    {0}};
static const struct cli_tool tool = {
    CLI_INPUT_TOOL("fft-spectrum"),
    .summary = "Compute the spectra of correlation functions: I, I2, ... from G, G2, ..., and "
               "I_NAME from any other function NAME.",
    .examples = "  xyz2bin argon.xyz.gz | g4-cpu --tmax 6 | fft-spectrum | bin2txt\n"
                "  fft-spectrum --window hann --pad 4 cf.mbf -o spectrum.mbf\n"
                "  fft-spectrum --unit THz --quantum schofield --temperature 120 cf.mbf | bin2txt\n"
                "  fft-spectrum --quantum bose --temperature 90 --weight nu4 --laser 19436 a.cf\n"};

/* Returns true if f is still far from 0 at the last lag. */
static bool tail(const struct spectrum_function *f)
{
    double limit =
        f->last_se > 0.0 ? SIGMAS * f->last_se : NOT_DECAYED * fabs(f->first); /* no error: NaN */
    return fabs(f->last) > limit;
}

/* Warns, in one sentence, about functions that are still far from 0 at the last lag. If the input
 * has G and its parts, only G is checked. The parts decay far more slowly, but only their sum
 * matters. */
static void warn_tails(const struct spectrum *s, const struct series *cf)
{
    char list[1024] = "";
    size_t judged = cf->nfunctions > 1 && strcmp(s->f[0].name, "G") == 0 ? 1 : cf->nfunctions;
    if (cf->nsets > 1 && strncmp(s->f[0].name, "G_", 2) == 0)
        judged = 1;
    for (size_t i = 0; i < s->nfunctions && strlen(list) < sizeof list - 2 * SERIES_NAME; i++) {
        const struct spectrum_function *f = &s->f[i];
        if (!tail(f))
            continue;
        if (i % cf->nfunctions >= judged)
            cli_note("at the last lag, %s is still %.2g of its value at lag 0, which affects the "
                     "spectrum near frequency 0",
                     f->name, f->last / f->first);
        else
            sprintf(list + strlen(list), "%s%s (%.2g of lag 0)", *list ? ", " : "", f->name,
                    f->last / f->first);
    }
    if (*list && window)
        cli_warn("some functions have not decayed at the last lag: %s; the window broadens "
                 "features narrower than %.3g %s (use more lags)",
                 list, s->nyquist / (double)s->lags, spectrum_units[unit]);
    else if (*list)
        cli_warn("some functions have not decayed at the last lag: %s; expect ripples and a bias "
                 "near frequency 0 (use more lags or a --window)",
                 list);
}

/* Works like warn_tails for functions with a second axis. Counts the values of that axis whose
 * functions are far from 0, and names the largest remainder. */
static void warn_groups(const struct spectrum *s, const struct series *cf)
{
    for (size_t i = 0; i < s->nfunctions; i++) {
        size_t far = 0, max = 0;
        double left = 0.0;
        for (size_t g = 0; g < s->groups; g++) {
            const struct spectrum_function *f = &s->f[g * s->nfunctions + i];
            far += tail(f);
            if (tail(f) && fabs(f->last / f->first) > left) {
                left = fabs(f->last / f->first);
                max = g;
            }
        }
        if (far)
            cli_warn("%s has not decayed at the last lag for %zu of %zu values of %s; the largest "
                     "remainder is at %.4g (%.2g of lag 0)%s",
                     s->f[i].name, far, s->groups, cf->name[1],
                     cf->v[max * series_group(cf) * cf->cols + 1], left,
                     window ? "" : ": expect ripples (use more lags or a --window)");
    }
}

/* Warns if the axis ends before the Nyquist frequency, and states why. */
static void warn_end(const struct spectrum *s)
{
    const char *u = spectrum_units[unit];
    double laser = params.laser / UNITS_PS_CM1 * spectrum_unit_scale(params.unit);
    if (isnan(s->end))
        return;
    if (laser < s->nyquist && s->end + s->step >= laser)
        cli_warn("the axis ends at %.6g %s, below the laser frequency, %.6g %s, where --weight %s "
                 "is 0; the frames would resolve frequencies up to %.6g %s",
                 s->end, u, laser, u, spectrum_weights[weight], s->nyquist, u);
    else
        cli_warn("the axis ends at %.6g %s, where --quantum %s becomes larger than 1e100; the "
                 "frames would resolve frequencies up to %.6g %s (--quantum standard and harmonic "
                 "have no such limit)",
                 s->end, u, spectrum_quanta[quantum], s->nyquist, u);
}

/* Warns about everything that affects the spectrum. */
static void warn(const struct spectrum *s, const struct series *cf)
{
    const char *u = spectrum_units[unit];
    double wings = WINGS_CM1 / UNITS_PS_CM1 * spectrum_unit_scale(params.unit);
    warn_end(s);
    if (s->groups) {
        warn_groups(s, cf);
        return;
    }
    if (s->nyquist < wings)
        cli_warn("the spectrum ends at the Nyquist frequency, %.4g %s, and higher frequencies are "
                 "aliased (use frames that are closer together)",
                 s->nyquist, u);
    if (s->unsure)
        cli_warn(SPECTRUM_UNSURE, s->unsure);
    for (size_t i = 0; i < s->nfunctions; i++)
        if (s->f[i].negative && i % cf->nfunctions == 0) /* other functions may be negative */
            cli_warn("%s is negative at %zu of the %zu frequencies", s->s.name[1 + i],
                     s->f[i].negative, s->s.rows);
    warn_tails(s, cf);
    if (s->coarse > 0.0)
        cli_warn("--quantum egelstaff needs a resolution of hbar/2kT = %.3g ps, but the frames are "
                 "%.3g ps apart. Intensities at high frequencies are too small (record frames "
                 "every %.2g ps, or use --quantum schofield)",
                 s->coarse, 0.5 * spectrum_unit_scale(params.unit) / s->nyquist, 0.5 * s->coarse);
}

/* Sets the factor of a spectrum in measured units. Returns 0, or -1 and sets e. */
static int measured(const struct meta *m, const struct series *cf, struct spectrum_params *p,
                    struct err *e)
{
    struct dielectric_params d = {.volume = volume};
    char label[LABELS_SIZE], unit_of[LABELS_SIZE];
    labels_of(m, FRAME_CORR, cf->name[SERIES_FIRST], label, unit_of);
    bool light = p->weight ? p->weight == SPECTRUM_RAYLEIGH : strcmp(unit_of, "(A^3)^2") == 0;
    if (dielectric_inspect(m, cf, light, &d, e) != 0)
        return -1;
    p->current = d.current;
    p->volume = d.volume;
    p->absolute = light ? pow(2.0 * UNITS_PI * p->laser, 4.0) * 1e-24 / d.volume
                        : 4.0 * UNITS_PI * UNITS_PI * UNITS_FINE * 1e8 * d.e2 / d.volume;
    if (d.current) /* converts from dM/dt to M */
        p->absolute *= UNITS_PS_CM1 * UNITS_PS_CM1 / (4.0 * UNITS_PI * UNITS_PI);
    if (!p->weight)
        p->absolute = 1.0 / d.volume;
    for (size_t k = 0; k < 2 && molecules[0] > 0.0; k++) {
        p->amagat[k] = molecules[k] / (d.volume * UNITS_AMAGAT_A3);
        p->absolute /= p->amagat[k];
    }
    return 0;
}

/* Processes one segment. Returns 1, 0 at the end of the stream, or -1 and sets e. */
static int segment(struct frame_reader *r, struct frame_writer *w, const struct cli_common *c,
                   struct err *e)
{
    struct series cf;
    struct spectrum s = {0};
    double dt;
    int got = cli_segment_corr(r, "correlation functions (CORR)", &cf, &dt, e), rc = -1;
    if (got <= 0)
        return got;
    params.unit_of = meta_get(frame_meta(r), "data.unit");
    params.difference = meta_get(frame_meta(r), "data.derivative") != NULL;
    params.units = meta_get(frame_meta(r), "data.unit.of");
    params.names = meta_get(frame_meta(r), "data.spectra");
    struct meta *m = meta_derive(frame_meta(r), tool.name, CLI_VERSION, c->args);
    if (!m)
        err_memory(e, "META");
    else if ((spectrum_absolute(&params) || spectrum_binary(&params)) &&
             measured(frame_meta(r), &cf, &params, e) != 0)
        err_file(e, frame_name(r));
    else if (err_over(e, (double)spectrum_bytes(&cf, &params), c->max_mem, "a smaller --pad",
                      "the spectrum") != 0)
        rc = -1;
    else if (spectrum_compute_groups(&cf, dt, &params, &s, e) != 0)
        err_file(e, frame_name(r));
    else if (spectrum_describe(&s, &params, frame_meta(r), m) != 0)
        err_memory(e, "META");
    else {
        warn(&s, &cf);
        rc = cli_segment_put(r, w, m, s.s.rows, s.s.cols, s.s.v, e);
    }
    meta_free(m);
    spectrum_free(&s);
    series_free(&cf);
    return rc;
}

int main(int argc, char **argv)
{
    static struct cli_common c;
    struct err e;
    cli_parse(&tool, argc, argv, &c);
    params.window = (enum spectrum_window)window;
    params.unit = (enum spectrum_unit)unit;
    params.quantum = (enum spectrum_quantum)quantum;
    params.weight = (enum spectrum_weight)weight;
    params.volume = volume;
    memcpy(params.amagat, molecules, sizeof molecules);
    if (spectrum_refuse(&params, &e) != 0)
        cli_die(CLI_BAD, "%s", e.text);
    return cli_segments(&c, segment);
}
