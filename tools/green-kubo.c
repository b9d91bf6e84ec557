/* SPDX-License-Identifier: MIT */
/* green-kubo: computes a transport coefficient and its running integral from fluxes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "acf/green_kubo.h"
#include "cli/cli.h"

static struct green_kubo_choice choice = {
    .temperature = NAN, .volume = NAN, .cutoff = NAN, .tmax = NAN, .natoms = NAN};

static int parse_cutoff(const char *text, void *dst, struct err *e)
{
    if (strcmp(text, "auto") == 0) {
        *(double *)dst = NAN;
        return 0;
    }
    return cli_parse_real(text, 1e-12, 1e12, dst, e);
}

/* Parses the words "total", "density", "per-atom" or "per-atom:N". */
static int parse_flux(const char *text, void *dst, struct err *e)
{
    int *scale = dst;
    for (*scale = FLUX_TOTAL; flux_scales[*scale]; ++*scale)
        if (strcmp(text, flux_scales[*scale]) == 0)
            return 0;
    *scale = FLUX_PER_ATOM;
    if (strncmp(text, "per-atom:", 9) == 0)
        return cli_parse_real(text + 9, 1.0, 1e15, &choice.natoms, e);
    return err_bad(e, "expected total, density, per-atom or per-atom:N, found '%s'", text);
}

static const struct cli_opt opts[] = {
    CLI_OPT("property", "PROPERTY", CHOICE, &choice.property,
            "coefficient to compute: viscosity, bulk-viscosity, conductivity, "
            "thermal-conductivity, or none for the integral without a prefactor (default: none)",
            .choices = flux_properties),
    CLI_OPT("columns", "A,B,...", STRING, &choice.columns,
            "names of the columns that contain the fluxes, for example pxy,pxz,pyz (default: all "
            "columns with a known name)"),
    CLI_OPT("unit", "UNIT", STRING, &choice.unit,
            "unit of the pressure, current or heat flux in the input, such as bar, atm, Pa, kPa, "
            "MPa, GPa, e*A/ps or lj (default: "
            "from the column names or the input)"),
    CLI_OPT("flux", "total|density|per-atom[:N]", CUSTOM, &choice.flux,
            "normalisation of the current or heat flux in the input: total (whole cell), density "
            "(per unit volume), or per-atom for a system of N atoms (default: from the input)",
            .parse = parse_flux),
    CLI_OPT("temperature", "K", REAL, &choice.temperature,
            "temperature of the sample (default: mean of the temperature column of the input)",
            .min = 1e-9, .max = 1e9),
    CLI_OPT("volume", "A3", REAL, &choice.volume,
            "volume of the cell in Å^3 (default: from the input, or the mean of its column Volume)",
            .min = 1e-9, .max = 1e30),
    CLI_OPT("cutoff", "auto|PS", CUSTOM, &choice.cutoff,
            "upper limit of the time integral; auto extrapolates the spectrum to zero frequency "
            "instead (default: auto)",
            .parse = parse_cutoff),
    CLI_OPT("tmax", "PS", REAL, &choice.tmax,
            "largest lag of the running integral written by -o (default: twice the cut-off, "
            "at most a quarter of the shortest run)",
            .min = 1e-12, .max = 1e12),
    {0}};

static const struct cli_tool tool = {
    .name = "green-kubo",
    .operands = "[FILE...]",
    .opts = opts,
    .max_operands = -1,
    .writes_frames = true,
    .reads_steps = true,
    .summary =
        "Compute a transport coefficient and its error from fluxes (SERI) and print them on one "
        "line. Several inputs are independent runs. Option -o writes the running integral (CORR).",
    .examples = "  txt2bin log.lammps | green-kubo --property viscosity\n"
                "  txt2bin run.xvg | green-kubo --property viscosity --unit bar \\\n"
                "      -o eta.mbf --temperature 300 --volume 27000\n"
                "  green-kubo --property conductivity --unit e*A/ps --temperature 1200 \\\n"
                "      --volume 9261 run-*.mbf\n"};

