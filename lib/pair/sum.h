/* SPDX-License-Identifier: MIT */
/*
 * sum.h: the choice of periodic images for each pair, and the data needed for it in the cell of a
 * step.
 *
 *     mic    the minimum image (Dawid 2019). xz, xy and yz change sign when a pair crosses a face
 *            of the cell. The jumps form a random walk in S(t) and add a 1/nu² wing to the spectrum
 *            that is not a property of the liquid. xx-yy and zz are even there and do not jump.
 *     taper  the minimum image times a switching function that ends within half the smallest width
 *            (beta.h). Any cell, also non-periodic and partly periodic ones.
 *     ewald  all images; cells that are periodic along all three vectors. Computed pair by pair
 *            (ewald.h), or from a mesh (mesh.h) if sums over the partners of an atom suffice;
 *            single pairs are then tapered.
 */
#ifndef MBF_SUM_H
#define MBF_SUM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "pair/beta.h"
#include "pair/ewald.h"
#include "pair/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of sums. Only their table in sum.c and tests use these names; other code uses its row
 * or the form. */
enum sum_kind { SUM_MIC, SUM_TAPER, SUM_EWALD, SUM_KINDS };

/* How beta of one pair is computed; there are kernels for each form. */
enum sum_form {
    SUM_NEAREST, /* minimum image up to a cutoff */
    SUM_TAPERED, /* minimum image times a switching function */
    SUM_NEAR,  /* short-range part used with a mesh (mesh.h), only for A_i; no sum uses it alone */
    SUM_IMAGES /* all images, in the reduced cell (ewald.h) */
};

/* Default start and end of a taper, relative to half the smallest width of each cell. */
#define SUM_TAPER_FROM 0.7
#define SUM_TAPER_TO 1.0

/* Default start and end of the taper of pairs used with a mesh, in units of sigma. */
#define SUM_MESH_FROM 3.15
#define SUM_MESH_TO 3.5

/* Is there a mesh? MAY: the engine decides by cost when the cell is known. */
enum sum_mesh { SUM_MESH_NO, SUM_MESH_MAY, SUM_MESH };

struct sum {
    enum sum_kind kind;
    double rc2;       /* mic: squared cutoff, Å², HUGE_VAL: none */
    double r1, r2;    /* taper, Å; 0 0: the default; ewald: taper of the pairs used with a mesh */
    double tolerance; /* ewald: tolerance of the fit in Q_xz, 1/Å³ (ewald_fit_new) */
    size_t natoms; /* ewald: number of atoms among whose pairs Q_self is divided; 0: omit Q_self */
    enum sum_mesh mesh; /* ewald */
    struct mesh plan;   /* unless SUM_MESH_NO; its short-range part ends at r2 */
    int self;           /* ewald: cells have self */
    int pairs;          /* ewald with a mesh: cells have a fit (in double) for single pairs */
};

/* A row of the table. */
struct sum_row {
    const char *name;    /* on the command line and in data.sum */
    const char *usage;   /* forms accepted on the command line */
    const char *words;   /* meaning, for data.convention */
    enum sum_form form;  /* form of its pairs without a mesh */
    int sphere;          /* pairs within a sphere: no axis is preferred in any cell */
    const char *uncut;   /* reason why it takes no cutoff; NULL: takes one */
    const char *end;     /* name of the part that a taper ends at r2 */
    const char *instead; /* remedy if r2 is too large */
    /* Parses the text after "name:" (NULL if there is none) into s, which is zeroed. Returns 0, or
     * -1 and sets e. parse is NULL if no text is allowed. */
    int (*parse)(const char *more, double sigma, struct sum *s, struct err *e);
};
extern const struct sum_row sum_rows[SUM_KINDS];

static inline const struct sum_row *sum_row(const struct sum *s)
{
    return &sum_rows[s->kind];
}

/* Form of single pairs; with a mesh, that of the pairs used with it. */
static inline enum sum_form sum_pair_form(const struct sum *s)
{
    return s->mesh == SUM_MESH ? SUM_TAPERED : sum_row(s)->form;
}

/* Distance (Å) beyond which beta, or the short-range part if a mesh is possible, is 0 in any cell;
 * HUGE_VAL: infinite or dependent on the cell. */
static inline double sum_reach(const struct sum *s)
{
    if (sum_row(s)->form == SUM_NEAREST)
        return sqrt(s->rc2);
    return s->r2 > 0 && (sum_row(s)->form == SUM_TAPERED || s->mesh != SUM_MESH_NO) ? s->r2
                                                                                    : HUGE_VAL;
}

/* Chooses the sum named by `given`, or the default if NULL: mic with a cutoff (Å, NaN: none), as in
 * the paper; otherwise ewald if the cell is periodic along all three vectors, or else taper. f64:
 * beta is double. Returns 0, or -1 and sets e: unknown sum, or a cutoff that it does not take. The
 * caller sets natoms. */
int sum_choose(struct sum *s, const char *given, double cutoff, double sigma, const struct box *b,
               int f64, struct err *e) __attribute__((warn_unused_result));

/* Parser of the value of --sum: `to`, a const char **, is set to s. Returns 0, or -1 and sets e if
 * s does not begin with the name of a sum. */
int sum_word(const char *s, void *to, struct err *e) __attribute__((warn_unused_result));

/* Returns the row with this name; for NULL or an unknown name, mic (the only sum of mbf 0.1). */
const struct sum_row *sum_named(const char *name);

/* The cell of a step for the kernels. Positions are wrapped into d, for ewald the reduced cell. */
struct sum_cell {
    struct box_f32 f;
    struct box d;                    /* inv is 0 along non-periodic axes */
    struct beta_taper_f32 taper_f32; /* mic: of no slope, and rc2 */
    struct beta_taper_f64 taper_f64;
    struct ewald_f32 ewald_f32;
    struct ewald_f64 ewald_f64;
    struct ewald_fit *fit;         /* a counted reference; NULL except for ewald */
    double self[BETA_NCOMPONENTS]; /* Q_self (ewald.h), 1/Å³, if the sum needs it; else 0 */
};

/* Data kept from cell to cell; initially all zero. */
struct sum_memory {
    struct ewald_cache cache;
    struct box last; /* cell that was made last */
    struct sum_cell made;
    int have;
};

/* Checks that beta can be computed in this cell. Returns 0, or -1 and sets e (ERR_BAD): a cutoff or
 * taper beyond half the smallest width; mic without a cutoff in a triclinic cell (finding the
 * minimum image would need a search, and pairs beyond half the width would jump); or ewald in a
 * cell that is not periodic along all three vectors. */
int sum_check(const struct sum *s, const struct box *b, struct err *e)
    __attribute__((warn_unused_result));

/* Prepares consecutive cells that sum_check has accepted. f64: beta is double; frame is the index
 * of the step, for messages. Returns 0, or -1 and sets e. Free c with sum_cell_free. */
int sum_cell_make(const struct sum *s, int f64, struct sum_memory *m, const struct box *b,
                  uint64_t frame, struct sum_cell *c, struct err *e)
    __attribute__((warn_unused_result));
void sum_cell_free(struct sum_cell *c);
void sum_memory_free(struct sum_memory *m);

#ifdef __cplusplus
}
#endif
#endif
