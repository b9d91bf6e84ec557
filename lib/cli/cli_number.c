/* SPDX-License-Identifier: MIT */
/* cli_number.c: numbers on the command line: whole, in their range, in the C locale. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/cli.h"
#include "cli/cli_state.h"

int cli_parse_real(const char *s, double min, double max, double *v, char *err, size_t errlen)
{
    double x;
    if (decimal_get_f64(s, strlen(s), DECIMAL_OURS, &x) == 0 && isfinite(x) && x >= min &&
        x <= max) {
        *v = x;
        return 0;
    }
    if (max < HUGE_VAL)
        snprintf(err, errlen, "expected a number from %g to %g, found '%s'", min, max, s);
    else if (min > -HUGE_VAL)
        snprintf(err, errlen, "expected a number of at least %g, found '%s'", min, s);
    else
        snprintf(err, errlen, "expected a number, found '%s'", s);
    return -1;
}

int cli_parse_uint(const char *s, uint64_t min, uint64_t max, uint64_t *v, char *err, size_t errlen)
{
    uint64_t x;
    if (decimal_get_u64(s, strlen(s), max, &x) == 0 && x >= min) {
        *v = x;
        return 0;
    }
    if (max < UINT64_MAX)
        snprintf(err, errlen, "expected a whole number from %llu to %llu, found '%s'",
                 (unsigned long long)min, (unsigned long long)max, s);
    else
        snprintf(err, errlen, "expected a whole number of at least %llu, found '%s'",
                 (unsigned long long)min, s);
    return -1;
}

int cli_parse_size(const char *s, uint64_t *v, char *err, size_t errlen)
{
    static const char units[] = "KMGT";
    size_t len = strcspn(s, "KMGTkmgt");
    const char *end = s + len;
    double x;
    if (decimal_get_f64(s, len, DECIMAL_OURS, &x) == 0 && s[0] >= '0' && s[0] <= '9') {
        if (*end != '\0') {
            x *= ldexp(1.0, 10 * (int)(strchr(units, toupper((unsigned char)*end)) - units + 1));
            end++;
            end += *end == 'i';
            end += *end == 'B';
        }
        if (*end == '\0' && x >= 1.0 && x < 9e18) {
            *v = (uint64_t)x;
            return 0;
        }
    }
    snprintf(err, errlen, "expected a size such as 500M or 2G, found '%s'", s);
    return -1;
}
