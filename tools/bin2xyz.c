/* SPDX-License-Identifier: MIT */
/* bin2xyz: POSN -> extended XYZ text. */
#include <stdio.h>

#include "cli/cli.h"
#include "stream/traj.h"
#include "xyz/xyz_write.h"

static uint64_t digits;
static const struct cli_opt options[] = {
    {0, "digits", "N", CLI_UINT, &digits, 1, 17, NULL, NULL,
     "significant digits of a coordinate (the fewest that read back exactly)"},
    {0}};
static const struct cli_tool tool = {
    "bin2xyz",
    "[FILE]",
    "Turn a stream of positions into extended XYZ text (Lattice, Properties, pbc, Time).",
    options,
    "  bin2xyz argon.mbf -o argon.xyz\n"
    "  xyz2bin --select ::10 argon256.xyz.gz | bin2xyz --digits 6 | gzip > thin.xyz.gz\n",
    0,
    1,
    false,
    NULL};

static void to_text(void *ctx, const void *bytes, size_t n)
{
    cli_text_write(ctx, bytes, n);
}

/* All of r to text. Returns 0, or the exit status after a message in err. */
static int convert(struct frame_reader *r, struct cli_text *text, const struct cli_common *c,
                   char *err, size_t errlen)
{
    int status = CLI_OK, got;
    struct traj_block b;
    struct traj_reader *t = traj_open(r, FRAME_POSN, &status, err, errlen);
    if (!t)
        return status;
    struct xyz_writer *w =
        xyz_writer_new(traj_info(t), frame_meta(r), (int)digits, c->threads, err, errlen);
    status = w ? CLI_OK : CLI_BAD;
    while (w && status == CLI_OK && (got = traj_next(t, &b, NULL)) != 0) {
        if (got < 0) {
            status = traj_error_status(t);
            snprintf(err, errlen, "%s", traj_error(t));
        } else {
            xyz_write(w, &b, to_text, text);
        }
        cli_progress(traj_steps(t), 0, "frames");
    }
    cli_summary(traj_steps(t), frame_wire_bytes(r), "formatting");
    xyz_writer_free(w);
    traj_close(t);
    return status;
}

int main(int argc, char **argv)
{
    struct cli_common c;
    char err[FRAME_ERR_BYTES];
    cli_parse(&tool, argc, argv, &c);
    struct frame_reader *r = cli_open(&c, cli_input(&c));
    struct cli_text *text = cli_text_open(&c);
    int status = convert(r, text, &c, err, sizeof err);
    if (status != CLI_OK)
        cli_error("%s", err);
    frame_close_reader(r);
    return cli_text_close(text, (enum cli_status)status);
}
