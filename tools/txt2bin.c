/* SPDX-License-Identifier: MIT */
/* txt2bin: converts text columns to a time series. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli_convert.h"
#include "formats/columns.h"
#include "formats/stamps.h"
#include "io/decimal.h"
#include "io/gunzip.h"

static struct cli_common common;
static const char *columns, *time_name;
static double dt = NAN, timestep = NAN;
static struct columns_choice choice;
static bool allow_partial;
static int units;                  /* a value of enum lammps_units */
static const char *name = "stdin"; /* name of the input */

static const char *const styles[] = {FORMATS_UNITS_NAMES};

static const struct cli_opt opts[] = {
    CLI_OPT("columns", "A,B,...", STRING, &columns,
            "columns to convert, by name or number (default: all columns except time and step)"),
    CLI_OPT("dt", "PS", REAL, &dt, "time between rows (default: from the time column)",
            .min = 1e-12, .max = 1e12),
    CLI_OPT("time", "NAME", STRING, &time_name,
            "name of the time column, whose values are in ps unless the name states a unit "
            "(default: a column with a known name, such as t_ps, Time[fs] or Step)"),
    CLI_OPT("timestep", "PS", REAL, &timestep,
            "length of one MD step, to convert a column Step or TimeStep to time (default: from "
            "the log)",
            .min = 1e-12, .max = 1e12),
    CLI_OPT("units", "STYLE", CHOICE, &units,
            "LAMMPS unit style of the table (default: from the log)", .choices = styles),
    CLI_OPT("run", "K", UINT, &choice.run,
            "read run K of a log that contains several runs, counting from 1", .min = 1,
            .max = 1e9),
    CLI_OPT("info", "KEY,...", CUSTOM, NULL,
            "convert the values of these keys, such as dipole and energy, from the comment lines "
            "of an XYZ file (default: convert columns of text)",
            .parse = cli_convert_info),
    CLI_OPT("select", "A:B:C", CUSTOM, NULL,
            "with --info, select every C-th frame from A to B-1, counting from 0 (default: all)",
            .parse = cli_traj_select),
    CLI_OPT("time-unit", "UNIT", CHOICE, &cli_convert_time_unit,
            "unit of Time= in extended XYZ files that do not state it (default: none)",
            .choices = cli_convert_time_units),
    CLI_OPT("allow-partial", NULL, FLAG, &allow_partial,
            "accept a log that ends before the run is complete, and use the complete frames of "
            "truncated XYZ text"),
    {0}};

static const struct cli_tool tool = {
    CLI_INPUT_TOOL("txt2bin"), .writes_steps = true,
    .summary = "Convert text columns (md --thermo, LAMMPS, xvg, CSV) to a time series (SERI).",
    .examples = "  txt2bin thermo.txt --columns pxy,pxz,pyz --dt 0.0025 | acf --tmax 5 | bin2txt\n"
                "  txt2bin pressure.xvg --time time | acf --mean subtract --tmax 10 | bin2txt\n"
                "  txt2bin --info dipole run.extxyz | acf --mean subtract | fft-spectrum\n",
    .build_facts = gunzip_by};

struct table {
    struct columns *in;
    size_t want[COLUMNS_MAX + 1], n; /* columns of the file (if read, time is the last) */
    int has_time;                    /* set if the time column is read */
    int timed;                       /* set if this column gives the time between rows (no --dt) */
    double ps;                       /* unit of this column */
    double *v;                       /* [rows][n + has_time] */
    size_t rows, capacity;
};

static long find(const struct columns *c, const char *column)
{
    struct err e;
    long k = columns_find(c, column, &e);
    if (k < 0)
        cli_die(CLI_BAD, "%s", e.text);
    return k;
}

