/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/portable.h"

/* Reads the number after `key` in a file of lines "key number". If `key` is "", reads the first
 * number of the file. */
static int number(const char *path, const char *key, uint64_t *v)
{
    char line[256];
    unsigned long long x;
    size_t n = strlen(key);
    int found = 0;
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f))
        found = strncmp(line, key, n) == 0 && sscanf(line + n, " %llu", &x) == 1;
    if (f)
        fclose(f);
    if (found)
        *v = x;
    return found;
}

static void at_most(uint64_t *best, uint64_t limit, uint64_t used)
{
    uint64_t left = limit > used ? limit - used : 1; /* because 0 means unknown */
    if (*best == 0 || left < *best)
        *best = left;
}

/* Names of the files of each cgroup version. */
static const struct version {
    const char *mount, *limit, *used, *cached;
} VERSION[2] = {{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
                {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                 "total_inactive_file"}};

/* Visits a cgroup and its parents. In a container, the lower part of the path may not exist. */
static void groups(const char *root, const struct version *g, char *group, uint64_t *best)
{
    char path[4096];
    for (;;) {
        uint64_t limit, used = 0, cached = 0;
        size_t n = strlen(group);
        while (n > 0 && group[n - 1] == '/')
            group[--n] = '\0';
        snprintf(path, sizeof path, "%s%s%s/%s", root, g->mount, group, g->limit);
        if (number(path, "", &limit)) { /* "max" is not a number */
            snprintf(path, sizeof path, "%s%s%s/%s", root, g->mount, group, g->used);
            (void)number(path, "", &used);
            snprintf(path, sizeof path, "%s%s%s/memory.stat", root, g->mount, group);
            (void)number(path, g->cached, &cached);
            at_most(best, limit, used > cached ? used - cached : 0);
        }
        char *slash = strrchr(group, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* Returns the memory in bytes that Linux reports as available, and the sizes in pages of this
 * process and of its data. */
static uint64_t available(const char *root, unsigned long long *size, unsigned long long *data)
{
    char path[4096], line[2048], *end;
    uint64_t best = 0, kib;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    if (number(path, "MemAvailable:", &kib))
        best = kib * 1024;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) { /* N:controllers:/path */
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'),
             *group = controllers ? strchr(controllers + 1, ':') : 0;
        if (!group)
            continue;
        *group++ = '\0';
        controllers++;
        if (*controllers == '\0')
            groups(root, &VERSION[0], group, &best);
        for (char *c = controllers; *c; c = end + (*end == ',')) {
            end = c + strcspn(c, ",");
            if (end - c == 6 && memcmp(c, "memory", 6) == 0) {
                groups(root, &VERSION[1], group, &best);
                break;
            }
        }
    }
    if (f)
        fclose(f);
    snprintf(path, sizeof path, "%s/proc/self/statm", root);
    if ((f = fopen(path, "re"))) {
        if (fscanf(f, "%llu %*u %*u %*u %*u %llu", size, data) < 2)
            *size = *data = 0;
        fclose(f);
    }
    return best;
}

uint64_t memory_free(const char *root)
{
    unsigned long long size = 0, data = 0;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t best = PORTABLE_LINUX || *root ? available(root, &size, &data)
                                            : (uint64_t)sysconf(_SC_PHYS_PAGES) * page;
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
        at_most(&best, r.rlim_cur, size * page);
    if (getrlimit(RLIMIT_DATA, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
        at_most(&best, r.rlim_cur, data * page);
    return best;
}

void memory_large_pages(void *p, size_t bytes)
{
    uintptr_t page = MEMORY_LARGE_PAGE, from = ((uintptr_t)p + page - 1) / page * page,
              to = ((uintptr_t)p + bytes) / page * page;
    if (from < to)
        portable_large_pages((void *)from, to - from);
}