static void put_line(struct cli_text *out, const struct green_kubo_value *v)
{
    char error[32] = "nan";
    bool squared = !v->unit.out && strcmp(v->unit.square, "1") != 0;
    if (!isnan(v->se))
        snprintf(error, sizeof error, "%.3g", v->se);
    cli_text_printf(out,
                    "%s %.8g +- %s %s%s cutoff %.4g %s (%s) components %zu runs %zu length %.6g",
                    flux_properties[choice.property], v->value, error,
                    squared       ? v->unit.square
                    : v->unit.out ? v->unit.out
                                  : "ps",
                    squared ? "*ps" : "", v->cutoff, v->unit.lj ? "lj" : "ps",
                    isnan(choice.cutoff) ? "spectrum" : "given", v->comps, v->runs, v->ps);
    if (choice.property != FLUX_NONE)
        cli_text_printf(out, " T %.6g V %.8g unit %s", v->temperature, v->volume, v->unit.in);
    if (v->unit.scale)
        cli_text_printf(out, " flux %s", flux_scales[v->unit.scale]);
    cli_text_write(out, "\n", 1);
}

static void warn(const struct green_kubo_value *v, bool averaged)
{
    char name[32], text[400];
    snprintf(name, sizeof name, "flux component %zu", v->jumping + 1);
    if (v->jumps.n) {
        acf_jumps_text(&v->jumps, name, text, sizeof text);
        cli_warn("%s", text);
    }
    if (isnan(v->se) && !*v->changed)
        cli_warn("the integral has no error estimate: the run is too short compared with the "
                 "correlation time of the fluxes (use longer runs or more runs)");
    else if (!averaged && v->coarse)
        cli_warn("the rows are far apart in time. If their values are instantaneous, not time "
                 "averages, the result is too large (use --stress-every in md-cpu or md-gpu, or "
                 "fix ave/time in LAMMPS)");
    if (v->means)
        cli_warn("the means of the fluxes differ from 0 by more than chance allows, although they "
                 "are 0 in an isotropic system at equilibrium; the means are subtracted");
    if (*v->changed)
        cli_warn("%s", v->changed);
}

/* Writes the running integral. Returns the exit status. */
static int put_integral(const struct cli_common *c, struct green_kubo *g)
{
    struct err e;
    struct meta *m = meta_derive(green_kubo_meta(g), tool.name, CLI_VERSION, c->args);
    struct frame_writer *w = m ? cli_create(c) : NULL;
    int status = !m                            ? cli_fail(NULL, NULL, (err_memory(&e, "META"), &e))
                 : green_kubo_put(g, w, m, &e) ? cli_fail(w, NULL, &e)
                                               : cli_close(w);
    meta_free(m);
    return status;
}

/* Reads all inputs, each of which is one run. Returns 0 or -1. */
static int read_all(const struct cli_common *c, struct green_kubo *g, struct err *e)
{
    uint64_t bytes = 0;
    for (int k = 0; k < cli_inputs(c); k++) {
        struct frame_reader *in = cli_open(c, cli_input_at(c, k));
        int rc = green_kubo_add(g, in, e);
        if (rc)
            err_file(e, frame_name(in));
        bytes += frame_wire_bytes(in);
        frame_close_reader(in);
        if (rc)
            return -1;
    }
    cli_summary((uint64_t)cli_inputs(c), bytes, NULL);
    return 0;
}

int main(int argc, char **argv)
{
    static struct cli_common c;
    struct green_kubo_value v;
    struct err e = {0};
    cli_parse(&tool, argc, argv, &c);
    cli_unused(!c.output, "tmax", "without -o FILE");
    cli_unused(choice.property == FLUX_NONE, "temperature", "without --property");
    cli_unused(choice.property == FLUX_NONE, "volume", "without --property");
    choice.threads = c.threads;
    choice.max_mem = c.max_mem;
    struct green_kubo *g = green_kubo_open(&choice, &e);

    if (!g || read_all(&c, g, &e) || green_kubo_solve(g, &v, &e)) {
        green_kubo_close(g);
        return cli_fail(NULL, NULL, &e);
    }
    warn(&v, meta_get(green_kubo_meta(g), "data.averaged"));
    struct cli_common text = c;
    text.output = NULL;
    struct cli_text *out = cli_text_open(&text); /* opened first, so that both outputs appear or
                                                    neither */
    int status = c.output ? put_integral(&c, g) : CLI_OK;
    green_kubo_close(g);
    if (status == CLI_OK)
        put_line(out, &v);
    return cli_text_close(out, status);
}
