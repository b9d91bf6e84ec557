/* SPDX-License-Identifier: MIT */
#include "formats/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/decimal.h"
#include "io/utf8.h"

void *format_open(const struct format *run, const struct format_reader *r, struct err *e)
{
    struct format_reader *self = calloc(1, run->size);
    if (!self) {
        err_memory(e, "the input");
        return NULL;
    }
    *self = *r;
    if (run->open(self, e) == 0)
        return self;
    format_close(run, self);
    return NULL;
}

void format_close(const struct format *run, void *self)
{
    if (self && run->close)
        run->close(self);
    free(self);
}

int format_name(struct format_info *info, const char *s, size_t len)
{
    for (int k = 0; k < info->nnames; k++)
        if (strncmp(info->names[k], s, len) == 0 && info->names[k][len] == '\0')
            return k;
    if (info->nnames == FORMAT_NAMES || len >= sizeof info->names[0] ||
        !utf8_is_word(s, len, "()")) {
        if (info->nnames == FORMAT_NAMES)
            snprintf(info->note, sizeof info->note,
                     "atom names were dropped: expected at most %d different names, found more",
                     FORMAT_NAMES);
        else if (!info->note[0])
            snprintf(info->note, sizeof info->note,
                     "atom names were dropped: expected 1 to 15 bytes of UTF-8 without brackets, "
                     "found '%.*s'",
                     (int)(len < 40 ? len : 40), s);
        return -1;
    }
    memcpy(info->names[info->nnames], s, len);
    info->names[info->nnames][len] = '\0';
    return info->nnames++;
}

double format_few_digits(double d, double slack)
{
    double v;
    for (int digits = 1; digits < 17 && isfinite(d); digits++) {
        char text[DECIMAL_TEXT];
        size_t n = decimal_put_f64(text, d, digits);
        if (decimal_get_f64(text, n, DECIMAL_OURS, &v) == 0 && fabs(v - d) <= slack)
            return v;
    }
    return d;
}

void format_widen(void *p, size_t n)
{
    const char *from = p;
    char *to = p;
    while (n-- > 0) { /* from the last value, so that unread values are not overwritten */
        float v;
        memcpy(&v, from + 4 * n, sizeof v);
        double d = (double)v;
        memcpy(to + 8 * n, &d, sizeof d);
    }
}

double format_f32_decimal(float v)
{
    char text[DECIMAL_TEXT];
    double d;
    size_t n = decimal_put_f32(text, v, 0);
    return decimal_get_f64(text, n, DECIMAL_OURS, &d) == 0 ? d : (double)v;
}

double format_f32_off(float v)
{
    float a = fabsf(v);
    return 0.5 * ((double)nextafterf(a, HUGE_VALF) - (double)a);
}
