/* SPDX-License-Identifier: MIT */
/* md_setup.h: converts the options of a run to parameters and META, and META back to options, and
 * formats the lines of energies and other totals.
 *
 * With --units metal, quantities are in Å, ps, meV, u and K, and the time step is in fs. With
 * --units lj, kB is 1, and sigma, eps and mass are 1 unless given. All times, including the time
 * step, are then in units of sigma sqrt(mass/eps). Streams contain these reduced values in place of
 * values in Å and ps. */
#pragma once

#include <stdbool.h>

#include "md/md.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

enum { MD_METAL, MD_LJ };
#define MD_CUTOFF_HALF -1.0 /* half the smallest edge */

/* The names of enum values, as used on the command line and in META. Each array is indexed by the
 * value and ends with NULL. */
extern const char *const md_units_names[],
    *const md_form_names[], *const md_shift_names[], *const md_start_names[],
                                                         *const md_neighbours_names[],
                                                             *const md_boundary_names[],
                                                                 *const md_integrator_names[],
                                                                     *const md_precision_names[];

/* Values of options. The value of an option that was not given is NaN or -1, but 0 for --atoms and
 * --rebuild. */
struct md_setup {
    uint64_t atoms;
    double density, cell[3]; /* atoms per unit volume, and edges of the cell */
    double temperature, eps, sigma, mass, cutoff, skin;
    double dt;  /* time step in fs, or in reduced units */
    double tau; /* time of the thermostat in ps or reduced units, or 0 for no thermostat */
    int start, units, form, shift, neighbours, boundary, integrator, precision;
    uint64_t seed, replicas, rebuild; /* rebuild: 0 if not given */
    bool tail;                        /* use md_add_tail */
};

void md_setup_empty(struct md_setup *s);
/* These functions parse the argument of --cutoff, --cell or --thermostat. They return 0 on success,
 * or -1 with an error message in e. */
int md_parse_cutoff(const char *text, void *dst, struct err *e);
int md_parse_cell(const char *text, void *dst, struct err *e);
int md_parse_thermostat(const char *text, void *dst, struct err *e);

/* Sets missing values to their defaults, converts s to internal units, and sets p from s. Returns 0
 * on success, or -1 with an error message and ERR_BAD in e to a message that names the wrong or
 * missing option. */
int md_setup_params(struct md_setup *s, struct md_params *p, struct err *e);
/* Sets the sys.* and data.* keys of a run. The argument dt is the time between the steps of the
 * stream. Returns 0, or -1 if memory runs out. */
int md_setup_meta(const struct md_setup *s, const struct md_params *p, double dt, struct meta *m);
/* Sets the values that the user did not give from the META of a restart file. Returns 0 on success,
 * or -1 with an error message in e. */
int md_setup_from_meta(struct md_setup *s, const struct meta *m, struct err *e);

/* The function md_thermo_legend returns the header line of --thermo without "# ". The function
 * md_thermo_line writes a line of totals without newline to `line`, which has MD_THERMO_LINE bytes.
 * The flag `stress` appends the pressure tensor. */
#define MD_THERMO_LINE 1024
const char *md_thermo_legend(const struct md_setup *s, bool stress);
void md_thermo_line(const struct md_setup *s, const struct md_params *p, uint64_t step,
                    const struct md_thermo *t, bool stress, char *line);

C_LINKAGE_END
