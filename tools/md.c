/* SPDX-License-Identifier: MIT */
/* md-cpu, md-gpu: Lennard-Jones molecular dynamics, positions as they come. */
#include <stdio.h>

#include "cli/cli.h"
#include "md/md_job.h"

static struct md_setup setup;
static uint64_t equilibrate, steps = 10000, every = 50, device;
static const char *thermo, *restart, *from_restart;
static struct cli_common common;

static const char *const units[] = MD_UNITS_NAMES, *const forms[] = MD_FORM_NAMES,
                         *const shifts[] = MD_SHIFT_NAMES, *const starts[] = MD_START_NAMES,
                         *const neighbours[] = MD_NEIGHBOURS_NAMES,
                         *const boundaries[] = MD_BOUNDARY_NAMES,
                         *const integrators[] = MD_INTEGRATOR_NAMES,
                         *const precisions[] = MD_PRECISION_NAMES;
static const struct cli_opt opts[] = {
    {0, "atoms", "N", CLI_UINT, &setup.atoms, 1, 4e9, NULL, NULL,
     "a new system of so many atoms, instead of reading one"},
    {0, "density", "N_PER_A3", CLI_REAL, &setup.density, 1e-12, 1e6, NULL, NULL,
     "atoms a cubic ångström: the edge of a cube"},
    {0, "cell", "A[,B,C]", CLI_CUSTOM, setup.cell, 0, 0, NULL, md_parse_cell,
     "edges of the box, Å"},
    {0, "start", "WHICH", CLI_CHOICE, &setup.start, 0, 0, starts, NULL,
     "fcc or random places (fcc)"},
    {0, "temperature", "K", CLI_REAL, &setup.temperature, 0, 1e9, NULL, NULL,
     "of the first velocities and the thermostat (90; lj: 1)"},
    {0, "epsilon", "MEV", CLI_REAL, &setup.eps, 1e-9, 1e9, NULL, NULL,
     "depth of the pair potential (10.34; lj: 1)"},
    {0, "sigma", "ANGSTROM", CLI_REAL, &setup.sigma, 1e-9, 1e9, NULL, NULL,
     "its length (the stream's, else 3.4; lj: 1)"},
    {0, "mass", "U", CLI_REAL, &setup.mass, 1e-9, 1e9, NULL, NULL, "of an atom (39.948; lj: 1)"},
    {0, "lj", "FORM", CLI_CHOICE, &setup.form, 0, 0, forms, NULL,
     "sigma: zero at sigma; rmin: lowest at sigma (sigma)"},
    {0, "units", "WHICH", CLI_CHOICE, &setup.units, 0, 0, units, NULL,
     "metal (Å, ps, meV, u) or lj (metal)"},
    {0, "cutoff", "ANGSTROM|half", CLI_CUSTOM, &setup.cutoff, 0, 0, NULL, md_parse_cutoff,
     "of the force; half: half of the smallest edge (2.5 sigma, or half where that is less)"},
    {0, "shift", "WHICH", CLI_CHOICE, &setup.shift, 0, 0, shifts, NULL,
     "none; potential or force: what is 0 at the cutoff (none)"},
    {0, "skin", "ANGSTROM", CLI_REAL, &setup.skin, 1e-9, 1e9, NULL, NULL,
     "width of the list's buffer (chosen)"},
    {0, "neighbours", "METHOD", CLI_CHOICE, &setup.neighbours, 0, 0, neighbours, NULL,
     "auto, all-pairs, verlet or cells (auto: the fastest here)"},
    {0, "boundary", "WHICH", CLI_CHOICE, &setup.boundary, 0, 0, boundaries, NULL,
     "periodic, or mirror walls (periodic)"},
    {0, "integrator", "WHICH", CLI_CHOICE, &setup.integrator, 0, 0, integrators, NULL,
     "velocity-verlet or euler (velocity-verlet)"},
    {0, "thermostat", "none|berendsen:PS", CLI_CUSTOM, &setup.tau, 0, 0, NULL, md_parse_thermostat,
     "and its time constant (none)"},
    {0, "dt", "FS", CLI_REAL, &setup.dt, 1e-9, 1e9, NULL, NULL, "time step (2.5; lj: 0.005)"},
    {0, "equilibrate", "STEPS", CLI_UINT, &equilibrate, 0, 0, NULL, NULL,
     "steps before the first one that counts (0)"},
    {0, "steps", "STEPS", CLI_UINT, &steps, 0, 0, NULL, NULL, "steps that count (10000)"},
    {0, "every", "STEPS", CLI_UINT, &every, 1, 0, NULL, NULL,
     "steps between frames, and between lines of --thermo (50)"},
    {0, "seed", "N", CLI_UINT, &setup.seed, 0, 0, NULL, NULL,
     "of velocities and random places (1)"},
    {0, "precision", "WHICH", CLI_CHOICE, &setup.precision, 0, 0, precisions, NULL,
     "mixed: pairs in f32; double (mixed)"},
    {0, "replicas", "R", CLI_UINT, &setup.replicas, 1, 1e6, NULL, NULL,
     "so many systems at once, seeds N to N+R-1; % in file names becomes the number (1)"},
    {0, "thermo", "FILE", CLI_STRING, &thermo, 0, 0, NULL, NULL,
     "write energies and pressure as text columns"},
    {0, "restart", "FILE", CLI_STRING, &restart, 0, 0, NULL, NULL,
     "write the last state, to go on from it exactly"},
    {0, "from-restart", "FILE", CLI_STRING, &from_restart, 0, 0, NULL, NULL,
     "go on from there; options that are given take effect"},
#ifdef ENGINE_GPU
    {0, "device", "N", CLI_UINT, &device, 0, 63, NULL, NULL, "which of the visible GPUs (0)"},
#endif
    {0}};

