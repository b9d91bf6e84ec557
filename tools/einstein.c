/* SPDX-License-Identifier: MIT */
/* einstein: fits diffusion coefficients to mean square displacements. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/cli_steps.h"
#include "stats/analysis.h"
#include "stats/einstein_fit.h"
#include "stats/uneven.h"
#include "stream/traj.h"

#define STILL 1e-18 /* Å² or sigma² (displacements up to this value are rounding errors) */

static const char *column, *axes;
static double from = NAN, to = NAN, viscosity = NAN, temperature = NAN;

static const struct cli_opt opts[] = {
    CLI_OPT("column", "NAME", STRING, &column,
            "fit only the column NAME (default: all columns of mean square displacements)"),
    CLI_OPT("axes", "AXES", STRING, &axes,
            "use only the displacements along these axes, such as xy (default: all axes); requires "
            "input from msd-cpu --axes"),
    CLI_OPT("fit-from", "PS", REAL, &from,
            "first lag of the fit (default: chosen automatically, or the first lag if only "
            "--fit-to is given)",
            .min = 1e-12, .max = 1e12),
    CLI_OPT("fit-to", "PS", REAL, &to,
            "last lag of the fit (default: chosen automatically, or the last lag if only "
            "--fit-from is given)",
            .min = 1e-12, .max = 1e12),
    CLI_OPT("viscosity", "PA_S", REAL, &viscosity,
            "shear viscosity, Pa s, for the Yeh-Hummer finite-size correction; needs "
            "--temperature",
            .min = 1e-12, .max = 1e12),
    CLI_OPT("temperature", "K", REAL, &temperature,
            "temperature; needed with --viscosity and for a conductivity", .min = 1e-9, .max = 1e9),
    {0}};

static const struct cli_tool tool = {
    CLI_INPUT_TOOL("einstein"),
    .summary = "Fit mean square displacements (CORR from msd-cpu) and print the diffusion "
               "coefficient of each, with its error. From the displacements of a dipole moment, "
               "the conductivity is computed instead. Option -o writes the fits (SPEC).",
    .examples = "  unwrap argon.mbf | msd-cpu --tmax 10 | einstein\n"
                "  einstein --fit-from 2 --fit-to 8 --column msd_O water.msd\n"
                "  unwrap argon.mbf | msd-cpu --axes --tmax 10 | einstein --axes xy\n"};

struct answer {
    struct series s;
    size_t n, col[SERIES_FUNCTIONS];
    char name[SERIES_FUNCTIONS][SERIES_NAME];
    struct einstein fit[SERIES_FUNCTIONS];
    double *time; /* times of the steps in ps if they are uneven, or NULL */
    size_t steps;
    double add;                  /* finite-size correction, Å²/ps */
    bool lj;                     /* lengths and times are in Lennard-Jones units */
    double conductivity, volume; /* S/m per D of a dipole moment, or 0 to print D, and the volume in
                                  * Å³ */
};

static void put_lines(struct cli_text *out, const struct answer *a)
{
    for (size_t k = 0; k < a->n; k++) {
        const char *name = a->name[k];
        const struct einstein *f = &a->fit[k];
        double two = 2.0 * f->dimensions, d = f->slope / two + a->add, se = f->se / two;
        if (a->conductivity > 0.0)
            cli_text_printf(out, "conductivity %.8g +- %.3g S/m", a->conductivity * d,
                            a->conductivity * se);
        else if (a->lj)
            cli_text_printf(out, "D %.8g +- %.3g lj", d, se);
        else
            cli_text_printf(out, "D %.8g +- %.3g A^2/ps %.8g +- %.3g cm^2/s", d, se, 1e-4 * d,
                            1e-4 * se);
        cli_text_printf(out, " window %.6g %.6g %s (%s) lags %zu of %s", f->from, f->to,
                        a->lj ? "lj" : "ps", isnan(from) && isnan(to) ? "chosen" : "given", f->lags,
                        name);
        if (a->add > 0.0)
            cli_text_printf(out, " images +%.6g", a->add);
        if (a->conductivity > 0.0)
            cli_text_printf(out, " T %.6g V %.8g", temperature, a->volume);
        cli_text_write(out, "\n", 1);
        if (isnan(f->se))
            cli_warn("%s: the run is too short to estimate the error", name);
    }
}

