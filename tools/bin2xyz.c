/* SPDX-License-Identifier: MIT */
/* bin2xyz: converts positions (POSN) to extended XYZ text. */
#include <string.h>

#include "cli/cli.h"
#include "formats/xyz_write.h"
#include "stream/traj.h"

static uint64_t digits;
static const struct cli_opt options[] = {
    CLI_OPT("digits", "N", UINT, &digits,
            "number of significant digits of each coordinate (default: just enough to recover the "
            "exact value)",
            .min = 1, .max = 17),
    {0}};
static const struct cli_tool tool = {
    .name = "bin2xyz",
    .operands = "[FILE]",
    .summary = "Convert a stream of positions to extended XYZ text, with Lattice, pbc and Time. "
               "Velocities and scalars of the atoms are written if the stream contains them.",
    .opts = options,
    .examples = "  bin2xyz argon.mbf -o argon.xyz\n"
                "  xyz2bin --select ::10 argon.xyz.gz | bin2xyz --digits 6 | gzip > thin.xyz.gz\n",
    .max_operands = 1,
    .reads_steps = true};

static void to_text(void *ctx, const void *bytes, size_t n)
{
    cli_text_write(ctx, bytes, n);
}

/* Converts the whole stream of r to text. Returns 0 or -1. */
static int convert(struct frame_reader *r, struct cli_text *text, const struct cli_common *c,
                   struct err *e)
{
    int got = -1;
    struct traj_block b;
    struct traj_reader *t = traj_open(r, FRAME_SCAL, e);
    if (!t)
        return -1;
    struct xyz_writer *w = xyz_writer_new(traj_info(t), frame_meta(r), (int)digits, c->threads, e);
    if (!w)
        err_file(e, frame_name(r));
    while (w && (got = traj_next(t, &b, NULL)) > 0) {
        xyz_write(w, &b, to_text, text);
        cli_progress(traj_steps(t), traj_expected(t), "frames");
    }
    if (w && got < 0)
        *e = *traj_error(t);
    if (w && got == 0 && traj_left_out(t) && strcmp(traj_left_out(t), "VELO") == 0)
        cli_warn("%s: the velocities are not written, because the stream stores them after the "
                 "positions of all steps, as in a restart file",
                 frame_name(r));
    cli_summary(traj_steps(t), frame_wire_bytes(r), "formatting");
    xyz_writer_free(w);
    traj_close(t);
    return got;
}

/* A text has no ERR frame, so after a failure it ends with a line that no reader accepts as a
 * frame. */
static void give_up(struct cli_text *text, const struct err *e)
{
    cli_error("%s", e->text);
    cli_text_write(text, "ERR bin2xyz: ", 13);
    for (const char *p = e->text; *p; p++)
        cli_text_write(text, (unsigned char)*p < ' ' ? "?" : p, 1);
    cli_text_write(text, "\n", 1);
}

int main(int argc, char **argv)
{
    struct cli_common c;
    struct err e = {.status = CLI_OK};
    cli_parse(&tool, argc, argv, &c);
    struct frame_reader *r = cli_open(&c, cli_input(&c));
    struct cli_text *text = cli_text_open(&c);
    if (convert(r, text, &c, &e) != 0)
        give_up(text, &e);
    frame_close_reader(r);
    return cli_text_close(text, e.status);
}
