/* SPDX-License-Identifier: MIT */
/* pairs.h: computes beta of all pairs of a step. The header pairs.h declares the options, the keys
 * of META, the warnings, and the computation of tables with several threads. */
#pragma once

#include "base/box.h"
#include "base/err.h"
#include "base/simd.h"
#include "pair/beta.h"
#include "pair/factors.h"
#include "pair/sum.h"
#include "stream/frame.h"
#include "stream/traj.h"

C_LINKAGE_BEGIN

/* Parameters for computing a table of beta of all pairs. */
struct pairs {
    size_t natoms;
    enum frame_dtype source; /* number type of the positions */
    enum frame_dtype dtype;  /* number type of beta */
    int ncomp;
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS]; /* value of beta_coef() for each component */
    struct sum sum;                /* images to sum */
    struct factors *factors;       /* NULL: all factors are 1 */
    struct pair_function function; /* pair function; if there is none, its member `cells` is 0 */
    const char *they;              /* word for the atoms in messages, where NULL stands for
                                    * "atoms" */
};

/* The command-line options that define beta. In the struct pairs_choice, the components of a pair
 * function of rank 1 are PAIRS_X to PAIRS_X + 2. Outside this struct, the components of rank 1 are
 * 0 to 2. */
enum { PAIRS_ALL = BETA_NCOMPONENTS, PAIRS_X };
struct pairs_choice {
    int component; /* component; -1 selects the first component, and PAIRS_ALL selects all */
    /* Lengths are in Å. NaN stands for the sigma of META, for no cutoff, or for the prefactor 3. */
    double sigma, cutoff, prefactor;
    const char *sum;      /* NULL: the default */
    const char *function; /* file, or NULL */
    struct factors_choice factors;
};
/* The default sum (sum_choose) depends on the cell in META. The periodic axes do not change within
 * a stream. All parts of a run (--shard) and all programs that read the stream therefore use the
 * same sum. */
#define PAIRS_CHOICE_NONE                                                                          \
    {                                                                                              \
        .component = -1, .sigma = NAN, .cutoff = NAN, .prefactor = NAN                             \
    }

/* The choices of --component are the names of the components and "all". The array of choices ends
 * with NULL. The array does not contain "iso", the only component of rank 0. */
extern const char *const pairs_component_names[];

/* Sets the parameters p for positions, and *sigma to the value of sigma in Å that is used. If beta
 * is not the dipole-induced-dipole beta, *sigma becomes NaN. Returns 0 on success, or -1 with an
 * error message in e. An error is reported if neither the options nor META contain sigma, or if the
 * sum is invalid. A cutoff is an error for a sum other than `mic`. A file of a pair function is an
 * error if it is invalid or excludes another option. */
int pairs_choose(const struct pairs_choice *c, const struct traj_info *info, struct pairs *p,
                 double *sigma, struct err *e) FRAME_MUST;

/* Sets the weights and the selection of pairs, for the atoms that the META m describes. Call
 * pairs_choose first. If factors_open fails, or if a mesh does not support the selection, returns
 * -1 with an error message in e. Otherwise, returns 0. Call pairs_close(p) afterwards, also after
 * an error. */
int pairs_select(const struct pairs_choice *c, const struct meta *m, size_t max_mem,
                 struct pairs *p, struct err *e) FRAME_MUST;
void pairs_close(struct pairs *p); /* p may be all zero */

/* Returns the name of one of these options that was given on the command line, or NULL if none was
 * given. */
const char *pairs_given(const struct pairs_choice *c);

/* The following functions set the keys data.component, data.prefactor, data.sigma, data.cutoff,
 * data.sum, data.taper and the keys of factors.h in m. The function pairs_describe determines the
 * keys from the options, and pairs_describe_like copies the keys from another META. Both return 0
 * or -1. */
int pairs_describe(const struct pairs_choice *c, const struct pairs *p, double sigma,
                   struct meta *m);
int pairs_describe_like(const struct meta *from, struct meta *m);
/* Returns a text for data.convention that describes which periodic images data.sum includes. If the
 * key data.sum is missing, as in streams of mbf 0.1, the sum is `mic`. */
const char *pairs_images(const struct meta *m);

/* Returns 1 and writes a warning to `text` if the taper in this cell is so short that the total G
 * of a dense liquid is inaccurate. Otherwise returns 0. If the taper ends at PAIRS_TAPER_MIN sigma
 * or more, G(0) of liquid argon is accurate to 1 %. With shorter tapers, the error of G(0) changes
 * its sign three times. */