/* Writes a SPEC segment with the time t and, for each column, its value, its error and its fitted
 * line. Returns the exit status. */
static int put_fit(const struct cli_common *c, const struct answer *a, const struct meta *of)
{
    const struct series *s = &a->s;
    size_t cols = 1 + 3 * a->n;
    double *v = calloc(s->rows, cols * sizeof *v);
    char *names = calloc(cols, 2 * SERIES_NAME), *p = names;
    struct meta *m = meta_derive(of, tool.name, CLI_VERSION, c->args);
    struct err e = {0};
    if (!v || !names || !m)
        return cli_fail(NULL, NULL, (err_memory(&e, "the fit"), &e));
    p += sprintf(p, "t_ps");
    for (size_t k = 0; k < a->n; k++) {
        size_t col = a->col[k];
        p += sprintf(p, " %s %s_se fit_%s", a->name[k], a->name[k], a->name[k]);
        for (size_t row = 0; row < s->rows; row++) {
            double *to_row = v + row * cols;
            to_row[0] = s->v[row * s->cols];
            to_row[1 + 3 * k] = s->v[row * s->cols + col];
            to_row[2 + 3 * k] = s->v[row * s->cols + (size_t)s->se[col]];
            to_row[3 + 3 * k] = a->fit[k].start + a->fit[k].slope * to_row[0];
        }
    }
    int status = CLI_OK;
    struct frame_writer *w = cli_create(c);
    if (meta_set(m, "data.quantity", "spectrum") | meta_set(m, "data.columns", names) |
            meta_set(m, "data.unit", meta_get(of, "data.unit")) |
            meta_set(m, "data.label.of", "msd:MSD fit_msd:MSD,~fit") ||
        frame_put_meta(w, m) || series_put_spec(w, s->rows, cols, v) ||
        frame_end(w, FRAME_COMPLETE, NULL, NULL))
        status = cli_fail(w, NULL, frame_writer_error(w));
    else
        status = cli_close(w);
    meta_free(m);
    free(names);
    free(v);
    return status;
}

/* Computes the finite-size correction of a cubic cell, or 0 if not requested. Returns 0, or -1 and
 * sets e. */
static int images(const struct meta *m, double *add, struct err *e)
{
    struct box b = {0};
    if (isnan(viscosity))
        return 0;
    if (traj_box(m, &b, e))
        return -1;
    double edge = cbrt(box_volume(&b));
    bool cubic = edge > 0.0 && b.ortho;
    for (int k = 0; k < 3; k++)
        cubic &= fabs(b.h[k][k] - edge) < 1e-3 * edge;
    const char *found = edge > 0.0 ? "another cell" : "none";
    if (!cubic)
        return err_bad(e, "--viscosity: expected a cubic cell in sys.cell, found %s", found);
    *add = einstein_images(temperature, viscosity, edge);
    return 0;
}

/* Sets the conductivity per D of a dipole moment M. The mean square displacement of M is
 * 6 V kT sigma t = 6 D t. Returns 0, or -1 and sets e. */
static int conduct(struct answer *a, const struct meta *m, struct err *e)
{
    const double kt = UNITS_KB_MEV * 1e-3 * temperature; /* in eV */
    struct box b = {0};
    if (!meta_get(m, "sys.point"))
        return isnan(viscosity) == isnan(temperature)
                   ? 0
                   : err_bad(e, "--viscosity and --temperature must be given together, except for "
                                "displacements of a dipole moment (current --quantity point)");
    if (isnan(temperature))
        return err_bad(e, "displacements of a dipole moment need --temperature K");
    if (!isnan(viscosity))
        return err_bad(e, "--viscosity cannot be used with displacements of a dipole moment");
    if (traj_box(m, &b, e))
        return -1;
    a->volume = box_volume(&b);
    if (!(a->volume > 0.0))
        return err_bad(e, "expected a cell in sys.cell, because the conductivity depends on the "
                          "volume, found none");
    a->conductivity = UNITS_E_C * 1e-8 / (a->volume * 1e-30 * kt);
    return 0;
}

