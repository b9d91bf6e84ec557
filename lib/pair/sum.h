/* SPDX-License-Identifier: MIT */
/* sum.h: defines which periodic images of a pair are summed, and the data that the sum needs in
 * each cell.
 *
 * The sum `mic` includes only the minimum image (Dawid 2019). When the minimum image of a pair
 * changes, the components xz, xy or yz change sign. These changes of sign add a random walk to
 * S(t), and thus an artificial 1/nu² wing to the spectrum. The components xx-yy and zz are
 * continuous. The sum `taper` multiplies the minimum image by a switching function that ends within
 * half the smallest width of the cell (beta.h). The sum `taper` accepts all cells, including
 * non-periodic cells. The sum `ewald` includes all images and needs a cell that is periodic along
 * all three vectors. The sum `ewald` is computed pair by pair (ewald.h), or from a mesh (mesh.h) if
 * only sums over the partners of each atom are needed. If a mesh is used, beta of a single pair is
 * tapered. */
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

/* The kinds of sums. Only the table in sum.c and the tests use the names below. All other code uses
 * a row of the table, or the form of the sum. */
enum sum_kind { SUM_MIC, SUM_TAPER, SUM_EWALD, SUM_KINDS };

/* The forms of beta of one pair. Each form has its own kernels. SUM_NEAR is the short-range part
 * that belongs to a mesh (split.h), and is used only for A_i. SUM_IMAGES is computed in the reduced
 * cell (ewald.h). */
enum sum_form {
    SUM_NEAREST, /* minimum image, up to a cutoff */
    SUM_TAPERED, /* minimum image, with a taper */
    SUM_NEAR,    /* short-range part that belongs to a mesh */
    SUM_IMAGES   /* all images */
};

/* Default start and end of a taper, divided by half the smallest width of the cell. */
#define SUM_TAPER_FROM 0.7
#define SUM_TAPER_TO 1.0

/* Default start and end of the taper that is used with a mesh, in units of sigma. */
#define SUM_MESH_FROM 3.15
#define SUM_MESH_TO 3.5

/* Whether a mesh is used. With SUM_MESH_MAY, the engine uses a mesh if this takes less time in the
 * given cell. */
enum sum_mesh { SUM_MESH_NO, SUM_MESH_MAY, SUM_MESH };

struct sum {
    enum sum_kind kind;
    double rc2;         /* squared cutoff of the sum `mic` in Å², or HUGE_VAL */
    double r1, r2;      /* start and end of the taper in Å, or 0 for both defaults */
    double tolerance;   /* value of the argument `tolerance` of ewald_fit_new */
    size_t natoms;      /* value of the argument natoms of ewald_fit_new */
    enum sum_mesh mesh; /* whether the sum `ewald` uses a mesh */
    struct split plan; /* parameters of the mesh, used unless `mesh` is SUM_MESH_NO. The short-range
                         * part ends at the distance r2. */
    int self;          /* whether cells need the member `self` */
    int pairs;         /* whether cells need a fit in double precision, for single pairs */
    double end;        /* end of the pair function in Å, or 0 */
};

/* A row of the table of sums. */
struct sum_row {
    const char *name;    /* name of the sum, as in data.sum */
    const char *usage;   /* text for --help */
    const char *words;   /* text for data.convention that describes the sum */
    enum sum_form form;  /* form of beta if no mesh is used */
    int sphere;          /* whether the sum is isotropic in any cell */
    const char *uncut;   /* reason why no cutoff is allowed, or NULL */
    const char *end;     /* name of the function that ends at r2 */
    const char *instead; /* remedy if r2 is too big */
    /* Parses the text `more` after "name:" and sets the members of s, which is zero on entry. If
     * the option contains no text after the name, `more` is NULL. Returns 0 on success, or -1 with
     * an error message in e. If the sum accepts no text after its name, the member `parse` is
     * NULL. */
    int (*parse)(const char *more, double sigma, struct sum *s, struct err *e);
};
extern const struct sum_row sum_rows[SUM_KINDS];

static inline const struct sum_row *sum_row(const struct sum *s)
{
    return &sum_rows[s->kind];
}

