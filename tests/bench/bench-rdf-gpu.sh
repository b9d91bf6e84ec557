#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# the lecture's kernel without and with atomics, and rdf-gpu's engine: all pairs to half and corner,
# 12 A, streamed frames
set -eu
cd "$(dirname "$0")/../.."
O=${O:-$PWD/build}
"$O/tests/bench/rdf_ladder" 100000 1000 sqrt ladder large short | awk '{ v[$1] = $2; print }
    END { printf "against the lecture with atomics, N = 100,000: %.0f x; half, N = 1e6: %.0f x; corner: %.0f x\n",
        v["same_pairs_per_s"] / v["lecture_atomic_pairs_per_s"], v["half_pairs_per_s"] / v["lecture_atomic_pairs_per_s"],
        v["corner_pairs_per_s"] / v["lecture_atomic_pairs_per_s"]
        exit v["sqrt_wrong"] != 0 }'