/* Checks that a column has displacements. Returns 0, or -1 and sets e. */
static int moves(const struct series *s, size_t col, struct err *e)
{
    for (size_t row = 0; row < s->rows; row++)
        if (!(fabs(s->v[row * s->cols + col]) <= STILL))
            return 0;
    return err_bad(e,
                   "expected displacements, found 0 at every lag: nothing moves along this axis, "
                   "or the only motion was subtracted as drift (use msd-cpu --drift keep)");
}

/* Sets the name, the dimensions and the scatter of a column before its fit. With --axes, the column
 * becomes the sum of the columns of these axes. Returns 0, or -1 and sets e. */
static int start(struct answer *a, size_t col, const struct meta *m, struct einstein *f,
                 char name[SERIES_NAME], struct err *e)
{
    struct series *s = &a->s;
    const char *list = meta_get(m, "data.scatter");
    size_t cells = s->rows * (1 + (s->dev ? s->blocks : 0)), n = axes ? strlen(axes) : 0;
    snprintf(name, SERIES_NAME, "%s%s%s", s->name[col], n ? "_" : "", n ? axes : "");
    *f = (struct einstein){
        .from = from, .to = to, .points = 1.0, .time = a->time, .steps = a->steps};
    f->dimensions = n ? (double)n : einstein_dimensions(name);
    (void)meta_get_f64(m, "data.npoints", &f->points, 1);
    if (!n)
        einstein_atoms(f, list, name, s->v[1], 1.0);
    for (size_t k = 0; k < n; k++) {
        char of[SERIES_NAME + 2];
        snprintf(of, sizeof of, "%s_%c", s->name[col], axes[k]);
        int axis = series_column(s, of);
        if (axis < 0)
            return err_bad(e, "--axes: expected the function %s, found %.100s (use msd-cpu --axes)",
                           of, series_functions(m));
        einstein_atoms(f, list, of, s->v[1], 1.0 / (double)n);
        for (size_t i = 0; i < cells; i++) {
            double *row = i < s->rows ? s->v + i * s->cols : s->dev + (i - s->rows) * s->cols;
            row[col] = (k ? row[col] : 0.0) + row[axis];
        }
    }
    return n && s->se[col] >= 0 &&
                   series_errors(s, col, a->time ? ERRORS_PLAIN : ERRORS_SQUARE,
                                 s->v[1] / (double)s->blocks)
               ? err_memory(e, "errors")
               : 0;
}

/* Fits every column, and warns about columns without a fit. Returns 0, or -1 and sets e if no
 * column has a fit. */
static int fit_columns(struct answer *a, const struct meta *m, struct err *e)
{
    size_t wanted = a->n, bad = 0;
    struct err why[SERIES_FUNCTIONS] = {{0}};
    a->n = 0;
    for (size_t k = 0; k < wanted; k++) {
        struct einstein *f = &a->fit[a->n];
        size_t col = a->col[k];
        if (start(a, col, m, f, a->name[a->n], e) == 0 && moves(&a->s, col, e) == 0 &&
            einstein_fit(&a->s, col, f, e) == 0)
            a->col[a->n++] = col;
        else
            err_set(&why[bad++], e->status, "%s: %s", a->s.name[col], e->text);
    }
    for (size_t k = 0; k < bad && a->n; k++)
        cli_warn("%s (column skipped)", why[k].text);
    return a->n ? 0 : (*e = why[0], -1);
}

