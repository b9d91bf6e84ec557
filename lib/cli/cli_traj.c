/* SPDX-License-Identifier: MIT */
#include "cli/cli_traj.h"

#include <string.h>

#include "base/box.h"
#include "io/decimal.h"

struct cli_traj cli_traj = {.given = TRAJ_GIVEN_DEFAULT, .atoms = ATOMS_ALL};
const char *const cli_traj_dtypes[] = {"f32", "f64", NULL};

int cli_parse_slice(const char *s, uint64_t *first, uint64_t *stop, uint64_t *step, struct err *e)
{
    uint64_t v[3] = {0, UINT64_MAX, 1};
    const char *p = s;
    int n = 0, bad = 0;
    for (; n < 3; n++) {
        size_t len = strcspn(p, ":");
        bad |= len && decimal_get_u64(p, len, UINT64_MAX, &v[n]);
        p += len;
        if (*p != ':')
            break;
        p++;
    }
    if (n == 0 && *s) /* a single index */
        v[1] = v[0] + 1;
    if (strchr(s, '-'))
        return err_bad(e, "expected numbers of 0 or more, found '%s'", s);
    if (*s == '\0' || *p != '\0' || n == 3 || bad || v[2] == 0)
        return err_bad(e,
                       "expected FIRST:STOP:STRIDE (STOP excluded, each part may be omitted) or a "
                       "single number, found '%s'",
                       s);
    if (v[0] > v[1])
        return err_bad(e, "expected a FIRST that is not greater than STOP, found '%s'", s);
    *first = v[0];
    *stop = v[1];
    *step = v[2];
    return 0;
}

int cli_traj_cell(const char *s, void *dst, struct err *e)
{
    (void)dst;
    cli_traj.given.has_cell = true;
    double v[6] = {0, 0, 0, 90.0, 90.0, 90.0};
    const char *p = s;
    int n = 0;
    for (; n < 6; n++) {
        size_t len = strcspn(p, ",");
        if (decimal_get_f64(p, len, DECIMAL_FORTRAN, &v[n]) != 0)
            break;
        p += len;
        if (*p != ',') {
            n++;
            break;
        }
        p++;
    }
    if (n == 1)
        v[1] = v[2] = v[0];
    bool whole = *p == '\0' && p > s && p[-1] != ',';
    if ((n == 1 || n == 3 || n == 6) && whole && box_from_edges(v, v + 3, cli_traj.given.cell) == 0)
        return 0;
    return err_bad(e,
                   "expected a cell with a volume, given as A or A,B,C in Å or "
                   "A,B,C,alpha,beta,gamma in Å and degrees, found '%s'",
                   s);
}

int cli_traj_pbc(const char *s, void *dst, struct err *e)
{
    (void)dst;
    cli_traj.given.has_pbc = true;
    int p[3] = {0, 0, 0};
    bool none = strcmp(s, "none") == 0;
    for (const char *c = none ? "" : s; *c; c++) {
        if (*c < 'x' || *c > 'z' || p[*c - 'x']++) {
            none = false;
            p[0] = 2;
            break;
        }
    }
    if (*s == '\0' || p[0] > 1)
        return err_bad(e, "expected 'none' or a combination of x, y and z, found '%s'", s);
    memcpy(cli_traj.given.pbc, p, sizeof p);
    return 0;
}

static int parse_some(const char *s, uint64_t *first, uint64_t *stop, uint64_t *step, struct err *e)
{
    if (cli_parse_slice(s, first, stop, step, e) != 0)
        return -1;
    return *stop > *first ? 0 : err_bad(e, "expected STOP after FIRST, found '%s'", s);
}

int cli_traj_select(const char *s, void *dst, struct err *e)
{
    (void)dst;
    return parse_some(s, &cli_traj.given.first, &cli_traj.given.stop, &cli_traj.given.step, e);
}

int cli_traj_atoms(const char *s, void *dst, struct err *e)
{
    struct atoms *a = &cli_traj.atoms;
    (void)dst;
    return parse_some(s, &a->first, &a->stop, &a->step, e);
}
