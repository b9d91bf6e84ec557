# SPDX-License-Identifier: MIT
"""A second reader and writer of streams, in NumPy, written from mbf(5) alone: what the C library does is tested against it."""
