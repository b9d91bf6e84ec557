/* SPDX-License-Identifier: MIT */
#include "formats/format.h"

#include "base/decimal.h"

int format_name(struct format_info *info, const char *s, size_t len)
{
    if (len == 0 || len >= sizeof info->names[0])
        return -1;
    for (size_t k = 0; k < len; k++)
        if (s[k] <= ' ' || s[k] > '~' || s[k] == '(' || s[k] == ')')
            return -1;
    for (int k = 0; k < info->nnames; k++)
        if (strncmp(info->names[k], s, len) == 0 && info->names[k][len] == '\0')
            return k;
    if (info->nnames == FORMAT_NAMES)
        return -1;
    memcpy(info->names[info->nnames], s, len);
    info->names[info->nnames][len] = '\0';
    return info->nnames++;
}

double format_f32_decimal(float v)
{
    char text[DECIMAL_TEXT];
    double d;
    size_t n = decimal_put_f32(text, v, 0);
    return decimal_get_f64(text, n, DECIMAL_OURS, &d) == 0 ? d : (double)v;
}
