/* SPDX-License-Identifier: MIT */
/* frame-cat: joins streams of one system into one segment. */
#include "cli/cli.h"
#include "stream/join.h"

static uint64_t segments;
static bool allow_partial;
static int jumps;
static const struct cli_opt options[] = {
    CLI_OPT("segments", "K", UINT, &segments,
            "stop with an error unless the inputs contain exactly K segments (default: any number)",
            .min = 1, .max = 1e15),
    CLI_OPT("allow-partial", NULL, FLAG, &allow_partial,
            "accept the incomplete output of a stopped run, as written by md-cpu --partial"),
    CLI_OPT("jumps", "refuse|mark|close", CHOICE, &jumps,
            "treatment of a jump between two inputs: refuse stops with an error, mark begins a new "
            "segment, and close shifts the steps and times of the second input (default: refuse)",
            .choices = join_jumps),
    {0}};
static const struct cli_tool tool = {
    .name = "frame-cat",
    .operands = "[FILE...]",
    .summary = "Join positions, pair tables or time series of one system into one segment with "
               "continuous steps and times.",
    .opts = options,
    .examples = "  frame-cat run1.mbf run2.mbf | g4-cpu --tmax 6\n"
                "  cat run?.mbf | frame-cat --segments 3 -o all.mbf\n",
    .max_operands = -1,
    .writes_frames = true,
    .writes_steps = true};

int main(int argc, char **argv)
{
    struct cli_common c;
    uint64_t bytes = 0;
    int bad = 0;
    cli_parse(&tool, argc, argv, &c);
    c.allow_partial = allow_partial;
    struct join j = {.w = cli_create(&c),
                     .jumps = (enum join_jump)jumps,
                     .wanted = segments,
                     .anew = c.compress != 0,
                     .tool = tool.name,
                     .version = CLI_VERSION,
                     .args = c.args,
                     .progress = cli_progress};

    for (int k = 0; !bad && k < cli_inputs(&c); k++) {
        struct frame_reader *r = cli_open(&c, cli_input_at(&c, k));
        bad = join_add(&j, r) ? cli_fail(j.w, r, &j.err) : 0;
        bytes += frame_wire_bytes(r);
        frame_close_reader(r);
    }
    if (!bad && join_end(&j))
        bad = cli_fail(j.w, NULL, &j.err);

    if (!bad)
        cli_summary(j.next, bytes, NULL);
    join_free(&j);
    return bad ? bad : cli_close(j.w);
}
