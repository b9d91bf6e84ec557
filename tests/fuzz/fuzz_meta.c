/* SPDX-License-Identifier: MIT */
/* fuzz_meta.c: any bytes as META text. Text that is accepted must be written again byte for byte,
 * and allow meta_derive. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stream/meta.h"
#include "stream/traj.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void use(const struct meta *m)
{
    char names[8][16];
    unsigned char species[256];
    double v[9];
    unsigned long long u;
    struct box b;
    (void)meta_get_f64(m, "sys.cell", v, 9);
    (void)meta_get_u64(m, "sys.natoms", &u);
    (void)traj_box(m, &b, NULL);
    int k = meta_species(m, 256, species, names, 8, NULL);
    struct meta *c = meta_copy(m);
    if (k > 0 && (meta_set_species(c, 256, species, (const char(*)[16])names) ||
                  meta_species(c, 256, species, names, 8, NULL) != k))
        abort(); /* species that were read and written must read back */
    meta_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    size_t len;
    struct meta *m = meta_parse((const char *)p, n, NULL);
    if (!m)
        return 0;
    char *text = meta_text(m, &len, NULL);
    if (!text || len != n || memcmp(text, p, n) != 0)
        abort();
    use(m);
    struct meta *d = meta_derive(m, "fuzz", "1", "a\tb"),
                *e = meta_derive2(m, d, "fuzz", "1", NULL);
    if (!d || !e || meta_sys_differs(m, d) || meta_sys_differs(d, e))
        abort(); /* a filter keeps sys.* */
    meta_free(m);
    meta_free(d);
    meta_free(e);
    free(text);
    return 0;
}
