/* SPDX-License-Identifier: MIT */
/* optics: computes the refractive index, the scattered light and the Kerr effect from the
 * polarizability of a sample. The formulas are derived in optics(1). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/cli_steps.h"
#include "dielectric/dielectric.h"
#include "stats/blocks.h"

#define FOUR_PI_EPS0 1.11265005545e-10 /* F/m, CODATA 2018 */

static double cell_volume = NAN, laser = NAN, temperature = NAN; /* in Å³, 1/cm and K */
static const struct cli_opt opts[] = {
    CLI_OPT("volume", "A3", REAL, &cell_volume,
            "volume of the cell in Å^3 (default: from the input)", .min = 1e-9, .max = 1e30),
    CLI_OPT("laser", "CM1", REAL, &laser, "wavenumber of the light in 1/cm, for scattered light",
            .min = 1, .max = 1e7),
    CLI_OPT("temperature", "K", REAL, &temperature,
            "temperature of the sample, for the Kerr effect", .min = 1e-6, .max = 1e9),
    {0}};
static const struct cli_tool tool = {
    CLI_INPUT_TOOL("optics"),
    .summary = "Compute the refractive index, the cross sections of scattered light and the Kerr "
               "effect (SPEC, one row) from the polarizability of a sample (SERI of alpha-cpu).",
    .examples = "  alpha-cpu --polarizability Ar=1.67 argon.mbf | optics --laser 18312 | bin2txt\n",
    .reads_steps = true};

enum { N, LORENTZ, VH, VV, ISO, PROJECTION, KERR, VALUES };
static const struct {
    const char *column, *label, *unit;
} names[VALUES] = {[N] = {"n", "refractive~index", "1"},
                   [LORENTZ] = {"lorentz", "Lorentz–Lorenz~deviation", "1"},
                   [VH] = {"R_VH_cm-1", "R,~VH", "cm^-1*sr^-1"},
                   [VV] = {"R_VV_cm-1", "R,~VV", "cm^-1*sr^-1"},
                   [ISO] = {"R_iso_cm-1", "R,~isotropic", "cm^-1*sr^-1"},
                   [PROJECTION] = {"projection", "projection~on~the~permanent~part", "1"},
                   [KERR] = {"kerr_m2/V2", "Δn/E²", "m^2/V^2"}};

/* Sums over steps in this order: a = Tr Pi/3, a², <b²> over components, the values a, <p²> and <b
 * p> of the permanent part, and 1. */
enum { A, AA, BB, PA, PP, BP, ONE, SUMS };

/* Computes the values from the means m. An anisotropy below 1e-12 is a rounding error. */
static void values(const double *m, double volume, double *v)
{
    double k4 = pow(2.0 * UNITS_PI * laser, 4.0) * 1e-24 / volume,
           kt = UNITS_KB_MEV * 1e-3 * UNITS_E_C * temperature,
           eps = 1.0 + 4.0 * UNITS_PI * m[A] / volume;
    v[N] = sqrt(eps);
    v[LORENTZ] = 3.0 * volume / (4.0 * UNITS_PI) * (eps - 1.0) / (eps + 2.0) / m[PA] - 1.0;
    v[VH] = k4 * m[BB];
    v[ISO] = k4 * (m[AA] - m[A] * m[A]);
    v[VV] = v[ISO] + 4.0 / 3.0 * v[VH];
    v[PROJECTION] = m[PP] > 1e-24 * m[PA] * m[PA] ? m[BP] / m[PP] - 1.0 : NAN;
    v[KERR] = 2.0 * UNITS_PI / v[N] * FOUR_PI_EPS0 * 1e-30 * m[BB] / (volume * kt);
}

/* Returns the number of columns of the tensors in data.columns, or 0 and sets e. */
static size_t tensors(const struct meta *m, struct err *e)
{
    static const char axes[] = "xxxyxzyyyzzz";
    const char *list = meta_get(m, "data.columns");
    char word[SERIES_NAME];
    size_t n = 0, len;
    while (list && series_word(list, n, word, sizeof word) == 1 && (len = strlen(word)) > 1 &&
           memcmp(word + len - 2, axes + 2 * (n % 6), 2) == 0)
        n++;
    if (n && n % 6 == 0 && series_word(list, n, word, sizeof word) == 0)
        return n;
    list = list ? list : "no names of columns";
    err_bad(e,
            "expected the columns xx xy xz yy yz zz of a polarizability (alpha-cpu), or of its "
            "parts, found %.100s",
            list);
    return 0;
}

