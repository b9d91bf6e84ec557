/* SPDX-License-Identifier: MIT */
/* replay.c: feeds files (or the files of folders) to a fuzz target once each, as TAP; for builds
 * without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    unsigned char *p = malloc(1 << 20);
    size_t n = f && p ? fread(p, 1, 1 << 20, f) : 0;
    int rc = f ? LLVMFuzzerTestOneInput(p, n) : -1;
    tap_ok(rc == 0, "%s", path);
    if (f)
        fclose(f);
    free(p);
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        struct dirent **e;
        int n = scandir(argv[k], &e, NULL, alphasort);
        if (n < 0)
            replay_file(argv[k]);
        for (int i = 0; i < n; i++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[k], e[i]->d_name);
            if (e[i]->d_name[0] != '.')
                replay_file(path);
            free(e[i]);
        }
        if (n >= 0)
            free(e);
    }
    return tap_done();
}
