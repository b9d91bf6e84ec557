/* SPDX-License-Identifier: MIT */
/* frame-merge: merges the sums (CORR, HIST) of several runs and keeps the blocks of every run. */
#include "cli/cli.h"
#include "stats/merge.h"

static const struct cli_opt options[] = {{0}};
static const struct cli_tool tool = {
    .name = "frame-merge",
    .operands = "[FILE...]",
    .summary = "Merge the results (CORR or HIST) of several runs of one system. The blocks of "
               "every run are kept, so that means and errors can be computed from all of them.",
    .opts = options,
    .examples = "  frame-merge run1.cf run2.cf run3.cf | bin2txt\n"
                "  for k in 1 2 3; do rdf-cpu --shard $k/3 run1.mbf -o gr.$k; done\n"
                "  frame-merge gr.? -o gr.mbf\n"
                "  cat gr.*.mbf | frame-merge -o gr.mbf\n",
    .max_operands = -1,
    .writes_frames = true};

int main(int argc, char **argv)
{
    struct cli_common c;
    struct err e;
    char drift[512];
    uint64_t bytes = 0;
    cli_parse(&tool, argc, argv, &c);
    struct frame_writer *w = cli_create(&c);
    struct merge *m = merge_open(c.max_mem, cli_left_out);
    int bad = m ? 0 : (err_memory(&e, "sums"), cli_fail(w, NULL, &e));

    for (int k = 0; !bad && k < cli_inputs(&c); k++) {
        struct frame_reader *r = cli_open(&c, cli_input_at(&c, k));
        bad = merge_add(m, r, &e) ? cli_fail(w, r, &e) : 0;
        bytes += frame_wire_bytes(r);
        frame_close_reader(r);
    }
    if (!bad && merge_put(m, w, tool.name, CLI_VERSION, c.args, drift, sizeof drift, &e))
        bad = cli_fail(w, NULL, &e);

    if (!bad && *drift)
        cli_warn("%s", drift);
    if (!bad)
        cli_summary(merge_segments(m), bytes, NULL);
    merge_close(m);
    return bad ? bad : cli_close(w);
}