static const char *build_facts(void)
{
    static char text[128];
    snprintf(text, sizeof text, "engine: %s", md_engine_name());
    return text;
}

static const struct cli_tool tool = {
    .name = "md-" ENGINE,
    .operands = "[FILE]",
    .opts = opts,
    .max_operands = 1,
    .writes_frames = true,
    .summary = "Lennard-Jones dynamics of a new system, or from the last step of a trajectory "
               "(POSN); positions (POSN) out.",
    .examples =
        "  md-" ENGINE
        " --atoms 256 --cell 23.03154 --thermostat berendsen:0.5 --equilibrate 20000 >argon.mbf\n"
        "  md-" ENGINE " --atoms 4000 --density 0.021 --thermo e.txt | g4-" ENGINE
        " --tmax 6 | bin2txt\n",
    .build_facts = build_facts};

static double rate(uint64_t n, double seconds)
{
    return seconds > 0 ? (double)n / seconds : 0.0;
}

int main(int argc, char **argv)
{
    char err[FRAME_ERR_BYTES], one[24];
    int status = 0;
    md_setup_empty(&setup);
    cli_parse(&tool, argc, argv, &common);
    snprintf(one, sizeof one, "%d", (int)device);
    if (md_probe(one, err, sizeof err) != 0)
        cli_die(CLI_MACHINE, "%s", err);

    struct md_job job = {.tool = tool.name,
                         .setup = &setup,
                         .common = &common,
                         .thermo = thermo,
                         .restart = restart,
                         .from_restart = from_restart,
                         .devices = one,
                         .equilibrate = equilibrate,
                         .steps = steps,
                         .every = every};
    if ((status = md_job_open(&job, err, sizeof err)) != 0)
        cli_die(status, "%s", err);
    if (md_job_run(&job, err, sizeof err) != 0)
        return md_job_fail(&job, err);
    cli_note("%s, %s, %llu list builds", md_engine_name(), neighbours[md_method(job.md)],
             (unsigned long long)md_list_builds(job.md));
    cli_note("%llu steps in %.6f s: %.4g steps/s, %.4g atom-steps/s", (unsigned long long)steps,
             job.seconds, rate(steps, job.seconds),
             rate(steps, job.seconds) * (double)(job.params.natoms * job.params.replicas));
    status = md_job_close(&job);
    cli_summary(job.frames, job.bytes, NULL);
    return status;
}