/* Returns the time column, or -1 if --dt makes it unnecessary. */
static long find_time(struct table *t)
{
    const char *style;
    struct err e;
    if (!isnan(dt) && (time_name || !isnan(timestep)))
        cli_die(CLI_BAD, "expected --dt or %s, found both", time_name ? "--time" : "--timestep");
    long at = time_name          ? find(t->in, time_name)
              : !isnan(timestep) ? columns_step(t->in)
                                 : columns_time(t->in, &t->ps);
    if (!isnan(timestep)) {
        if (at < 0 || !columns_is_step(t->in, (size_t)at))
            cli_die(CLI_BAD, "%s: --timestep: expected a column of steps, found %s", name,
                    time_name ? time_name : "none");
        t->ps = timestep;
    } else if (time_name && columns_time_unit(t->in, (size_t)at, &t->ps, &e)) {
        cli_die(e.status, "%s", e.text);
    }
    if (at < 0 && isnan(dt))
        cli_die(CLI_BAD,
                "%s: expected the time between rows, found none (give --dt PS or --time NAME%s)",
                name, columns_step(t->in) < 0 ? "" : ", or --timestep PS");
    double step = columns_assumed_step(t->in, &style);
    if (at >= 0 && isnan(dt) && isnan(timestep) && columns_is_step(t->in, (size_t)at) &&
        !isnan(step))
        cli_warn("%s: the log sets no time step, so the LAMMPS default for units %s, %g, is used "
                 "(replace it with --timestep PS)",
                 name, style, step);
    return at;
}

/* Returns the column that shows whether rows are evenly spaced. This is the time or, without a
 * time, the step, or else -1. */
static long find_clock(const struct table *t, long time)
{
    long step = -1;
    for (size_t c = columns_count(t->in); time < 0 && c-- > 0;) {
        const char *s = columns_name(t->in, c);
        if (strcasecmp(s, "step") == 0 || strcasecmp(s, "timestep") == 0)
            step = (long)c;
        else if (strncasecmp(s, "time", 4) == 0)
            time = (long)c;
    }
    return time >= 0 ? time : step;
}

/* Selects the columns of --columns, or all except time and step. */
static void choose(struct table *t)
{
    long at = find_time(t), k;
    char *list = columns ? strdup(columns) : NULL, *save = NULL, *word;
    if (columns && !list)
        cli_die(CLI_MEMORY, "out of memory");
    for (word = list ? strtok_r(list, ",", &save) : NULL; word; word = strtok_r(NULL, ",", &save)) {
        k = find(t->in, word);
        for (size_t j = 0; j < t->n; j++)
            if (t->want[j] == (size_t)k)
                cli_die(CLI_BAD, "--columns: %s is given twice", columns_name(t->in, t->want[j]));
        t->want[t->n++] = (size_t)k;
    }
    for (size_t c = 0; !columns && c < columns_count(t->in); c++)
        if ((long)c != at && !columns_is_step(t->in, c) && !columns_is_time(t->in, c))
            t->want[t->n++] = c;
    free(list);
    if (t->n == 0)
        cli_die(CLI_BAD, "%s: expected a data column, found only time and step", name);
    t->timed = at >= 0 && isnan(dt);
    at = find_clock(t, at);
    t->has_time = at >= 0;
    if (t->has_time)
        t->want[t->n] = (size_t)at;
}

/* Reads all rows. */
static void load(struct table *t)
{
    struct err e;
    size_t width = t->n + (size_t)t->has_time;
    int got;
    do {
        if (t->rows == t->capacity) {
            t->capacity = t->capacity ? 2 * t->capacity : 4096;
            double need = (double)t->capacity * (double)width * sizeof *t->v;
            if (err_over(&e, need, common.max_mem, "fewer --columns", "%zu rows", t->capacity))
                cli_die(e.status, "%s", e.text);
            if (!(t->v = realloc(t->v, t->capacity * width * sizeof *t->v)))
                cli_die(CLI_MEMORY, "out of memory for %zu rows", t->capacity);
        }
        got = columns_next(t->in, t->want, width, t->v + t->rows * width, &e);
        t->rows += got > 0;
        if (got > 0 && t->rows % 65536 == 0)
            cli_progress(t->rows, 0, "rows");
    } while (got > 0);
    if (got < 0)
        cli_die(e.status, "%s", e.text);
    if (t->rows < 2)
        cli_die(CLI_BAD, "%s: expected at least two rows, found %zu", name, t->rows);
    if (columns_doubt(t->in))
        cli_warn("%s: %s", name, columns_doubt(t->in));
}

