/* SPDX-License-Identifier: MIT */
/* The list of formats. The Makefile collects the FORMAT lines of this folder in formats.list, and
 * the FORMAT_MAGIC lines for io/magic.h. */
#include <string.h>

#include "formats/format.h"
#include "io/magic.h"

#undef FORMAT
#undef FORMAT_MAGIC
#define FORMAT_MAGIC(name, at, bytes, what)
#define FORMAT(id, name, suffixes, brief) extern const struct format format_##id;
#include <formats.list>
#undef FORMAT
#define FORMAT(id, name, suffixes, brief) &format_##id,
static const struct format *const formats[] = {
#include <formats.list>
};
#undef FORMAT
#define FORMAT(id, name, suffixes, brief) name,
const char *const formats_names[] = {"auto",
#include <formats.list>
                                     NULL};
#undef FORMAT
#define FORMAT(id, name, suffixes, brief) name " (" suffixes "), "
const char formats_help[] = "format of the input: "
#include <formats.list>
                            "or auto to recognise the format by its content (default: auto)";
#undef FORMAT
#define FORMAT(id, name, suffixes, brief) brief ", "
const char formats_briefs[] = ""
#include <formats.list>
    ;
const char formats_summary[] =
    "Convert trajectories to a stream of positions. Formats:"
#include <formats.list>
    "plain or, except for H5MD, compressed with gzip or zstd. Several files form one trajectory.";

const struct format *format_of(int chosen, const unsigned char *p, size_t n)
{
    const char *name = chosen ? formats_names[chosen] : magic_format(p, n);
    for (int k = 0; formats_names[k + 1]; k++)
        if (name ? strcmp(formats_names[k + 1], name) == 0
                 : formats[k]->guess && formats[k]->guess(p, n))
            return formats[k];
    return NULL;
}