#define PAIRS_TAPER_MIN 4.5
int pairs_short_taper(const struct pairs *p, double sigma, const struct box *b, char *text,
                      size_t n);

/* The following functions warn if the atoms of molecules are bonded. Beta of a pair scales as r^-3,
 * so that pairs within molecules dominate all other pairs. For example, G2(0) per atom is 435 in
 * water and 2 in dense argon. The functions return 1 after writing a warning to `text`, or return
 * 0. The function pairs_bonded_near warns if two atoms at most PAIRS_BOND_SPAN places apart in the
 * file are closer than PAIRS_BOND times sigma. In a liquid at 400 K, atoms come as close as 0.85
 * sigma. The function pairs_bonded_g2 warns if G2(0) per atom, with prefactor 3, is above
 * PAIRS_BOND_G2. */
#define PAIRS_BOND 0.6
#define PAIRS_BOND_SPAN 16
#define PAIRS_BOND_G2 30.0
int pairs_bonded_near(const struct pairs *p, double sigma, const void *pos, const struct box *b,
                      uint64_t frame, char *text, size_t n);
int pairs_bonded_g2(double g2, char *text, size_t n);

/* A team of threads that computes tables of beta or sums of beta. */
enum pairs_make { PAIRS_TABLES, PAIRS_SUMS };
struct pairs_team;
/* Returns the memory that the team needs, in bytes, or SIZE_MAX if there are too many pairs. A team
 * that computes sums needs no tables. The memory per thread of a team that computes sums is
 * proportional to natoms. */
size_t pairs_team_bytes(const struct pairs *p, enum pairs_make what, int threads);
struct pairs_team *pairs_team_new(const struct pairs *p, enum pairs_make what,
                                  int threads); /* If memory runs out, the result is NULL. */
void pairs_team_free(struct pairs_team *t);     /* t may be NULL */

/* A batch of n steps with positions pos[n][natoms][3] in Å, of type p->source, and cells box[n].
 * The first step of the batch has the index `frame`. */
struct pairs_steps {
    size_t n;
    const struct box *box;
    const void *pos;
    uint64_t frame;
};

/* A callback that receives the table of beta of step s, [ncomp][natoms (natoms - 1) / 2], of type
 * p->dtype. Row i of the table contains the pairs with j > i. The table is valid only during the
 * call of the callback. */
typedef void (*pairs_use)(void *ctx, size_t s, const void *table);

/* The function pairs_team_tables passes each table of a PAIRS_TABLES team to `use`, in any order
 * and from several threads. The function pairs_team_sums computes S = sum_p beta_p with a
 * PAIRS_SUMS team, and stores it in sums[n][ncomp]. The sums S are computed in double precision and
 * in a fixed order. The functions pairs_team_tables and pairs_team_sums return 0, or -1 if two
 * atoms are at the same position. If two atoms are at the same position, the error e (ERR_BAD)
 * names the first such frame and the first such pair in this frame. The steps after this frame need
 * not be computed. */
int pairs_team_tables(struct pairs_team *t, const struct pairs_steps *s, pairs_use use, void *ctx,
                      struct err *e) FRAME_MUST;
int pairs_team_sums(struct pairs_team *t, const struct pairs_steps *s, double *sums,
                    struct err *e) FRAME_MUST;

/* Number of elements that kernels may overwrite after each row of positions and after a table. */
#define PAIRS_SLACK 32

/* Kernels of pairs_simd.c. The kernel pairs_wrap wraps positions into the scratch memory [3][natoms
 * + slack]. The kernel pairs_table computes a table and stops at the first row that is not finite.
 * The kernel pairs_table returns the number of the first row that is not finite, or natoms if all
 * rows are finite. If `sum` is not NULL, pairs_table sums all rows, and uses only the memory of one
 * row. The kernel pairs_sum computes the sum of all rows from a table. */
SIMD_DECLARE(void, pairs_wrap,
             (const struct pairs *p, const struct box *b, const void *pos, void *scratch));
SIMD_DECLARE(size_t, pairs_table,
             (const struct pairs *p, int comp, const struct sum_cell *c, const void *scratch,
              void *out, double *sum));
SIMD_DECLARE(size_t, pairs_tables, /* all components */
             (const struct pairs *p, const struct sum_cell *c, const void *scratch, void *out));
SIMD_DECLARE(double, pairs_sum, (enum frame_dtype dtype, size_t natoms, const void *table));

C_LINKAGE_END
