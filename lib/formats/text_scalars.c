/* SPDX-License-Identifier: MIT */
#include "formats/text_scalars.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "formats/xyz_header.h"
#include "io/decimal.h"

/* Stores word w as number k of `to`. */
static int take(const struct text_scalars *x, int k, const char *w, size_t len, bool f64, void *to,
                struct err *e)
{
    float *f = (float *)to + k;
    double *d = (double *)to + k;
    bool unknown = len == 3 && strncasecmp(w, "nan", 3) == 0;
    if (unknown && f64)
        *d = NAN;
    else if (unknown)
        *f = NAN;
    else if (f64 ? decimal_get_f64(w, len, DECIMAL_FORTRAN, d)
                 : decimal_get_f32(w, len, DECIMAL_FORTRAN, f))
        return err_bad(e, "column %d: expected a number for %s, found '%.*s' (%s)",
                       x->column[k] + 1, x->scalar[k].name, (int)(len < 40 ? len : 40), w,
                       decimal_reason(w, len));
    return 0;
}

int text_scalars_row(const struct text_scalars *x, const char *s, size_t len, size_t row, bool f64,
                     void *to, struct err *e)
{
    size_t before = row * (size_t)x->n * (f64 ? sizeof(double) : sizeof(float)); /* bytes */
    const char *w;
    size_t at = 0, wlen;
    int found = 0;
    for (int c = 0; found < x->n && xyz_word(s, len, &at, &w, &wlen); c++)
        for (int k = 0; k < x->n; k++)
            if (x->column[k] == c) {
                if (take(x, k, w, wlen, f64, (char *)to + before, e) != 0)
                    return -1;
                found++;
            }
    return found == x->n
               ? 0
               : err_bad(e, "--scalars: expected %d scalars in each row, found %d", x->n, found);
}

size_t text_scalars_rows(const struct text_scalars *x, const char *s, size_t n, size_t first,
                         bool f64, void *to, struct err *e)
{
    for (size_t k = 0; x->n && k < n; k++) {
        const char *nl = strchr(s, '\n');
        if (text_scalars_row(x, s, (size_t)(nl - s), first + k, f64, to, e) != 0)
            return k;
        s = nl + 1;
    }
    return n;
}