/* Returns the error that printing or f32 may cause in the times of the first rows. */
static double printed(const struct table *t, size_t rows)
{
    const double *at = t->v + t->n;
    int max = 0, n;
    for (size_t k = 0; k < rows && k < 1000; k++)
        max = (n = stamps_decimals(at[k * (t->n + 1)])) > max ? n : max;
    return pow(10.0, -max) + 2.4e-7 * fabs(at[(rows - 1) * (t->n + 1)]);
}

/* Returns the time between the first rows if it is constant to 1 %, else 0. */
static double even(const struct table *t, size_t rows)
{
    size_t width = t->n + 1;
    const double *at = t->v + t->n;
    double step = (at[(rows - 1) * width] - at[0]) / (double)(rows - 1), worst = 0.0;
    for (size_t k = 0; k < rows; k++)
        worst = fmax(worst, fabs(at[k * width] - at[0] - step * (double)k));
    double slack = 0.01 * step;
    if (!t->timed && strncasecmp(columns_name(t->in, t->want[t->n]), "time", 4) == 0)
        slack = fmax(slack, printed(t, rows)); /* --dt may be more accurate */
    return step > 0.0 && worst <= slack ? step : 0.0;
}

/* Returns the time between rows from the time column. A log also contains the last step of its run,
 * even if it is not on the interval. */
static double spacing(struct table *t)
{
    size_t width = t->n + 1, k = 1;
    const double *at = t->v + t->n;
    double gap = at[width] - at[0], step = even(t, t->rows);
    char text[DECIMAL_TEXT];
    if (!(step > 0.0) && t->rows > 3 && columns_is_log(t->in) &&
        (step = even(t, t->rows - 1)) > 0.0 &&
        at[(t->rows - 1) * width] > at[(t->rows - 2) * width]) {
        t->rows--;
        cli_warn("%s: skipped the last row of the run, at %s %.9g, because it breaks the regular "
                 "interval",
                 name, columns_name(t->in, t->want[t->n]), at[t->rows * width]);
    }
    if (step > 0.0) {
        size_t n = decimal_put_f64(text, step * t->ps, 12); /* removes the rounding error of the
                                                        subtraction */
        if (decimal_get_f64(text, n, DECIMAL_OURS, &step) == 0)
            return step;
    }
    while (k + 1 < t->rows && fabs(at[k * width] - at[(k - 1) * width] - gap) <= 0.01 * fabs(gap))
        k++;
    cli_die(CLI_BAD, "%s: row %zu: expected evenly spaced rows, found %s %.9g after %.9g", name,
            k + 1, columns_name(t->in, t->want[t->n]), at[k * width], at[(k - 1) * width]);
}

/* Sets a key to one word per column. The word is "-" if of() does not recognise the column. If of()
 * recognises no column, sets no key. */
static void put_words(const struct table *t, struct meta *m, const char *key,
                      const char *(*of)(const struct columns *, size_t, char *))
{
    char unit[UNIT_TEXT], *text = malloc(t->n * (COLUMNS_NAME + 1) + 1), *p = text;
    bool known = false;
    if (!text)
        cli_die(CLI_MEMORY, "out of memory");
    for (size_t k = 0; k < t->n; k++) {
        const char *word = of(t->in, t->want[k], unit);
        known |= word != NULL;
        p += sprintf(p, "%s%s", k ? " " : "", word ? word : "-");
    }
    if (known && meta_set(m, key, text))
        cli_die(CLI_MEMORY, "out of memory");
    free(text);
}

static const char *name_of(const struct columns *c, size_t k, char *text)
{
    (void)text;
    return columns_name(c, k);
}

static const char *unit_of(const struct columns *c, size_t k, char *text)
{
    (void)columns_unit(c, k, text);
    return text[0] ? text : NULL;
}

static const char *flux_of(const struct columns *c, size_t k, char *text)
{
    (void)text;
    return columns_flux(c, k);
}

