# SPDX-License-Identifier: MIT
# CUDA's launches and dynamic shared memory as C++ (cuda_runtime.h).
s/([A-Za-z_][A-Za-z_0-9]*(<[^()]*>)?)<<<(.*)>>>\(/emu_cfg(\3).go([\&](auto \&\&...x) { \1(x...); }, /
s/extern __shared__ ([A-Za-z0-9_]+) ([a-z_]+)\[\];/\1 *\2 = (\1 *)emu_dynamic();/
