/* SPDX-License-Identifier: MIT */
/*
 * mutant_trace.c: part of a library that was compiled with -fsanitize-coverage=trace-pc. The file
 * TRACE.N, where N is the number of the bats test (0: none), gets a 1 for every block of code that
 * runs, at its address in the library. All programs of the test share this memory, so that a killed
 * program loses nothing.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern const unsigned char __ehdr_start __attribute__((visibility("hidden")));
extern const unsigned char etext __attribute__((visibility("hidden")));

static unsigned char *seen;

__attribute__((constructor)) static void begin(void)
{
    const char *to = getenv("TRACE"), *test = getenv("BATS_TEST_NUMBER");
    size_t n = (size_t)(&etext - &__ehdr_start);
    char path[4096];
    if (!to)
        return;
    snprintf(path, sizeof path, "%s.%s", to, test ? test : "0");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    void *p = fd >= 0 && ftruncate(fd, (off_t)n) == 0
                  ? mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                  : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (p != MAP_FAILED)
        seen = p;
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    if (seen)
        seen[(uintptr_t)__builtin_return_address(0) - (uintptr_t)&__ehdr_start] = 1;
}