/* Reads the segment and fits it. Returns 0, or -1 and sets e. */
static int answer(struct frame_reader *r, struct answer *a, struct err *e)
{
    static const char what[] = "mean square displacements (CORR of msd-cpu)";
    int got = series_read_corr(r, what, &a->s, e);
    if (got <= 0)
        return got < 0 ? -1 : err_bad(e, "expected %s, found an empty stream", what);
    cli_segment_changed(r);
    const char *axis = meta_get(frame_meta(r), a->s.axes > 1 ? "data.axis2" : "data.axis");
    bool uneven = axis && strcmp(axis, "t_ps") == 0;
    if (uneven && !(a->steps = einstein_times(frame_meta(r), &a->time)))
        return err_bad(e,
                       "unevenly spaced frames need their times in data.times, found none (use at "
                       "most %d frames, and merge only runs with equal times)",
                       UNEVEN_TIMES);
    if (axis && !uneven)
        return err_bad(e, "expected %s, found functions of %.40s", what, axis);
    for (size_t c = SERIES_FIRST; c < SERIES_FIRST + a->s.nfunctions * a->s.nsets; c++)
        if (axes && einstein_dimensions(a->s.name[c]) == 1)
            continue;
        else if (column ? strcmp(a->s.name[c], column) == 0 : strncmp(a->s.name[c], "msd", 3) == 0)
            a->col[a->n++] = c;
    const char *want = column ? column : "msd of msd-cpu";
    if (a->n == 0)
        return err_bad(e, "expected the function %.40s, found %.100s", want,
                       series_functions(frame_meta(r)));
    double dt;
    if (!uneven && (meta_get_f64(frame_meta(r), "sys.dt_ps", &dt, 1) != 1 || !(dt > 0.0)))
        return err_bad(e, "expected the time between steps in sys.dt_ps, found none (give --dt PS "
                          "to xyz2bin, traj2bin or txt2bin)");
    const char *unit = meta_get(frame_meta(r), "data.unit");
    a->lj = unit && strcmp(unit, "sigma^2") == 0;
    if (conduct(a, frame_meta(r), e) != 0)
        return -1;
    if (a->lj && !isnan(viscosity))
        return err_bad(
            e, "--viscosity: expected displacements in angstrom, found displacements in sigma");
    if (fit_columns(a, frame_meta(r), e) != 0)
        return -1;
    return images(frame_meta(r), &a->add, e);
}

int main(int argc, char **argv)
{
    static struct cli_common c;
    static struct answer a;
    struct err e = {0};
    cli_parse(&tool, argc, argv, &c);
    if (!isnan(viscosity) && isnan(temperature))
        cli_die(CLI_BAD, "expected --temperature K together with --viscosity PA_S, found none");
    if (axes && (strlen(axes) > 3 || strspn(axes, "xyz") != strlen(axes) || !*axes ||
                 axes[0] == axes[1] || (axes[1] && (axes[1] == axes[2] || axes[0] == axes[2]))))
        cli_die(CLI_BAD, "--axes: expected different letters of xyz, such as xy, found %s", axes);
    if (from >= to)
        cli_die(CLI_BAD, "expected --fit-from below --fit-to, found %g and %g", from, to);
    struct frame_reader *r = cli_open(&c, cli_input(&c));

    int rc = answer(r, &a, &e);
    if (rc)
        err_file(&e, frame_name(r));
    struct cli_common text = c;
    text.output = NULL;
    struct cli_text *out = cli_text_open(&text); /* opened first, so that both outputs appear or
                                                    neither */
    int status = rc ? cli_fail(NULL, r, &e) : c.output ? put_fit(&c, &a, frame_meta(r)) : CLI_OK;
    if (!rc)
        cli_summary(1, frame_wire_bytes(r), NULL);
    frame_close_reader(r);
    if (status == CLI_OK)
        put_lines(out, &a);
    series_free(&a.s);
    free(a.time);
    return cli_text_close(out, status);
}
