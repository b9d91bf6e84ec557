/* SPDX-License-Identifier: MIT */
/* md_setup.h: converts the options of a run to parameters and META, converts META to options, and
 * formats the lines of energies and other totals.
 *
 * With --units metal, quantities are in Å, ps, meV, u and K, and the time step is in fs. With
 * --units lj, kB is 1, and sigma, eps and mass are 1 unless they are given. With --units lj, all
 * times, including the time step, are in units of sigma sqrt(mass/eps), and streams contain reduced
 * values in place of values in Å and ps. */
#pragma once

#include <stdbool.h>

#include "md/md.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

enum { MD_METAL, MD_LJ };
#define MD_CUTOFF_HALF -1.0 /* half the smallest edge */

/* Names of enum values, as on the command line and in META, are indexed by the enum and end with
 * NULL. */
extern const char *const md_units_names[],
    *const md_form_names[], *const md_shift_names[], *const md_start_names[],
                                                         *const md_neighbours_names[],
                                                             *const md_boundary_names[],
                                                                 *const md_integrator_names[],
                                                                     *const md_precision_names[];

/* Options that were not given are NaN or -1, except `atoms` and `rebuild`, which are 0. */
struct md_setup {
    uint64_t atoms;
    double density, cell[3]; /* atoms per volume, edges of the cell */
    double temperature, eps, sigma, mass, cutoff, skin;
    double dt;  /* fs, or reduced for lj */
    double tau; /* ps, or reduced; 0: none */
    int start, units, form, shift, neighbours, boundary, integrator, precision;
    uint64_t seed, replicas, rebuild; /* 0: not given */
    bool tail;                        /* use md_add_tail */
};

void md_setup_empty(struct md_setup *s);
/* Parse the value of --cutoff, --cell or --thermostat. Return 0, or -1 with an error message in
 * e. */
int md_parse_cutoff(const char *text, void *dst, struct err *e);
int md_parse_cell(const char *text, void *dst, struct err *e);
int md_parse_thermostat(const char *text, void *dst, struct err *e);

/* Sets missing values to their defaults, converts s to internal units, and sets p from s. Returns 0
 * on success, or -1 with ERR_BAD in e and a message that names the wrong or missing option. */
int md_setup_params(struct md_setup *s, struct md_params *p, struct err *e);
/* Sets the keys sys.* and data.* for a run whose stream has steps dt apart. Returns 0, or -1 if
 * memory runs out. */
int md_setup_meta(const struct md_setup *s, const struct md_params *p, double dt, struct meta *m);
/* Sets the options that the user did not give from the META of a restart file. Returns 0, or -1
 * with an error message in e. */
int md_setup_from_meta(struct md_setup *s, const struct meta *m, struct err *e);

/* Writes a space and the number v to `at`, and returns the end of the text. */
char *md_print(char *at, double v);
/* Returns the header line of the --thermo file, without "# ". A line of totals, without a newline,
 * is written by md_thermo_line to line[MD_THERMO_LINE]. If the flag `stress` is set, the line also
 * contains the pressure tensor. */
#define MD_THERMO_LINE 1024
const char *md_thermo_legend(const struct md_setup *s, bool stress);
void md_thermo_line(const struct md_setup *s, const struct md_params *p, uint64_t step,
                    const struct md_thermo *t, bool stress, char *line);

C_LINKAGE_END
