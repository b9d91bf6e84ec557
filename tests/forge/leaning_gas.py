# SPDX-License-Identifier: MIT
"""leaning_gas.py PBC: 400 frames of an ideal gas of 50 atoms in a leaning cell, as xyz."""
import sys
state = 12345
def uniform():
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 11) / 2**53
h = [[14, 0, 0], [3, 15, 0], [6, -5, 11]]
for frame in range(400):
    print(f'50\nLattice="{" ".join(str(x) for row in h for x in row)}" Properties=species:S:1:pos:R:3 pbc="{sys.argv[1]}"')
    for i in range(50):
        s = [uniform() for k in range(3)]
        print("X", *(f"{sum(s[k] * h[k][a] for k in range(3)):.6f}" for a in range(3)))
