/* SPDX-License-Identifier: MIT */
/* bin2txt: prints any frame stream as text columns whose numbers read back exactly. */
#include "cli/cli.h"
#include "stats/series_table.h"

static bool meta_only;
static int format;
static uint64_t digits;
static const struct cli_opt options[] = {
    CLI_OPT("meta", NULL, FLAG, &meta_only, "print only the metadata (META) of each segment"),
    CLI_OPT("format", "NAME", CHOICE, &format,
            "output format: text, json, tsv or csv; tsv and csv begin with a single line of column "
            "names (default: text)",
            .choices = table_formats),
    CLI_OPT("digits", "N", UINT, &digits,
            "number of significant digits to print (default: enough to recover the exact value)",
            .min = 1, .max = 17),
    {0}};
static const struct cli_tool tool = {
    .name = "bin2txt",
    .operands = "[FILE]",
    .summary =
        "Print any frame stream as text columns, for gnuplot and awk, or as TSV, CSV or JSON.",
    .opts = options,
    .examples = "  g4-cpu --tmax 6 argon.mbf | bin2txt -o cf.txt\n"
                "  bin2txt cf.mbf | awk '!/^#/ { print $1, $3 }'\n"
                "  bin2txt --format csv --digits 6 cf.mbf >cf.csv\n"
                "  bin2txt --meta cf.mbf\n",
    .max_operands = 1};

static void to_text(void *text, const void *bytes, size_t n)
{
    cli_text_write(text, bytes, n);
}

int main(int argc, char **argv)
{
    static struct cli_common c;
    static struct series_table o;
    cli_parse(&tool, argc, argv, &c);
    cli_unused(meta_only, "format", "with --meta");
    cli_unused(meta_only, "digits", "with --meta");
    struct frame_reader *r = cli_open(&c, cli_input(&c));
    struct cli_text *text = cli_text_open(&c);
    o = (struct series_table){.table = {.format = (enum table_format)format,
                                        .digits = (int)digits,
                                        .put = to_text,
                                        .ctx = text},
                              .meta_only = meta_only,
                              .warn = cli_warn,
                              .progress = cli_progress};

    if ((table_init(&o.table) != 0 ? err_memory(&o.err, "a table") : series_table_put(&o, r)) != 0)
        cli_error("%s", o.err.text);

    cli_summary(o.rows, frame_wire_bytes(r), NULL);
    frame_close_reader(r);
    table_free(&o.table);
    return cli_text_close(text, o.err.status);
}
