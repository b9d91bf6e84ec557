# SPDX-License-Identifier: MIT
# CUDA's launches, dynamic shared memory and inline PTX as C++ (cuda_runtime.h); read with sed -z, since a launch may take several lines.
s/([A-Za-z_][A-Za-z_0-9]*(<[^();]*>)?)[[:space:]]*<<<([^;]*)>>>\(/emu_cfg(\3).go([\&](auto \&\&...x) { \1(x...); }, /g
s/extern __shared__ (__align__\([0-9]+\) )?([A-Za-z0-9_ ]+) ([a-z_]+)\[\];/\2 *\3 = (\2 *)emu_dynamic();/g
s/\(const void \*\)([a-z_]+_kernel<[^<>]*>)/emu_kernel(\1)/g
s/asm volatile\("ld\.acquire\.[^;]*;" : "=l"\((\w+)\) : "l"\((\w+)\) : "memory"\);/\1 = emu_acquire(\2);/g
s/asm volatile\("red\.release\.[^;]*;" ::"l"\((\w+)\),\s*"l"\(([^;]*)\)\s*: "memory"\);/*\1 += \2;/g
s/asm volatile\("ld\.shared\.v4\.s32 [^;]*;"\s*: "=r"\((\w+)\.x\)[^;]*generic_to_shared\((\w+)\)\)\);/\1 = *\2;/g
s/asm volatile\("st\.shared\.u16 [^;]*;"\s*::\s*"r"\(\(unsigned\)__cvta_generic_to_shared\((\w+)\)\),\s*"h"\((\w+)\)\s*:\s*"memory"\);/*(uint16_t *)\1 = \2;/g
s/asm volatile\("fence\.mbarrier_init\.[^;]*;" ::: "memory"\);/;/g
s/asm\("rcp\.approx\.[^;]*;" : "=f"\((\w+)\) : "f"\((\w+)\)\);/\1 = 1.0f \/ \2;/g
s/asm\("rsqrt\.approx\.[^;]*;" : "=f"\((\w+)\) : "f"\((\w+)\)\);/\1 = (float)(1.0 \/ sqrt((double)\2));/g
s/(->|\.)(gridDim|blockDim)\>/\1emu_\2/g
s/"md\/md_cluster\.cuh"/"md\/emu_cluster.cuh"/g
