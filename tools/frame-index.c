/* SPDX-License-Identifier: MIT */
/* frame-index: writes FILE.mbi, an index of the steps of FILE. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "stream/frame_index.h"

static const struct cli_opt options[] = {{0}};
static const struct cli_tool tool = {
    .name = "frame-index",
    .operands = "FILE...",
    .summary = "Write FILE.mbi, an index of the steps of FILE. With the index, frame-cut and "
               "--shard read only the steps they need.",
    .opts = options,
    .examples = "  frame-index run1.mbf\n"
                "  frame-index run1.mbf && frame-cut 20:30 run1.mbf -o end.mbf\n",
    .min_operands = 1,
    .max_operands = -1};

static uint64_t steps, bytes; /* totals of all files */

/* Indexes one file. Returns 0 or a status. */
static int make(const struct cli_common *c, const char *path)
{
    struct err e;
    struct frame f;
    struct frame_index x = {.max = c->max_mem};
    struct frame_totals t = {0};
    struct frame_reader *r = cli_open(c, path);
    int rc, full = 0;
    while (!full && (rc = frame_peek(r, &f)) > 0) {
        bool control = f.desc.type == FRAME_META || f.desc.type == FRAME_END;
        full = control ? 0 : frame_index_note(&x, &f.desc, frame_head_at(r), &e);
        cli_progress(frame_wire_bytes(r), frame_file_bytes(r), "bytes");
    }
    if (full)
        rc = err_file(&e, path);
    else if (rc < 0)
        e = *frame_error(r);
    else if (!frame_is_named(r) || !frame_totals(r, &t))
        rc = err_in(&e, ERR_BAD, path, 0, "expected a regular file, found another kind of input");
    else
        rc = frame_index_write(&x, path, frame_file_bytes(r), &t, &e);
    if (rc)
        rc = cli_fail(NULL, NULL, &e);
    else
        cli_note("%s: %zu blocks, %.0f steps", path, x.n, x.steps);
    steps += (uint64_t)x.steps;
    bytes += frame_wire_bytes(r);
    frame_index_free(&x);
    frame_close_reader(r);
    return rc;
}

int main(int argc, char **argv)
{
    struct cli_common c;
    int status = CLI_OK;
    cli_parse(&tool, argc, argv, &c);
    if (c.output)
        cli_die(CLI_BAD, "-o: the index of FILE is always FILE.mbi");
    for (int k = 0; k < c.noperands; k++) {
        char *name = frame_index_name(c.operands[k]);
        cli_separate((const char *[]){name, c.log, "-"}, 3);
        free(name);
    }
    for (int k = 0; k < c.noperands && status == CLI_OK; k++)
        status = make(&c, c.operands[k]);
    cli_summary(steps, bytes, NULL);
    return status;
}
