/* SPDX-License-Identifier: MIT */
/* test_meta.c: META text, provenance and species. */
#include <stdlib.h>
#include <string.h>

#include "stream/meta.h"
#include "tap.h"

static struct err err;

static int accepted(const char *text, size_t n)
{
    struct meta *m = meta_parse(text, n, &err);
    meta_free(m);
    return m != NULL;
}

static void test_text(void)
{
    static const char good[] = "a\t\nb.c\tx\\ty\\nz\\\\\nsys.natoms\t12\n";
    struct meta *m = meta_parse(good, strlen(good), &err);
    unsigned long long n = 0;
    tap_ok(m && !strcmp(meta_get(m, "b.c"), "x\ty\nz\\"), "escapes are undone");
    tap_ok(m && meta_get_u64(m, "sys.natoms", &n) == 1 && n == 12, "a number is parsed whole");
    size_t len;
    char *text = meta_text(m, &len, &err);
    tap_ok(text && len == strlen(good) && !memcmp(text, good, len),
           "text -> META -> the same text");
    free(text);
    meta_free(m);
    static const char *const bad[] = {
        "b\t1\na\t1\n",  "a\t1\na\t1\n",      "a 1\n",     "a\t1",  "A\t1\n",
        "\t1\n",         "a\t\\x\n",          "a\tb\tc\n", "a\t\\", "a\t\xff\n",
        "a\t\xc0\x80\n", "a\t\xed\xa0\x80\n", "\n"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        tap_ok(!accepted(bad[k], strlen(bad[k])), "refused: case %zu (%s)", k, err.text);
    tap_ok(!accepted("a\tb\0c\n", 6), "refused: a NUL");
    tap_ok(accepted("", 0), "no line at all is a META");
    char *big = malloc(META_MAX_BYTES + 2);
    memset(big, 'x', META_MAX_BYTES + 1);
    memcpy(big, "a\t", 2);
    big[META_MAX_BYTES] = '\n';
    tap_ok(!accepted(big, META_MAX_BYTES + 1), "refused: more than 1 MiB");
    big[META_MAX_BYTES - 1] = '\n';
    tap_ok(accepted(big, META_MAX_BYTES), "1 MiB is taken");
    big[META_MAX_BYTES - 1] = 'x';
    big[META_MAX_BYTES] = '\0';
    m = meta_new();
    tap_ok(meta_set(m, "a", big) == 0 && !meta_text(m, &len, &err), "and more is never written: %s",
           err.text);
    meta_free(m);
    free(big);
}

static void test_values(void)
{
    struct meta *m = meta_new();
    double v[3] = {0.1, 1e-300, -3}, w[3];
    tap_ok(meta_set_f64(m, "k", v, 3) == 0 && meta_get_f64(m, "k", w, 3) == 1 &&
               !memcmp(v, w, sizeof v),
           "numbers come back bit for bit");
    tap_ok(meta_get_f64(m, "k", w, 2) == -1, "three numbers are not two");
    tap_ok(meta_get_f64(m, "none", w, 1) == 0, "an absent key is 0");
    unsigned long long u;
    meta_set(m, "n", "12x");
    tap_ok(meta_get_u64(m, "n", &u) == -1 &&
               (meta_set(m, "n", "-1"), meta_get_u64(m, "n", &u) == -1),
           "12x and -1 are no counts");
    tap_ok(meta_set(m, "Key", "1") == -1 && meta_set(m, "", "1") == -1, "a bad key is refused");
    struct meta *whole = meta_new();
    char *value = malloc(META_MAX_BYTES);
    size_t len = 0;
    memset(value, 'x', META_MAX_BYTES);
    value[META_MAX_BYTES - 3] = '\0'; /* k, tab and newline */
    char *text = meta_set(whole, "k", value) == 0 ? meta_text(whole, &len, NULL) : NULL;
    tap_ok(text && len == META_MAX_BYTES, "META of 1 MiB is written");
    free(text);
    meta_set(whole, "l", "");
    tap_ok(meta_text(whole, &len, NULL) == NULL, "a longer one is not");
    meta_free(whole);
    free(value);
    int wrong = 0;
    for (int c = 1; c < 256; c++) {
        const char key[] = {'a', (char)c, '\0'};
        int good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
        wrong += (meta_set(m, key, "1") == 0) != good;
        if (good)
            meta_set(m, key, NULL);
    }
    tap_ok(wrong == 0, "a key is of small letters, digits, dots and low lines");
    meta_set(m, "u",
             "a\xff"
             "b\xc3\xa9");
    tap_ok(!strcmp(meta_get(m, "u"), "a?b\xc3\xa9"), "what is not UTF-8 becomes ?");
    meta_set(m, "n", NULL);
    tap_ok(!meta_get(m, "n"), "NULL removes");
    meta_free(m);
}

static void test_provenance(void)
{
    struct meta *a = meta_derive(NULL, "xyz2bin", "1", "f"), *b, *c, *d;
    meta_set(a, "sys.natoms", "3");
    meta_set(a, "data.unit", "1");
    meta_set(a, "x.mine", "y");
    b = meta_derive(a, "cut", "1", "0:5");
    c = meta_derive(a, "cut", "1", "5:9");
    d = meta_derive2(b, c, "merge", "1", "");
    tap_ok(meta_get(b, "sys.natoms") && meta_get(b, "x.mine") && !meta_get(b, "data.unit"),
           "sys and x are kept, data is not");
    tap_ok(!strcmp(meta_get(b, "prov.2.tool"), "cut") &&
               !strcmp(meta_get(b, "prov.2.parents"), "1"),
           "an entry is appended");
    tap_ok(meta_get(d, "prov.4.tool") && !strcmp(meta_get(d, "prov.4.parents"), "2 3") &&
               !meta_get(d, "prov.5.tool") && !strcmp(meta_get(d, "prov.3.args"), "5:9") &&
               !strcmp(meta_get(d, "prov.3.parents"), "1"),
           "two branches join; what they share is there once");
    tap_ok(!strcmp(meta_last_tool(d), "merge"), "the last tool");
    tap_ok(meta_sys_differs(b, d) == NULL &&
               (meta_set(d, "sys.pbc", "TTT"), !strcmp(meta_sys_differs(b, d), "sys.pbc")),
           "the key that differs is named");
    meta_set(b, "sys.pbc", "TTT");
    meta_set(b, "sys.cell", "23.1 0 0 0 1e1 0 0 0 8");
    meta_set(d, "sys.cell", "23.100000000000001 0 0 0 10 -0 0 0 8.0");
    tap_ok(meta_sys_differs(b, d) == NULL && meta_sys_differs(d, b) == NULL,
           "numbers are compared as numbers");
    meta_set(d, "sys.cell", "23.1 0 0 0 1e1 0 0 0");
    tap_ok(meta_sys_differs(b, d) && meta_sys_differs(d, b), "fewer of them are others");
    meta_set(d, "sys.cell", "23.10000000000001 0 0 0 1e1 0 0 0 8");
    tap_ok(meta_sys_differs(b, d) != NULL, "the next number is another one");
    meta_set(d, "sys.cell", meta_get(b, "sys.cell"));
    meta_set(b, "sys.species", "1 3");
    meta_set(d, "sys.species", "01 3");
    tap_ok(meta_sys_differs(b, d) != NULL, "names that are numbers are names");
    struct meta *e = meta_copy(a);
    for (int k = 0; k < 100; k++) {
        struct meta *next = meta_derive(e, "t", "1", k & 1 ? "x" : "y");
        meta_free(e);
        e = next;
    }
    unsigned long long n = 0;
    tap_ok(meta_get_u64(e, "prov.0.count", &n) == 1 && n == 37 && meta_get(e, "prov.64.tool") &&
               !meta_get(e, "prov.65.tool"),
           "past 64 entries the oldest are counted and hashed");
    tap_ok(!strcmp(meta_get(e, "prov.1.parents"), "0") &&
               !strcmp(meta_get(e, "prov.64.parents"), "63"),
           "and parents follow");
    meta_free(a), meta_free(b), meta_free(c), meta_free(d), meta_free(e);
}

static int species(const char *text, size_t n, unsigned char *s, char (*names)[16])
{
    struct meta *m = meta_new();
    meta_set(m, "sys.species", text);
    int k = meta_species(m, n, s, names, 4, &err);
    meta_free(m);
    return k;
}

static void round_trip(const char *text, size_t n)
{
    unsigned char s[2000];
    char names[4][16];
    struct meta *m = meta_new();
    int k = species(text, n, s, names);
    int rc = k > 0 ? meta_set_species(m, n, s, (const char(*)[16])names) : -1;
    tap_ok(rc == 0 && !strcmp(meta_get(m, "sys.species"), text), "species %s", text);
    meta_free(m);
}

static void test_species(void)
{
    unsigned char s[2000];
    char names[4][16];
    round_trip("Ar 256", 256);
    round_trip("O 1 H 2 O 1", 4);
    round_trip("512*(O 1 H 2)", 1536);
    round_trip("3*(1 2 2 1)", 9);
    tap_ok(species("512*(O 1 H 2)", 1536, s, names) == 2 && s[1] == 1 && s[1533] == 0 &&
               !strcmp(names[1], "H"),
           "expanded");
    static const char *const bad[] = {"Ar 255",
                                      "Ar 257",
                                      "Ar",
                                      "Ar 0",
                                      "Ar x",
                                      "2*(Ar 100)",
                                      "2*()",
                                      "2*(Ar 128",
                                      "Ar 256 B",
                                      "99999999999999999999*(Ar 1)",
                                      "ABCDEFGHIJKLMNOP 256",
                                      "a 1 b 1 c 1 d 1 e 252",
                                      "(Ar 256)"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        tap_ok(species(bad[k], 256, s, names) == -1, "refused: %s", bad[k]);
}

int main(void)
{
    test_text();
    test_values();
    test_provenance();
    test_species();
    return tap_done();
}
