/* SPDX-License-Identifier: MIT */
/* Tests memory limits by rlimits and by nested control groups of both versions, in an imitated
 * /proc and /sys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "tap.h"

static char root[] = "/tmp/test_memory.XXXXXX";

static void host_file(const char *name, const char *text)
{
    char path[512];
    int n = snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *p = path + strlen(root) + 1; p < path + n; p++)
        if (*p == '/') {
            *p = '\0';
            (void)mkdir(path, 0777);
            *p = '/';
        }
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f))
        exit(3);
}

static uint64_t mib(void)
{
    return memory_free(root) >> 20;
}

int main(void)
{
    if (!mkdtemp(root))
        return 3;
    tap_ok(memory_free(root) == 0, "nothing is known");
    host_file("proc/meminfo", "MemTotal: 9437184 kB\nMemAvailable: 8388608 kB\n");
    tap_ok(mib() == 8192, "what the system says");
    host_file("proc/self/cgroup", "0::/a/b/job\n");
    host_file("sys/fs/cgroup/a/b/job/memory.max", "max\n");
    tap_ok(mib() == 8192, "a group without a limit");
    host_file("sys/fs/cgroup/a/memory.max", "1073741824\n");
    host_file("sys/fs/cgroup/a/memory.current", "536870912\n");
    tap_ok(mib() == 512, "a limit two groups above, half used: %llu", (unsigned long long)mib());
    host_file("sys/fs/cgroup/a/memory.stat", "anon 1\nactive_file 7\ninactive_file 268435456\n");
    tap_ok(mib() == 768, "cached pages can be had: %llu", (unsigned long long)mib());
    host_file("sys/fs/cgroup/memory.max", "134217728\n");
    tap_ok(mib() == 128, "a container sees its own limit at the root");
    host_file("proc/self/cgroup", "12:cpu,cpuacct:/x\n4:rdma,memory:/slurm/job_7\n0::/nowhere\n");
    host_file("sys/fs/cgroup/memory.max", "max\n");
    host_file("sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "67108864\n");
    tap_ok(mib() == 64, "version 1, the group above");
    host_file("sys/fs/cgroup/memory/slurm/memory.usage_in_bytes", "67108865\n");
    tap_ok(memory_free(root) == 1, "nothing is left, which is not unknown");
    host_file("sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "9223372036854771712\n");
    tap_ok(mib() == 8192, "version 1 says no limit by a large one");
#ifndef __SANITIZE_ADDRESS__ /* because the shadow memory is larger than such a limit */
    struct rlimit r = {(rlim_t)5 << 30, RLIM_INFINITY};
    host_file("proc/self/statm", "262144 1 1 1 0 131072 0\n");
    if (sysconf(_SC_PAGESIZE) == 4096 && setrlimit(RLIMIT_AS, &r) == 0)
        tap_ok(mib() == 4096, "RLIMIT_AS, less what is mapped");
    if (sysconf(_SC_PAGESIZE) == 4096 &&
        setrlimit(RLIMIT_DATA, &(struct rlimit){(rlim_t)1 << 30, RLIM_INFINITY}) == 0)
        tap_ok(mib() == 512, "RLIMIT_DATA, less what is taken");
#endif
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command) ? 3 : tap_done();
}