/* Adds the tensors x[n] of one step to the sums. The first tensor may be the permanent part. */
static void add(const double *x, size_t n, bool permanent, double *to)
{
    double t[2][6] = {{0}}, b[2][5];
    for (size_t i = 0; i < n; i++) {
        t[0][i % 6] += x[i];
        t[1][i % 6] += permanent && i < 6 ? x[i] : 0.0;
    }
    for (int k = 0; k < 2; k++) {
        const double *q = t[k], five[] = {q[1], q[2], q[4], 0.5 * (q[0] - q[3]),
                                          (2.0 * q[5] - q[0] - q[3]) / (2.0 * sqrt(3.0))};
        memcpy(b[k], five, sizeof five);
        to[k ? PA : A] += (q[0] + q[3] + q[5]) / 3.0;
    }
    to[AA] += pow((t[0][0] + t[0][3] + t[0][5]) / 3.0, 2.0);
    to[ONE] += 1.0;
    for (int i = 0; i < 5; i++) {
        to[BB] += 0.2 * b[0][i] * b[0][i];
        to[PP] += 0.2 * b[1][i] * b[1][i];
        to[BP] += 0.2 * b[0][i] * b[1][i];
    }
}

/* Reads all steps into blocks. Returns the number of blocks, or 0 and sets e. */
static size_t read_blocks(struct traj_reader *t, const struct frame_reader *in,
                          const struct meta *first, struct stats_blocks *b, struct err *e)
{
    const char *list = meta_get(first, "data.columns");
    bool permanent = list && strncmp(list, "permanent_", 10) == 0, fresh;
    size_t columns = tensors(first, e), n = 0;
    uint64_t steps = 0;
    struct traj_block block;
    int got = columns ? 1 : -1;
    if (columns && (traj_info(t)->ncomp != columns || traj_info(t)->dtype != FRAME_F64))
        got = err_bad(e, "expected a SERI array of %zu columns of type f64, found another array",
                      columns);
    while (got > 0 && (got = traj_next(t, &block, &fresh)) != 0) {
        if (got < 0)
            *e = *traj_error(t);
        else if (fresh && meta_differs(first, frame_meta(in), "data.columns"))
            got = err_bad(e, "expected the same columns in all segments, found other columns");
        else if (stats_blocks_reach(b, steps + block.nsteps) != 0)
            got = err_memory(e, "the blocks");
        for (size_t k = 0; got > 0 && k < block.nsteps; k++)
            add((const double *)block.data + k * columns, columns, permanent,
                stats_blocks_at(b, steps++));
    }
    if (got == 0 && steps == 0)
        got = err_bad(e, "expected a time series of a polarizability, found no steps");
    else if (got == 0 && stats_blocks_group(b, steps, n = stats_blocks_taken(b, steps)) != 0)
        got = err_memory(e, "the blocks");
    return got == 0 ? n : 0;
}

/* Computes the means m, the values v and their errors from blocks. Returns 0, or -1 and sets e. */
static int solve(const double *sum, size_t n, double volume, double *m, double *v, double *error,
                 struct err *e)
{
    double *y = calloc(n, (2 + SUMS + VALUES) * sizeof *y), up[SUMS], down[SUMS], w[2][VALUES];
    struct errors how = {0};
    if (!y || errors_init(&how, 1, n, NULL) != 0) {
        free(y);
        return err_memory(e, "errors");
    }
    double *one = y + n, *dev = one + n, *of = dev + SUMS * n;
    for (size_t k = SUMS; k-- > 0;) { /* begins with the numbers of steps */
        for (size_t b = 0; b < n; b++)
            (k == ONE ? one : y)[b] = sum[b * SUMS + k];
        m[k] = stats_ratio(n, k == ONE ? one : y, one, NULL, dev + k, SUMS);
    }
    for (size_t b = 0; b < n; b++) {
        for (size_t k = 0; k < SUMS; k++) {
            up[k] = m[k] + 0.5 * dev[b * SUMS + k];
            down[k] = m[k] - 0.5 * dev[b * SUMS + k];
        }
        values(up, volume, w[0]);
        values(down, volume, w[1]);
        for (size_t k = 0; k < VALUES; k++)
            of[k * n + b] = w[0][k] - w[1][k];
    }
    values(m, volume, v);
    for (size_t k = 0; k < VALUES; k++)
        error[k] = isfinite(v[k]) ? errors_of(&how, of + k * n, 1, one).se : NAN;
    bool failed = errors_failed(&how);
    errors_free(&how);
    free(y);
    return failed ? err_memory(e, "errors") : 0;
}