/* Returns the form of beta for single pairs. If a mesh is used, the form for single pairs is
 * SUM_TAPERED. */
static inline enum sum_form sum_pair_form(const struct sum *s)
{
    return s->mesh == SUM_MESH ? SUM_TAPERED : sum_row(s)->form;
}

/* Returns the distance in Å beyond which beta is 0 in any cell, or HUGE_VAL if this distance is
 * infinite or depends on the cell. If the sum may use a mesh, the result is the end of the
 * short-range part. */
static inline double sum_reach(const struct sum *s)
{
    if (sum_row(s)->form == SUM_NEAREST)
        return sqrt(s->rc2);
    return s->r2 > 0 && (sum_row(s)->form == SUM_TAPERED || s->mesh != SUM_MESH_NO) ? s->r2
                                                                                    : HUGE_VAL;
}

/* Chooses the sum with the name `given`, or the default sum if `given` is NULL. The cutoff is in Å,
 * or NaN if there is no cutoff. If there is a cutoff, the default sum is `mic`. Without a cutoff,
 * the default sum is `ewald` in a cell that is periodic along all three vectors, and `taper` in
 * other cells. Set the flag f64 if beta has the type double. If the sum is unknown or does not
 * allow a cutoff, returns -1 with an error message in e. Otherwise, returns 0. The caller sets
 * natoms. */
int sum_choose(struct sum *s, const char *given, double cutoff, double sigma, const struct box *b,
               int f64, struct err *e) MUST_USE;

/* Parses the value s of the option --sum. Sets *to, which is a const char *, to s. If s does not
 * begin with the name of a sum, returns -1 with an error message in e. Otherwise, returns 0. */
int sum_word(const char *s, void *to, struct err *e) MUST_USE;

/* Returns the row of the table with the given name. If the name is NULL or unknown, returns the row
 * of `mic`, the only sum in mbf 0.1. */
const struct sum_row *sum_named(const char *name);

/* The cell of a step, in the form that the kernels use. Positions are wrapped into the box d. For
 * the sum `ewald`, d is the reduced cell. */
struct sum_cell {
    struct box_f32 f;
    struct box d;                    /* The member inv is 0 along non-periodic axes. */
    struct beta_taper_f32 taper_f32; /* the slope is 0 for `mic` */
    struct beta_taper_f64 taper_f64;
    struct ewald_f32 ewald_f32;
    struct ewald_f64 ewald_f64;
    struct ewald_fit *fit;         /* polynomials that approximate the Ewald sum, shared by all
                                    * steps with the same cell. Only the sum `ewald` uses these
                                    * polynomials. */
    double self[BETA_NCOMPONENTS]; /* Q_self in 1/Å³, or 0 */
};

/* Data that are kept from one cell to the next. All members of this struct must initially be
 * zero. */
struct sum_memory {
    struct ewald_cache cache;
    struct box last; /* the previous cell */
    struct sum_cell made;
    int have;
};

/* Checks that beta can be computed in this cell. If a cutoff or taper exceeds half the smallest
 * width of the cell, returns -1 with an error message and ERR_BAD in e. Otherwise, returns 0. The
 * sum `ewald` requires a cell that is periodic along all three vectors. In a triclinic cell, `mic`
 * needs a cutoff. Without a cutoff, the minimum image in a triclinic cell would have to be searched
 * for, and beta of pairs beyond half the width would be discontinuous. */
int sum_check(const struct sum *s, const struct box *b, struct err *e) MUST_USE;

/* Prepares the next cell. Set the flag f64 if beta has the type double. The argument `frame` is the
 * index of the step, for error messages. If sum_check rejects the cell, or after another error,
 * returns -1 with an error message in e. Otherwise, returns 0. The caller frees c with
 * sum_cell_free. */
int sum_cell_make(const struct sum *s, int f64, struct sum_memory *m, const struct box *b,
                  uint64_t frame, struct sum_cell *c, struct err *e) MUST_USE;
void sum_cell_free(struct sum_cell *c);
void sum_memory_free(struct sum_memory *m);

C_LINKAGE_END
