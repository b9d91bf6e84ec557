# SPDX-License-Identifier: MIT
# CUDA's launches and dynamic shared memory as C++ (cuda_runtime.h); read with sed -z, since a launch may take several lines.
s/([A-Za-z_][A-Za-z_0-9]*(<[^();]*>)?)[[:space:]]*<<<([^;]*)>>>\(/emu_cfg(\3).go([\&](auto \&\&...x) { \1(x...); }, /g
s/extern __shared__ ([A-Za-z0-9_]+) ([a-z_]+)\[\];/\1 *\2 = (\1 *)emu_dynamic();/g
