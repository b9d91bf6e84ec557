/* SPDX-License-Identifier: MIT */
/* alpha-cpu: computes the collective polarizability of every step of a trajectory. */
#include <math.h>
#include <string.h>

#include "alpha/alpha_run.h"
#include "alpha/alpha_split.h"
#include "base/engine.h"
#include "cli/cli_reduce.h"
#include "cli/cli_steps.h"

static struct cli_common common;
static struct alpha_choice choice = {.tolerance = NAN};

/* Parses the word "all" or a number from 1 to 16. */
static int parse_order(const char *s, void *dst, struct err *e)
{
    uint64_t v = ALPHA_ALL;
    if (strcmp(s, "all") != 0 && cli_parse_uint(s, 1, ALPHA_ORDER_MAX, &v, e) != 0)
        return -1;
    *(int *)dst = (int)v;
    return 0;
}

/* Parses a damping such as A, exp:A or cubic:A. */
static int parse_thole(const char *s, void *dst, struct err *e)
{
    struct alpha_choice *c = dst;
    bool cubic = strncmp(s, "cubic:", 6) == 0;
    c->thole = cubic ? ALPHA_CUBIC : ALPHA_EXP;
    return cli_parse_real(s + (cubic                        ? 6
                               : strncmp(s, "exp:", 4) == 0 ? 4
                                                            : 0),
                          0.3, 100.0, &c->a,
                          e); /* a smaller value damps a pair in thousands of images */
}

/* Parses the words "pairs" or "mesh", or the numbers R or R,ERROR of a mesh. */
static int parse_way(const char *s, struct alpha_choice *c)
{
    char one[32];
    size_t n = strcspn(s, ",");
    struct err e;
    c->sum = strcmp(s, "pairs") == 0 ? ALPHA_PAIRS : ALPHA_MESH;
    if (c->sum == ALPHA_PAIRS || strcmp(s, "mesh") == 0)
        return 0;
    if (n >= sizeof one)
        return -1;
    memcpy(one, s, n);
    one[n] = '\0';
    return cli_parse_real(one, 1.0, 1e9, &c->reach, &e) != 0 ||
                   (s[n] &&
                    cli_parse_real(s + n + 1, ALPHA_MESH_MIN, ALPHA_MESH_MAX, &c->error, &e) != 0)
               ? -1
               : 0;
}

/* Parses the option --sum. */
static int parse_sum(const char *s, void *dst, struct err *e)
{
    struct alpha_choice *c = dst;
    bool ewald = strncmp(s, "ewald:", 6) == 0;
    c->images = ewald || strcmp(s, "ewald") == 0 ? "ewald" : s;
    if (ewald && parse_way(s + 6, c) != 0)
        return err_bad(e,
                       "expected ewald:pairs, ewald:mesh or ewald:R[,ERROR] with R of at least 1 Å "
                       "and ERROR from %g to %g (default: %g), found '%s'",
                       ALPHA_MESH_MIN, ALPHA_MESH_MAX, ALPHA_MESH_ERROR, s);
    if (strcmp(c->images, "ewald") == 0 || strcmp(s, "none") == 0)
        return 0;
    return err_bad(e,
                   "expected 'ewald' or 'none', found '%s': induced dipoles in a periodic cell "
                   "need the sum over all images, not a taper or the minimum image",
                   s);
}

static const struct cli_opt opts[] = {
    CLI_OPT("polarizability", "A=X,...", CUSTOM, &choice.atoms,
            "polarizability of each species, Å^3; a species with polarizability 0 is ignored",
            .parse = weights_parse),
    CLI_OPT("model", "FILE", STRING, &choice.model,
            "read the molecular model (sites, polarizability tensors and their axes) from FILE"),
    CLI_OPT("order", "N|all", CUSTOM, &choice.order,
            "highest order of interaction, a number from 1 to 16, or the word all for "
            "self-consistent dipoles (default: all)",
            .parse = parse_order),
    CLI_OPT("thole", "A", CUSTOM, &choice,
            "Thole damping of short-range interactions: exp:A for the exponential form, such as "
            "exp:2.1304, or cubic:A for the cubic form, such as cubic:0.572; a number A means "
            "exp:A (default: no damping)",
            .parse = parse_thole),
    CLI_OPT("parts", NULL, FLAG, &choice.parts,
            "write the permanent part, the first-order part and the sum of all higher orders in "
            "separate columns; with --order N, write every order in separate columns"),
    CLI_OPT(
        "sum", "none|ewald|ewald:pairs|ewald:mesh", CUSTOM, &choice,
        "periodic images to include: all images (ewald, with conducting boundary conditions) or "
        "no images (none); to choose how all images are summed, use ewald:pairs, ewald:mesh or "
        "ewald:R[,ERROR], see alpha-cpu(1) (default: ewald in a periodic cell, otherwise none)",
        .parse = parse_sum),
    CLI_OPT(
        "tolerance", "X", REAL, &choice.tolerance,
        "largest relative error of the self-consistent solution of --order all (default: 1e-10, "
        "or 1e-6 with --dipole)",
        .min = 1e-14, .max = 1e-2),
    CLI_OPT("dipole", NULL, FLAG, &choice.dipole,
            "write the total dipole moment (mx my mz, e*A), permanent and induced, instead of the "
            "polarizability; requires --model"),
#ifdef ENGINE_GPU
    CLI_DEVICE,
    CLI_DEVICES,
#endif
    {0}};

static const struct cli_tool tool = {
    CLI_STEPS_TOOL("alpha-" ENGINE),
    .summary = "Compute the collective polarizability (SERI, A^3: xx xy xz yy yz zz) of every step "
               "of a trajectory (POSN).",
    .examples = "  alpha-" ENGINE " --polarizability Ar=1.64 argon.mbf | acf --invariant vh\n"
                "  alpha-" ENGINE " --model co2.txt --parts co2.mbf -o co2.pi\n",
    .engine = engine_name};

int main(int argc, char **argv)
{
    struct err e;
    cli_parse(&tool, argc, argv, &common);
    if (!choice.atoms.n == !choice.model)
        cli_die(CLI_BAD, "expected --polarizability A=X,... or --model FILE, found %s",
                choice.model ? "both" : "none");
    if (choice.dipole && !choice.model)
        cli_die(CLI_BAD, "--dipole: expected --model FILE with charges, dipoles or quadrupoles, "
                         "found --polarizability");
    cli_unused(choice.order != 0, "tolerance", "without --order all");
    if (isnan(choice.tolerance))
        choice.tolerance = choice.dipole ? ALPHA_DIPOLE_TOLERANCE : ALPHA_TOLERANCE;
    cli_keep_input(&common, choice.model, common.output);
    choice.devices = cli_devices();
    if (engine_probe(choice.devices, &e) < 0)
        cli_die(e.status, "%s", e.text);
    return cli_steps(&tool, &common, &alpha_stepwise, &choice);
}
