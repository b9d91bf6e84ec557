/* SPDX-License-Identifier: MIT */
/*
 * md_setup.h: from options, a trajectory or a restart file to the parameters and the state of a
 * run, and back to META.
 *
 * Units metal: Å, ps, meV, u, K; time step in fs. Units lj: sigma, eps and mass are 1 unless given,
 * kB = 1, times in sigma sqrt(mass/eps), the time step too; streams then hold these where META says
 * Å and ps.
 */
#ifndef MBF_MD_SETUP_H
#define MBF_MD_SETUP_H

#include "md/md.h"
#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MD_METAL, MD_LJ };
#define MD_UNITS_NAMES                                                                             \
    {                                                                                              \
        "metal", "lj", NULL                                                                        \
    }
#define MD_CUTOFF_HALF -1.0 /* struct md_setup.cutoff: half of the smallest edge */

/* What was given: NaN or -1 (0 for atoms) where nothing was. */
struct md_setup {
    uint64_t atoms;
    double density, cell[3]; /* atoms a length³; edges */
    double temperature, eps, sigma, mass, cutoff, skin;
    double dt;  /* fs, or lj time */
    double tau; /* ps, or lj time; 0: no thermostat */
    int start, units, form, shift, neighbours, boundary, integrator, precision;
    uint64_t seed, replicas;
};

/* State to start from: [replicas][natoms][3], owned. */
struct md_begin {
    double *r, *v;
    uint64_t step;
    void *aux;
    size_t aux_bytes;
};

void md_setup_empty(struct md_setup *s);
/* One --cutoff, --cell or --thermostat argument: 0, or -1 with the reason (cli_opt.parse). */
int md_parse_cutoff(const char *text, void *dst, char *err, size_t errlen);
int md_parse_cell(const char *text, void *dst, char *err, size_t errlen);
int md_parse_thermostat(const char *text, void *dst, char *err, size_t errlen);

/* Fill what was not given with the defaults, in internal units. 0, or -1 with the option that is
 * wrong or missing. */
int md_setup_params(struct md_setup *s, struct md_params *p, char *err, size_t errlen);
/* sys.* and data.* keys of a run; dt: time between steps of the stream. 0 or -1: out of memory. */
int md_setup_meta(const struct md_setup *s, const struct md_params *p, double dt, struct meta *m);

/*
 * The three ways to start. Each fills s (what was not given), p and b. Status 2 or 3 with err, 0
 * when done.
 *   new:     --atoms in an empty box (md_init)
 *   stream:  last step of a POSN stream, fresh velocities
 *   restart: a restart file: everything goes on as it was, but for what is given
 */
int md_begin_new(struct md_setup *s, struct md_params *p, struct md_begin *b, char *err,
                 size_t errlen);
int md_begin_stream(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                    struct md_begin *b, char *err, size_t errlen);
int md_begin_restart(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                     struct md_begin *b, char *err, size_t errlen);
void md_begin_free(struct md_begin *b);

/*
 * Write the state of m as a restart: a segment a replica with POSN [1,N,3] and VELO [1,N,3] in f64,
 * not wrapped, and MDAX, the engine's own bytes. meta: as of the trajectory; the step is added. 0,
 * or -1 with err.
 */
int md_restart_write(struct frame_writer *w, struct md *m, const struct md_params *p,
                     const struct meta *meta, char *err, size_t errlen);

/* A line of --thermo for a legend of md_thermo_legend: no newline; returns its length (buffer >=
 * MD_THERMO_LINE). */
#define MD_THERMO_LINE 512
const char *md_thermo_legend(const struct md_setup *s);
size_t md_thermo_line(const struct md_setup *s, const struct md_params *p, uint64_t step,
                      const struct md_thermo *t, char *line);

#ifdef __cplusplus
}
#endif
#endif