static struct meta *describe(const struct table *t)
{
    struct meta *m = meta_derive(NULL, tool.name, CLI_VERSION, common.args);
    unsigned long long natoms = columns_natoms(t->in);
    if (!m || columns_meta(t->in, m) | meta_set(m, "data.quantity", "time-series") |
                  meta_set_f64(m, "sys.dt_ps", &dt, 1))
        cli_die(CLI_MEMORY, "out of memory");
    put_words(t, m, "data.columns", name_of);
    put_words(t, m, "data.units", unit_of);
    put_words(t, m, "data.fluxes", flux_of);
    if (natoms && meta_get(m, "data.fluxes") && meta_setf(m, "sys.natoms", "%llu", natoms))
        cli_die(CLI_MEMORY, "out of memory");
    return m;
}

/* Writes the rows as frames of about 1 MiB. Returns 0 or -1. */
static int put_table(const struct table *t, struct frame_writer *out, struct err *e)
{
    size_t width = t->n + (size_t)t->has_time,
           rows = FRAME_PART_BYTES / 4 / (t->n * sizeof(double)) + 1;
    double *v = malloc(rows * t->n * sizeof *v);
    int rc = v ? 0 : err_memory(e, "rows");
    for (size_t at = 0; at < t->rows && rc == 0; at += rows) {
        size_t n = rows < t->rows - at ? rows : t->rows - at;
        for (size_t k = 0; k < n; k++)
            memcpy(v + k * t->n, t->v + (at + k) * width, t->n * sizeof *v);
        struct frame_desc d = {.type = FRAME_SERI,
                               .dtype = FRAME_F64,
                               .ndim = 2,
                               .dims = {n, t->n},
                               .index = at,
                               .time = (t->timed ? t->v[t->n] * t->ps : 0.0) + dt * (double)at};
        if ((rc = frame_put(out, &d, v)))
            *e = *frame_writer_error(out);
    }
    free(v);
    return rc;
}

/* Converts XYZ text (--info). Returns the exit status. */
static int convert_info(void)
{
    const char *other = columns ? "--columns" : time_name ? "--time" : units ? "--units" : "--run";
    if (columns || time_name || units || choice.run)
        cli_die(CLI_BAD, "expected --info or %s, found both", other);
    while (strcmp(formats_names[cli_convert.format], "xyz") != 0)
        cli_convert.format++;
    cli_traj.given.dt_ps = dt;
    cli_traj.given.timestep_ps = timestep;
    cli_traj.given.allow_partial = allow_partial;
    cli_traj.given.jumps_ok = true;
    return cli_convert_run(&tool, &common, NULL);
}

int main(int argc, char **argv)
{
    struct err e = {0};
    struct table t = {0};
    cli_parse(&tool, argc, argv, &common);
    if (cli_convert.nkeys)
        return convert_info();
    const struct traj_given *given = &cli_traj.given, all = TRAJ_GIVEN_DEFAULT;
    bool selected = given->first || given->stop != all.stop || given->step != 1;
    if (selected || cli_convert_time_unit >= 0)
        cli_die(CLI_BAD, "expected --info with %s, found none",
                selected ? "--select" : "--time-unit");
    name = common.noperands ? common.operands[0] : name;

    choice.partial = allow_partial;
    choice.style = units ? styles[units] : NULL;
    if (!(t.in = columns_open(cli_input(&common), &choice, &e)))
        cli_die(e.status, "%s", e.text);
    choose(&t);
    load(&t);
    double separate = t.has_time ? spacing(&t) : dt;
    dt = t.timed ? separate : dt;
    struct meta *m = describe(&t);
    struct frame_writer *out = cli_create(&common);

    bool done = frame_put_meta(out, m) == 0 && put_table(&t, out, &e) == 0 &&
                frame_end(out, FRAME_COMPLETE, NULL, NULL) == 0;
    if (done) {
        cli_note("%s: %zu rows, %g ps apart (%s)", name, t.rows, dt,
                 t.timed ? columns_name(t.in, t.want[t.n]) : "--dt");
        cli_summary(t.rows, frame_written(out), NULL);
    }
    columns_close(t.in);
    meta_free(m);
    free(t.v);
    return done ? cli_close(out) : cli_fail(out, NULL, e.status ? &e : frame_writer_error(out));
}
