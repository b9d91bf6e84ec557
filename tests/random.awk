# SPDX-License-Identifier: MIT
# random.awk: the same numbers on every host, which srand() and rand() are not: each awk has its own. Uniform in (0, 1).
# Source: S. K. Park, K. W. Miller, Comm. ACM 31, 1192 (1988); 16807 * 2^31 is exact in a double.
function seed(s,    k) { lehmer = 7919 * s + 1; for (k = 0; k < 8; k++) uniform() }
function uniform() { lehmer = 16807 * lehmer % 2147483647; return lehmer / 2147483647 }
