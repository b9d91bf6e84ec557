/* SPDX-License-Identifier: MIT */
/*
 * md_setup.h: from options to the parameters of a run, to META and back, and lines of totals.
 *
 * Units metal: Å, ps, meV, u, K; time step in fs. Units lj: sigma, eps and mass are 1 unless given,
 * kB = 1, times in sigma sqrt(mass/eps), the time step too; streams then hold these where META says
 * Å and ps.
 */
#ifndef MBF_MD_SETUP_H
#define MBF_MD_SETUP_H

#include <stdbool.h>

#include "md/md.h"
#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MD_METAL, MD_LJ };
#define MD_CUTOFF_HALF -1.0 /* struct md_setup.cutoff: half of the smallest edge */

/* Words for enums, as on the command line and in META, indexed by them; NULL at the end. */
extern const char *const md_units_names[],
    *const md_form_names[], *const md_shift_names[], *const md_start_names[],
                                                         *const md_neighbours_names[],
                                                             *const md_boundary_names[],
                                                                 *const md_integrator_names[],
                                                                     *const md_precision_names[];

/* What was given: NaN or -1 (0 for atoms) where nothing was. */
struct md_setup {
    uint64_t atoms;
    double density, cell[3]; /* atoms a length³; edges */
    double temperature, eps, sigma, mass, cutoff, skin;
    double dt;  /* fs, or lj time */
    double tau; /* ps, or lj time; 0: no thermostat */
    int start, units, form, shift, neighbours, boundary, integrator, precision;
    uint64_t seed, replicas, rebuild; /* rebuild: 0: nothing was given */
    bool tail; /* lines of totals: with what lies beyond the cutoff (md_add_tail) */
};

void md_setup_empty(struct md_setup *s);
/* One --cutoff, --cell or --thermostat argument: 0, or -1 with the reason. */
int md_parse_cutoff(const char *text, void *dst, struct err *e);
int md_parse_cell(const char *text, void *dst, struct err *e);
int md_parse_thermostat(const char *text, void *dst, struct err *e);

/* Fill what was not given with the defaults, in internal units, and p from it. 0, or -1 with the
 * option that is wrong or missing (ERR_BAD). */
int md_setup_params(struct md_setup *s, struct md_params *p, struct err *e);
/* sys.* and data.* keys of a run; dt: time between steps of the stream. 0 or -1: out of memory. */
int md_setup_meta(const struct md_setup *s, const struct md_params *p, double dt, struct meta *m);
/* Back: what was not given, from the META of a restart file. 0 or -1 with e. */
int md_setup_from_meta(struct md_setup *s, const struct meta *m, struct err *e);

/* The header line of --thermo, without "# ", and a line of it; no newline. line: MD_THERMO_LINE
 * bytes. stress: with the pressure tensor. */
#define MD_THERMO_LINE 1024
const char *md_thermo_legend(const struct md_setup *s, bool stress);
void md_thermo_line(const struct md_setup *s, const struct md_params *p, uint64_t step,
                    const struct md_thermo *t, bool stress, char *line);

#ifdef __cplusplus
}
#endif
#endif
