/* SPDX-License-Identifier: MIT */
/* sum.h: defines which periodic images of a pair of atoms contribute to beta, and prepares the data
 * that this sum over images needs in each cell.
 *
 * The sum `mic` includes only the minimum image (Dawid 2019). When the minimum image of a pair
 * changes, the components xz, xy or yz change sign. The changes of sign add a random walk to S(t),
 * and thus an artificial 1/nu² wing to the spectrum. The components xx-yy and zz are continuous.
 * The sum `taper` multiplies the minimum image by a switching function that ends within half the
 * smallest width of the cell (beta.h), and accepts all cells, including non-periodic cells. The sum
 * `ewald` includes all images and needs a cell that is periodic along all three vectors. The sum
 * `ewald` is computed pair by pair (ewald.h), or on a mesh (mesh.h) if only the sums A_i over the
 * partners of each atom are needed. If a mesh is used, beta of a single pair is tapered. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "pair/beta.h"
#include "pair/ewald.h"
#include "pair/split.h"

C_LINKAGE_BEGIN

/* The kinds of sums over images. Only the table in sum.c and the tests use these names. All other
 * code uses a row of the table, or the form of the sum. */
enum sum_kind { SUM_MIC, SUM_TAPER, SUM_EWALD, SUM_KINDS };

/* The forms of beta of a pair of atoms, each with its own kernels. SUM_NEAR is used only for A_i.
 * SUM_IMAGES is computed in the reduced cell (ewald.h). */
enum sum_form {
    SUM_NEAREST,
    SUM_TAPERED,
    SUM_NEAR, /* short range of a mesh */
    SUM_IMAGES
};

/* Default start and end of a taper, in units of half the smallest width of the cell. */
#define SUM_TAPER_FROM 0.7
#define SUM_TAPER_TO 1.0

/* Default start and end of the taper that is used with a mesh, in units of sigma. */
#define SUM_MESH_FROM 3.15
#define SUM_MESH_TO 3.5

/* With SUM_MESH_MAY, the engine uses a mesh if a mesh is faster in the given cell. */
enum sum_mesh { SUM_MESH_NO, SUM_MESH_MAY, SUM_MESH };

struct sum {
    enum sum_kind kind;
    double rc2;         /* squared cutoff of `mic`, Å², or HUGE_VAL */
    double r1, r2;      /* Å; 0: default taper */
    double tolerance;   /* for ewald_fit_new */
    size_t natoms;      /* for ewald_fit_new */
    enum sum_mesh mesh; /* for `ewald` */
    struct split plan;  /* unless SUM_MESH_NO; R = r2 */
    int self;           /* cells need Q_self */
    int pairs;          /* cells need a fit in f64 */
    double end;         /* pair function, Å, or 0 */
};

struct sum_row {
    const char *name; /* as in data.sum */
    const char *usage;
    const char *words;   /* for data.convention */
    enum sum_form form;  /* if no mesh is used */
    int sphere;          /* isotropic in any cell */
    const char *uncut;   /* why no cutoff, or NULL */
    const char *end;     /* word for what ends at r2 */
    const char *instead; /* remedy if r2 is too big */
    /* Parses `more`, the text after "name:", and sets members of s. If there is no such text,
     * `more` is NULL. All members of s are zero on entry. Returns 0, or -1 with an error message in
     * e. The member `parse` is NULL for a sum that accepts no text. */
    int (*parse)(const char *more, double sigma, struct sum *s, struct err *e);
};
extern const struct sum_row sum_rows[SUM_KINDS];

static inline const struct sum_row *sum_row(const struct sum *s)
{
    return &sum_rows[s->kind];
}

/* Returns the form of beta that is used for single pairs, which is SUM_TAPERED for a mesh. */
static inline enum sum_form sum_pair_form(const struct sum *s)
{
    return s->mesh == SUM_MESH ? SUM_TAPERED : sum_row(s)->form;
}

/* Returns the distance in Å beyond which beta is 0 in any cell, or HUGE_VAL if this distance is
 * infinite or depends on the cell. For a sum that may use a mesh, returns the end of its
 * short-range part. */
static inline double sum_reach(const struct sum *s)
{
    if (sum_row(s)->form == SUM_NEAREST)
        return sqrt(s->rc2);
    return s->r2 > 0 && (sum_row(s)->form == SUM_TAPERED || s->mesh != SUM_MESH_NO) ? s->r2
                                                                                    : HUGE_VAL;
}

/* Chooses the sum with the name `given`, or the default sum if `given` is NULL. The cutoff is in Å,
 * or NaN if there is no cutoff. With a cutoff, the default sum is `mic`. Without a cutoff, the
 * default sum is `ewald` in a cell that is periodic along all three vectors, and `taper` in other
 * cells. Set f64 if beta is computed in double precision. Returns 0, or -1 with an error message in
 * e if the sum is unknown or does not allow a cutoff. The caller sets s->natoms. */
int sum_choose(struct sum *s, const char *given, double cutoff, double sigma, const struct box *b,
               int f64, struct err *e) MUST_USE;

/* Sets *to, which is a const char *, to the value s of the option --sum. Returns 0, or -1 with an
 * error message in e if s does not begin with the name of a sum. */
int sum_word(const char *s, void *to, struct err *e) MUST_USE;

/* Returns the row of sum_rows with the given name. If the name is NULL or unknown, returns the row
 * of `mic`, the only sum over images in mbf 0.1. */
const struct sum_row *sum_named(const char *name);

/* The cell of a step, in the form that the kernels use. Positions are wrapped into the cell d,
 * which is the reduced cell for the sum `ewald`. */
struct sum_cell {
    struct box_f32 f;
    struct box d; /* inv is 0 if non-periodic */
    struct beta_taper_f32 taper_f32;
    struct beta_taper_f64 taper_f64;
    struct ewald_f32 ewald_f32;
    struct ewald_f64 ewald_f64;
    struct ewald_fit *fit;         /* shared by equal cells */
    double self[BETA_NCOMPONENTS]; /* Q_self, 1/Å³, or 0 */
};

/* Data that are kept from one step to the next. The caller must initially set all members to 0. */
struct sum_memory {
    struct ewald_cache cache;
    struct box last;
    struct sum_cell made;
    int have;
};

/* Checks that beta can be computed in the cell b. Returns 0, or -1 with ERR_BAD in e if a cutoff, a
 * taper or a pair function exceeds half the smallest width of the cell. The sum `ewald` requires a
 * cell that is periodic along all three vectors. In a triclinic cell, the sum `mic` needs a cutoff.
 * Without a cutoff, the minimum image in a triclinic cell would have to be searched for, and beta
 * of pairs beyond half the width would be discontinuous. */
int sum_check(const struct sum *s, const struct box *b, struct err *e) MUST_USE;

/* Prepares c for the cell b of the next step. Set f64 if beta is computed in double precision. The
 * argument `frame` is the index of the step, for error messages. Returns 0, or -1 with an error
 * message in e, for example if sum_check rejects the cell. The caller frees c with
 * sum_cell_free. */
int sum_cell_make(const struct sum *s, int f64, struct sum_memory *m, const struct box *b,
                  uint64_t frame, struct sum_cell *c, struct err *e) MUST_USE;
void sum_cell_free(struct sum_cell *c);
void sum_memory_free(struct sum_memory *m);

C_LINKAGE_END
