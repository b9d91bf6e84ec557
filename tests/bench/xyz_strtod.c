/* SPDX-License-Identifier: MIT */
/*
 * xyz_strtod FILE: the reference of bench-xyz.sh, a simple loop. It reads the whole file to memory,
 * skips two lines of header, and then reads a word and three numbers per line with strtod into
 * floats, without any checks. It prints the sum of all numbers, so that nothing is optimised away.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *read_all(const char *path, size_t *n)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    if (!f || fstat(fileno(f), &st) != 0)
        return NULL;
    char *p = malloc((size_t)st.st_size + 1);
    *n = p ? fread(p, 1, (size_t)st.st_size, f) : 0;
    fclose(f);
    if (p)
        p[*n] = '\0';
    return p;
}

int main(int argc, char **argv)
{
    size_t n = 0, cap = 0;
    char *text = argc == 2 ? read_all(argv[1], &n) : NULL, *p = text, *end = text + n;
    float *pos = NULL;
    double sum = 0.0;
    if (!text)
        return 2;
    while (p < end) {
        size_t natoms = strtoul(p, &p, 10);
        if (natoms > cap) {
            cap = natoms;
            pos = realloc(pos, 3 * cap * sizeof *pos);
            if (!pos)
                return 3;
        }
        p = strchr(p, '\n') + 1;
        p = strchr(p, '\n') + 1;
        for (size_t i = 0; i < natoms; i++) {
            while (*p != ' ')
                p++;
            for (int a = 0; a < 3; a++)
                pos[3 * i + (size_t)a] = (float)strtod(p, &p);
            p = strchr(p, '\n') + 1;
        }
        for (size_t i = 0; i < 3 * natoms; i++)
            sum += (double)pos[i];
    }
    printf("%.17g\n", sum);
    free(pos);
    free(text);
    return 0;
}