/* Writes the row of the known values. Returns 1, or -1 and sets e. */
static int put(const struct frame_reader *r, struct frame_writer *w, struct meta *m, double volume,
               const double *v, const double *error, struct err *e)
{
    char columns[512] = "nu_cm-1", errors[256] = "", labels[512] = "", units[512] = "";
    double row[1 + 2 * VALUES] = {isnan(laser) ? 0.0 : laser}, se[VALUES];
    size_t n = 0;
    for (size_t k = 0; k < VALUES; k++) {
        const char *column = names[k].column;
        if (!isfinite(v[k])) /* without a permanent part or without an option */
            continue;
        sprintf(columns + strlen(columns), " %s", column);
        sprintf(errors + strlen(errors), " %s_se", column);
        sprintf(labels + strlen(labels), "%s%s:%s", n ? " " : "", column, names[k].label);
        sprintf(units + strlen(units), "%s%s:%s", n ? " " : "", column, names[k].unit);
        se[n] = error[k];
        row[++n] = v[k];
    }
    if (isnan(error[N]))
        cli_warn("no error estimates: the run is too short for the correlation time of Pi");
    memcpy(row + 1 + n, se, n * sizeof *se);
    strcat(columns, errors);
    if (meta_set(m, "data.quantity", "optics") | meta_set(m, "data.columns", columns) |
        meta_set(m, "data.label.of", labels) | meta_set(m, "data.unit.of", units) |
        meta_set(m, "data.unit", "1") | meta_set_f64(m, "data.volume", &volume, 1) |
        (isnan(laser) ? 0 : meta_set_f64(m, "data.laser", &laser, 1)) |
        (isnan(temperature) ? 0 : meta_set_f64(m, "data.temperature", &temperature, 1)) |
        meta_set(m, "data.convention", "response to the macroscopic field"))
        return err_memory(e, "META");
    return cli_segment_put(r, w, m, 1, 1 + 2 * n, row, e);
}

/* Computes and writes the row. Returns 0, or -1 and sets e. */
static int run(const struct cli_common *c, struct frame_reader *in, struct traj_reader *t,
               struct frame_writer *out, struct err *e)
{
    double volume = cell_volume, mean[SUMS], v[VALUES], error[VALUES];
    struct meta *m = meta_derive(frame_meta(in), tool.name, CLI_VERSION, c->args),
                *first = meta_copy(frame_meta(in));
    struct stats_blocks b;
    size_t n;
    int rc = -1;
    stats_blocks_init_levels(&b, 1, SUMS, 0);
    if (!m || !first)
        err_memory(e, "META");
    else if (dielectric_volume(first, &volume, e) != 0 ||
             (n = read_blocks(t, in, first, &b, e)) == 0 ||
             solve(b.v, n, volume, mean, v, error, e) != 0)
        err_file(e, frame_name(in));
    else
        rc = put(in, out, m, volume, v, error, e) > 0 ? 0 : -1;
    stats_blocks_free(&b);
    meta_free(first);
    meta_free(m);
    return rc;
}

int main(int argc, char **argv)
{
    static struct cli_common c;
    struct err e;
    cli_parse(&tool, argc, argv, &c);
    struct frame_reader *in = cli_open(&c, cli_input(&c));
    struct traj_reader *t = traj_open(in, FRAME_SERI, &e);
    if (!t)
        cli_die(e.status, "%s", e.text);
    struct frame_writer *out = cli_create(&c);
    int status = run(&c, in, t, out, &e) != 0 ? cli_fail(out, in, &e) : cli_close(out);
    cli_summary(traj_steps(t), frame_wire_bytes(in), NULL);
    traj_close(t);
    frame_close_reader(in);
    return status;
}
