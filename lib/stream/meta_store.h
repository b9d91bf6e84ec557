/* SPDX-License-Identifier: MIT */
/* meta_store.h: inside of struct meta. Internal to lib/meta*.c. */
#ifndef MBF_META_STORE_H
#define MBF_META_STORE_H

#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

#define META_KEY_MAX 64

struct meta_entry {
    char *key, *value;
};

struct meta {
    struct meta_entry *e; /* sorted by key */
    size_t n, cap;
};

int meta_key_ok(const char *key, size_t len);
/* Length of the UTF-8 sequence at s (never past its NUL), 0 when there is none. */
size_t meta_utf8_length(const unsigned char *s);

#ifdef __cplusplus
}
#endif
#endif
