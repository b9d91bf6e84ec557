/* SPDX-License-Identifier: MIT */
/* Tests bond order: Wigner symbols as exact square roots, harmonics by the addition theorem, closed
 * forms of lattices and clusters, and rotations. */
#include <string.h>

#include "base/rng.h"
#include "ql/ql.h"
#include "tap.h"

#define ROUNDING 1e-13 /* a few hundred operations in double on numbers up to 1 */
#define CUBIC4 sqrt(98.0 / 3861.0)
#define CUBIC6 sqrt(8.0 / 46189.0)

static struct ql_tables all; /* tables of orders 2 to 12 */

static void wigner(void)
{
    /* exact values by Racah's formula in rational arithmetic */
    static const struct {
        int l, m1, m2, sign;
        double above, below;
    } known[] = {{2, 0, 0, -1, 2, 35},
                 {2, 1, 1, -1, 3, 35},
                 {2, 2, -1, -1, 3, 35},
                 {4, 0, 0, 1, 18, 1001},
                 {4, 4, -2, 1, 5, 143},
                 {6, 0, 0, -1, 400, 46189},
                 {6, 3, -5, 1, 7, 4199},
                 {12, 0, 0, 1, 853776, 363398275},
                 {12, 12, -6, 1, 6188, 831575},
                 {12, 7, -11, 1, 2223, 831575},
                 {3, 1, 2, -1, 1, 21},
                 {5, 5, -2, -1, 7, 286},
                 {4, 3, 2, 1, 0, 1}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        int l = known[k].l, a = known[k].m1, b = known[k].m2;
        double want = known[k].sign * sqrt(known[k].above / known[k].below);
        tap_near(ql_wigner(l, a, b), want, 1e-15, "a Wigner symbol is its exact square root");
    }
    double worst = 0.0;
    for (int l = 0; l <= QL_MAX; l++) {
        double sum = 0.0;
        for (int a = -l; a <= l; a++)
            for (int b = -l; b <= l; b++) {
                double w = ql_wigner(l, a, b), swapped = ql_wigner(l, b, a);
                sum += w * w;
                worst = tap_max(worst, fabs(w - (l % 2 ? -swapped : swapped)));
            }
        worst = tap_max(worst, fabs(sum - 1.0));
    }
    tap_near(worst, 0.0, 1e-14, "squares of all symbols of an order add up to 1; columns can swap");
}

static double uniform(void)
{
    static uint64_t n;
    struct rng4 r = rng_at(7, (enum rng_stream)0, n++, 0);
    return 2.0 * rng_unit(r.v[0], r.v[1]) - 1.0;
}

static void direction(double d[3])
{
    do
        for (int k = 0; k < 3; k++)
            d[k] = uniform();
    while (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > 1.0);
}

static double legendre(int l, double x)
{
    double last = 1.0, p = x;
    for (int n = 2; n <= l; n++) {
        double next = ((2 * n - 1) * x * p - (n - 1) * last) / n;
        last = p;
        p = next;
    }
    return p;
}

static void harmonics(void)
{
    double worst = 0.0, pole[QL_VALUES] = {0}, a[3], b[3];
    for (int k = 0; k < 300; k++) {
        double u[QL_VALUES] = {0}, v[QL_VALUES] = {0};
        size_t half = all.values / 2;
        direction(a);
        direction(b);
        if (k % 3 == 0) /* close to the pole */
            a[0] = a[1] = 1e-9 * a[2];
        ql_bond(&all, a, u);
        ql_bond(&all, b, v);
        double cosine = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) /
                        sqrt((a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) *
                             (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]));
        for (int l = QL_MIN; l <= QL_MAX; l++) {
            double sum = 0.0;
            for (size_t m = 0, at = (size_t)all.at[l]; m <= (size_t)l; m++)
                sum +=
                    (m ? 2.0 : 1.0) * (u[at + m] * v[at + m] + u[half + at + m] * v[half + at + m]);
            worst = tap_max(worst, fabs(sum - legendre(l, cosine)));
        }
    }
    tap_near(worst, 0.0, ROUNDING, "harmonics of two directions: the addition theorem, l = 2..12");
    ql_bond(&all, (const double[3]){0.0, 0.0, -3.0}, pole);
    worst = 0.0;
    for (int l = QL_MIN; l <= QL_MAX; l++)
        for (int m = 0; m <= l; m++) {
            double want = m ? 0.0 : l % 2 ? -1.0 : 1.0;
            worst = tap_max(worst, fabs(pole[all.at[l] + m] - want));
        }
    tap_near(worst, 0.0, 1e-15, "at the pole: U_l0 = (-1)^l");
    /* U_11 has the phase of Condon and Shortley: U_22 = sqrt(6)/4 (x + iy)² */
    memset(pole, 0, sizeof pole);
    ql_bond(&all, (const double[3]){1.0, 1.0, 0.0}, pole);
    tap_near(pole[all.values / 2 + 2], sqrt(6.0) / 4.0, 1e-15, "imaginary part of U_22");
}

/* Computes q and w of all orders for n bonds. */
static void bond_order(size_t n, double (*d)[3], double *q, double *w)
{
    double mean[QL_VALUES] = {0};
    for (size_t k = 0; k < n; k++)
        ql_bond(&all, d[k], mean);
    for (size_t k = 0; k < all.values; k++)
        mean[k] /= (double)n;
    ql_invariants(&all, mean, q, w);
}

