/* SPDX-License-Identifier: MIT */
/* ql-cpu, ql-gpu: compute bond-order parameters q_l and w_l of a trajectory. */
#include <math.h>
#include <stdlib.h>

#include "base/engine.h"
#include "cli/cli_reduce.h"
#include "ql/ql.h"

static struct ql_choice choice = {.n = 2, .l = {4, 6}, .rmax = NAN};
static const char *atoms;

/* Parses a list of orders such as "4,6". */
static int parse_orders(const char *s, void *dst, struct err *e)
{
    struct ql_choice *c = dst;
    char *end;
    long last = QL_MIN - 1;
    for (c->n = 0;; s = end + 1) {
        long l = strtol(s, &end, 10);
        if (end == s || l <= last || l > QL_MAX || (*end && *end != ','))
            return err_bad(e, "expected ascending orders from %d to %d, found '%s'", QL_MIN, QL_MAX,
                           s);
        c->l[c->n++] = (double)(last = l);
        if (!*end)
            return 0;
    }
}

static const struct cli_opt opts[] = {
    CLI_OPT(
        "l", "L,...", CUSTOM, &choice,
        "orders l of the bond-order parameters, from 2 to 12, in ascending order (default: 4,6)",
        .parse = parse_orders),
    CLI_OPT("rmax", "ANGSTROM", REAL, &choice.rmax,
            "count two atoms as neighbours if they are closer than this distance", .min = 1e-9,
            .max = 1e9),
    CLI_OPT("nearest", "K", UINT, &choice.nearest,
            "count the K nearest atoms of each atom as its neighbours; replaces --rmax", .min = 1,
            .max = 1e6),
    CLI_OPT("averaged", NULL, FLAG, &choice.averaged,
            "average the components q_lm over each atom and its neighbours before computing q_l "
            "and w_l"),
    CLI_OPT("w", NULL, FLAG, &choice.w, "also compute the third-order invariants w_l"),
    CLI_OPT("per-atom", "FILE", STRING, &atoms,
            "also write the positions of the atoms (POSN) and the bond-order parameters of each "
            "atom (SCAL) to FILE"),
    CLI_BLOCKS_OF_STEPS,
    CLI_SHARD("steps"),
#ifdef ENGINE_GPU
    CLI_DEVICE,
#endif
    {0}};

static const struct cli_tool tool = {
    CLI_REDUCE_TOOL("ql-" ENGINE),
    .summary = "Compute the bond-order parameters q_l and w_l (CORR) from positions (POSN). "
               "bin2txt prints l, atoms, q and w.",
    .examples =
        "  xyz2bin argon.xyz.gz | ql-" ENGINE " --rmax 5.2 | bin2txt\n"
        "  ql-" ENGINE " --nearest 12 --averaged --w --per-atom q.mbf argon.mbf | bin2txt\n",
    .engine = engine_name};

int main(int argc, char **argv)
{
    struct cli_common common;
    cli_parse(&tool, argc, argv, &common);
    if (isnan(choice.rmax) == !choice.nearest)
        cli_die(CLI_BAD, "expected --rmax or --nearest, found %s",
                choice.nearest ? "both" : "neither");
    if (atoms && cli_shared.shard.n)
        cli_die(CLI_BAD, "--per-atom cannot be combined with --shard, which reads some steps only");
    return cli_reduce(&tool, &common, &ql_analysis, &choice, atoms);
}
