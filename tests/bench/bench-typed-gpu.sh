#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# what a user types, with the programs for the GPU: see bench-typed.sh
GPU=1 exec "$(dirname "$0")/bench-typed.sh"
