/* SPDX-License-Identifier: MIT */
/* nth.h: what nth.c tells preload_fail.c, preload_gpu.c and the emulated GPU, in shared memory. */
#ifndef MBF_NTH_H
#define MBF_NTH_H

enum nth_kind {
    NTH_MALLOC,
    NTH_READ,
    NTH_WRITE,
    NTH_OPEN,
    NTH_CLOSE,
    NTH_RENAME,
    NTH_FSYNC,
    NTH_THREAD,
    NTH_GPU_MALLOC, /* device or pinned memory */
    NTH_GPU_LAUNCH,
    NTH_GPU_CALL, /* any call; with for_good the device has disappeared */
    NTH_KINDS
};

struct nth {
    int kind;
    int for_good; /* the calls behind it fail, too */
    long at;      /* the call that fails, from 1; 0: none */
    long seen;    /* calls of that kind so far */
};

#endif