static double (*bonds)[3];
static size_t nbonds;
static double room[16][3];
static void bond(double x, double y, double z)
{
    room[nbonds][0] = x;
    room[nbonds][1] = y;
    room[nbonds++][2] = z;
}

/* Checks q and w of orders 4 and 6 of the bonds, except for NaN, and removes the bonds. */
static void lattice(const char *name, double q4, double q6, double w4, double w6)
{
    const double want[4] = {q4, q6, w4, w6};
    double q[QL_ORDERS], w[QL_ORDERS], odd = 0.0;
    bond_order(nbonds, bonds, q, w);
    const double got[4] = {q[4 - QL_MIN], q[6 - QL_MIN], w[4 - QL_MIN], w[6 - QL_MIN]};
    for (int k = 0; k < 4; k++)
        if (!isnan(want[k]) && !(fabs(got[k] - want[k]) <= ROUNDING))
            odd = printf("# %s, %d: %.17g, not %.17g\n", name, k, got[k], want[k]);
    tap_ok(odd == 0.0, "%s: q4, q6, w4 and w6 of the closed forms", name);
    nbonds = 0;
}

static void lattices(void)
{
    double golden = 0.5 * (1.0 + sqrt(5.0)), h = sqrt(2.0 / 3.0), t = 1.0 / sqrt(3.0);
    bonds = room;
    for (int k = 0; k < 6; k++)
        bond(k / 2 == 0 ? 1 - k % 2 * 2 : 0, k / 2 == 1 ? 1 - k % 2 * 2 : 0,
             k / 2 == 2 ? 1 - k % 2 * 2 : 0);
    lattice("simple cubic", sqrt(7.0 / 12.0), sqrt(1.0 / 8.0), CUBIC4, CUBIC6);
    for (int k = 0; k < 4; k++) {
        int a = k & 1 ? 1 : -1, b = k & 2 ? 1 : -1;
        bond(a, b, 0);
        bond(a, 0, b);
        bond(0, a, b);
    }
    lattice("fcc", sqrt(7.0 / 192.0), sqrt(169.0 / 512.0), -CUBIC4, -CUBIC6);
    for (int k = 0; k < 8; k++)
        bond(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
    lattice("bcc, 8 bonds", sqrt(7.0 / 27.0), sqrt(32.0 / 81.0), -CUBIC4, CUBIC6);
    for (int k = 0; k < 6; k++)
        bond(cos(k * UNITS_PI / 3), sin(k * UNITS_PI / 3), 0);
    for (int k = 0; k < 6; k++)
        bond(t * cos((1 + 4 * (k / 2)) * UNITS_PI / 6), t * sin((1 + 4 * (k / 2)) * UNITS_PI / 6),
             k % 2 ? h : -h);
    lattice("hcp", 7.0 / 72.0, sqrt(29237.0 / 124416.0), sqrt(18.0 / 1001.0), NAN);
    for (int k = 0; k < 4; k++) {
        double a = k & 1 ? 1 : -1, b = k & 2 ? golden : -golden;
        bond(0, a, b);
        bond(a, b, 0);
        bond(b, 0, a);
    }
    lattice("icosahedron", 0.0, sqrt(0.44), 0.0, -sqrt(121.0 / 4199.0));
}

static void rotations(void)
{
    enum { N = 7 };
    double worst_q = 0.0, worst_w = 0.0, odd = 0.0;
    for (int k = 0; k < 50; k++) {
        double d[N][3], r[N][3], x[4], q[2][QL_ORDERS], w[2][QL_ORDERS], s = 0.0;
        for (int i = 0; i < N; i++)
            direction(d[i]);
        for (int i = 0; i < 4; i++) {
            x[i] = uniform();
            s += x[i] * x[i];
        }
        for (int i = 0; i < N; i++) { /* d' = d + 2/s u x (u x d + x0 d), u = x[1..3] */
            double c[3], *v = d[i], *u = x + 1;
            for (int a = 0; a < 3; a++)
                c[a] =
                    u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3] + x[0] * v[a];
            for (int a = 0; a < 3; a++)
                r[i][a] =
                    v[a] +
                    2.0 / s * (u[(a + 1) % 3] * c[(a + 2) % 3] - u[(a + 2) % 3] * c[(a + 1) % 3]);
        }
        bond_order(N, d, q[0], w[0]);
        bond_order(N, r, q[1], w[1]);
        for (int l = 0; l < QL_ORDERS; l++) {
            worst_q = tap_max(worst_q, fabs(q[0][l] - q[1][l]));
            worst_w = tap_max(worst_w, fabs(w[0][l] - w[1][l]));
            if ((l + QL_MIN) % 2)
                odd = tap_max(odd, fabs(w[0][l]));
        }
    }
    tap_near(worst_q, 0.0, ROUNDING, "rotations do not change q");
    tap_near(worst_w, 0.0, ROUNDING, "rotations do not change w");
    tap_ok(odd == 0.0, "w of odd orders is 0");
}

int main(void)
{
    struct ql_choice c = {.n = QL_ORDERS};
    for (int k = 0; k < QL_ORDERS; k++)
        c.l[k] = QL_MIN + k;
    ql_tables_init(&all, &c);
    tap_ok(all.values == QL_VALUES, "%zu numbers per atom for all orders", all.values);
    wigner();
    harmonics();
    lattices();
    rotations();
    return tap_done();
}
