#!/bin/sh
# SPDX-License-Identifier: MIT
# stage-swap.sh [TRAJECTORY] computes a result in several ways and compares the results: by two
# routes (from a pair table in the pipe, or from values of beta computed when they are needed), by
# two methods, and on a GPU if there is one.
# Variables, with their defaults in brackets:
#   OUT  folder for the results (.)
#   BIN  folder of the programs
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
input=${1:-$here/../tests/data/argon256.xyz.gz}
begin

xyz2bin -- "$input" | g4-cpu --lags 24 -o "$out/fused.mbf"
xyz2bin -- "$input" | beta-gen | g4-cpu --lags 24 -o "$out/table.mbf"
xyz2bin -- "$input" | g4-cpu --lags 24 --method fft -o "$out/fft.mbf"

echo "pair table compared with beta on the fly:"
compare "$out/table.mbf" "$out/fused.mbf"
echo "FFT compared with lag products:"
compare --rtol 1e-9 "$out/fft.mbf" "$out/fused.mbf"

# A -gpu program without a device ends before it reads its input, so the CPU program can then read
# the input.
xyz2bin -o "$out/argon.mbf" -- "$input"
{ g4-gpu --lags 24 2>/dev/null || g4-cpu --lags 24; } <"$out/argon.mbf" >"$out/either.mbf"
echo "GPU (or CPU if there is no GPU) compared with CPU:"
compare --rtol 1e-9 "$out/either.mbf" "$out/fused.mbf"
publish
