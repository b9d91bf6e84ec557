# SPDX-License-Identifier: MIT
"""Codecs 2 and 3 of mbf(5): the f32 of a part from what a prediction over time steps left of them; and back, for codec 2."""
import heapq
import struct
import zlib

import numpy as np

LANES, CLASSES, LONGEST, ORDER, HEAD = 64, 240, 12, 6, 152


def codes(lengths):
    """Class by class that has one, in their order: class, length, code (its first bit lowest)."""
    code = 0
    for length in range(1, LONGEST + 1):
        for k in np.flatnonzero(lengths == length):
            if code >= 1 << length:
                raise ValueError("too many codes")
            yield k, length, int(format(code, "0%db" % length)[::-1], 2)
            code += 1
        code <<= 1
    if code != 2 << LONGEST or lengths.max() > LONGEST:
        raise ValueError("a code that is not complete")


def table(lengths):
    """For the next 12 bits: length of the code, bits that follow it, what stands ahead of them."""
    found = np.zeros((3, 1 << LONGEST), "i8")
    for k, length, code in codes(lengths):
        found[:, code::1 << length] = np.array([[length], [max(0, (k - 8) // 8)], [k if k < 16 else 8 + k % 8]])
    return found


def residuals(data, count, lengths, ends):
    """The whole numbers of all lanes; each of them goes on at its own bit, all of them at once."""
    length, more, ahead = table(lengths)
    padded = np.frombuffer(data + bytes(8), "u1")
    words = np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(padded, 8)).view("<u8").ravel()
    begins = np.arange(len(ends) + 1) * count // len(ends)
    at = 8 * np.concatenate([[0], np.cumsum(ends)[:-1]]).astype("i8")
    last, u = 8 * len(data), np.zeros(count, "u4")
    for k in range(-(-count // len(ends))):
        lanes = np.flatnonzero(begins[:-1] + k < begins[1:])
        if at[lanes].max() > last:
            raise ValueError("codes behind the end")
        w = words[at[lanes] >> 3] >> (at[lanes] & 7).astype("u8")
        c = (w & ((1 << LONGEST) - 1)).astype("i8")
        bits = (w >> length[c].astype("u8")).astype("i8") & ((1 << more[c]) - 1)
        u[begins[lanes] + k] = ahead[c] << more[c] | bits
        at[lanes] += length[c] + more[c]
    if ((at + 7) // 8 != np.cumsum(ends)).any() or at[-1] > last or np.sum(ends) != len(data):
        raise ValueError("lanes of other lengths")
    return u >> 1 ^ -(u & 1)  # zigzag


class Floats:
    """Floats by their order."""

    def index(self, x):
        b = x.view("<u4")
        return b ^ (b.view("<i4") >> 31).view("u4") & 0x7FFFFFFF

    def value(self, i):
        return self.index(i.view("<f4")).view("<f4")


class Grid:
    """Decimals: `per` indices an angstrom; of several levels, `base` indices on the first, ten times coarser from one to the next."""

    def __init__(self, per, base, levels):
        inv = per / 10.0 ** np.arange(levels)
        for k in range(1, levels):
            inv[k] = inv[k - 1] / 10
        self.inv, self.unit = inv, 1 / inv
        self.start = (base / inv[:-1]).astype("f4")
        self.first = base + np.arange(levels - 1) * (base // 10 * 9.0)
        self.ahead = np.arange(levels) * (base // 10 * 9.0)

    def index(self, x):
        a = np.abs(x)
        level = np.searchsorted(self.start, a, "right")
        i = (np.rint(a.astype("f8") * self.inv[level]) + self.ahead[level]).astype("i8")
        return np.where(np.signbit(x), -i, i).astype("u4")

    def value(self, i):
        i = i.view("<i4").astype("f8")
        level = np.searchsorted(self.first, np.abs(i), "right")
        a = ((np.abs(i) - self.ahead[level]) * self.unit[level]).astype("f4")
        return np.where(i < 0, -a, a)


class Steps:
    """What comes next of a row of numbers, by the steps before."""

    def __init__(self, row, edge, coef):
        self.edge, self.coef, self.t = edge, coef, 0
        self.x, self.ways = np.zeros(row, "<f4"), []

    def next(self):
        q = min(len(self.coef), max(self.t - 1, 0))
        if not q:
            return self.x
        way = self.coef[q - 1][0] * self.ways[0]
        for k in range(1, q):
            way = way + self.coef[q - 1][k] * self.ways[k]
        return self.x + way

    def came(self, x):
        self.ways = [nearest(x - self.x, self.edge)] + self.ways[:ORDER - 1]
        self.x, self.t = x, self.t + 1


def nearest(d, edge):
    """A way through the nearest face of the cell."""
    half = edge * np.float32(0.5)
    return np.where((edge > 0) & (d > half), d - edge, np.where((edge > 0) & (d < -half), d + edge, d))


def rows(v, row):
    """The numbers of a part as whole rows, zeros behind the last."""
    return np.concatenate([v, np.zeros(-len(v) % row, v.dtype)]).reshape(-1, row)


def edges(edge, at, row):
    return np.array(edge, "f4")[(at + np.arange(row)) % 3]


def unpack(data, length, row, at):
    """The `length` bytes of a part whose rows have `row` numbers and whose first one is number `at` of its array."""
    count = length // 4
    kind, order, levels, zero, off, base, *edge = struct.unpack_from("<4B2I3f", data)
    per, = struct.unpack_from("<d", data, 24)
    if kind > 1 or order > ORDER or (not 1 <= levels <= 8 or not 0 < per <= 1e15 if kind else levels) or base > 10**8 or base % 10:
        raise ValueError("a head that is none")
    nibbles = np.frombuffer(data, "u1", CLASSES // 2, 32)
    lengths = np.stack([nibbles & 15, nibbles >> 4], 1).ravel()
    coef, head = [], HEAD
    for q in range(1, order + 1):
        coef.append(np.frombuffer(data, "<f4", q, head))
        head += 4 * q
    ends = np.frombuffer(data, "<u4", LANES, head).astype("i8")
    head += 4 * LANES
    behind = len(data) - 8 * off
    if off > count or behind < head:
        raise ValueError("too many exceptions")
    x, r = [], residuals(data[head:behind], count, lengths, ends)
    space, steps = Grid(per, base, levels) if kind else Floats(), Steps(row, edges(edge, at, row), coef)
    with np.errstate(all="ignore"):
        for left in rows(r, row):
            x.append(space.value(space.index(steps.next()) + left))
            steps.came(x[-1])
    x = np.concatenate(x)[:count] if x else np.zeros(0, "<f4")
    exceptions = np.frombuffer(data, "<u4", 2 * off, behind).reshape(-1, 2)
    if off and exceptions[:, 0].max() >= count:
        raise ValueError("an exception behind the end")
    x.view("<u4")[exceptions[:, 0]] = exceptions[:, 1]
    return x.tobytes()


def code_lengths(count):
    """An optimal prefix code that has at most 12 bits."""
    count = np.array(count)
    count[:2] += count[:2] == 0  # two classes at least
    while True:
        heap = [(int(n), k, [k]) for k, n in enumerate(count) if n]
        lengths = np.zeros(CLASSES, "u1")
        heapq.heapify(heap)
        while len(heap) > 1:
            a, b = heapq.heappop(heap), heapq.heappop(heap)
            lengths[a[2] + b[2]] += 1
            heapq.heappush(heap, (a[0] + b[0], len(heap) + CLASSES * a[1], a[2] + b[2]))
        if lengths.max() <= LONGEST:
            return lengths
        count = np.where(count, count // 2 + 1, 0)


def lanes(u, lengths):
    """The lanes of residuals u, and their lengths in bytes."""
    code = np.zeros((2, CLASSES), "u8")
    for k, length, bits in codes(lengths):
        code[:, k] = length, bits
    classes, more = class_of(u)
    bits = code[1, classes] | (u & ((np.uint64(1) << more) - np.uint64(1))) << code[0, classes]
    ends = np.cumsum(code[0, classes] + more)
    begins = np.arange(LANES + 1) * len(u) // LANES
    bounds = np.concatenate([[0], ends])[begins].astype("i8")
    sizes = (np.diff(bounds) + 7) // 8
    shift = 8 * (np.cumsum(sizes) - sizes) - bounds[:-1]  # a lane begins with a byte
    at = (ends - code[0, classes] - more).astype("i8") + np.repeat(shift, np.diff(begins))
    out = np.zeros(sizes.sum() + 8)
    for k in range(6):
        byte = bits << (at & 7).astype("u8") >> np.uint64(8 * k) & np.uint64(255)
        out += np.bincount((at >> 3) + k, byte.astype("f8"), len(out))
    return out[:sizes.sum()].astype("u1").tobytes(), sizes


def class_of(u):
    octave = np.frexp(np.maximum(u, 8).astype("f8"))[1] - 4
    return octave * 8 + (u >> octave.astype("u8")).astype("i8"), octave.astype("u8")


def fit(x, edge):
    """Coefficients by least squares, for 1 to 4 steps before."""
    d = nearest(np.diff(x, axis=0), edge).astype("f8")
    order = max(0, min(4, len(d) - 1))
    return [np.linalg.lstsq(np.stack([d[q - k:len(d) - k].ravel() for k in range(1, q + 1)], 1), d[q:].ravel(), rcond=None)[0].astype("<f4")
            for q in range(1, order + 1)]


def tables(data, sections):
    """The residuals of sections of the given lengths."""
    ends = [np.frombuffer(data, "<u4", 8, 152 * k + 120).astype("i8") for k in range(len(sections))]
    begin = 152 * len(sections)
    for k, count in enumerate(sections):
        nibbles = np.frombuffer(data, "u1", CLASSES // 2, 152 * k)
        end = begin + int(ends[k].sum())
        yield residuals(data[begin:end], count, np.stack([nibbles & 15, nibbles >> 4], 1).ravel(), ends[k])
        begin = end
    if begin != len(data):
        raise ValueError("bytes behind the lanes")


def generations(link, most):
    """The atoms of each generation."""
    depth = []
    for k, n in enumerate(link):
        if n > 4 or n > k:
            raise ValueError("a link to no atom")
        depth.append(depth[k - n] + 1 if n else 0)
    if max(depth, default=0) >= most:
        raise ValueError("too many generations")
    return [np.flatnonzero(np.array(depth) == g) for g in range(most)]


def linked_rows(first, rest, places, widths):
    """Residuals by row: those of row 0, and those of the other rows in tiles of 240 columns."""
    tables, begin = [first] + [np.zeros(w, first.dtype) for w in widths[1:]], 0
    for c in range(0, len(places), 240):
        for r, w in enumerate(widths[1:], 1):
            n = min(max(w - c, 0), 240)
            tables[r][c:c + n] = rest[begin:begin + n]
            begin += n
    return tables


def with_z(xy, z):
    """Residuals of three components an atom; those of z as they are stored, not yet of a sign."""
    return None if xy is None else np.concatenate([xy.reshape(-1, 2), z[:, None]], 1).ravel()


def by_length(space, guess, left, base, edge, length2):
    """The numbers of atoms whose z follows from the length of a link."""
    x = space.value(space.index(guess) + left)
    a, b = (nearest(x[k::3] - base[k::3], edge[k::3]) for k in range(2))
    z = np.sqrt(np.maximum(length2 - a * a - b * b, np.float32(0))).astype("<f4")
    z = np.copysign(z, guess[2::3] - base[2::3])
    u = (left[2::3] << 1 ^ (left[2::3].view("<i4") >> 31).view("u4")).view("u4")  # as stored
    away = (u >> 1) >> 1 ^ -((u >> 1) & 1)
    x[2::3] = space.value(np.where(u & 1, space.index(base[2::3] - z) - away, space.index(base[2::3] + z) + away).astype("u4"))
    return x


def unpack_linked(data, length, row, at):
    """The same for codec 3."""
    count = length // 4
    row, phase = min(row, count), at % 3
    kind, most, levels, bits, off, base, *edge = struct.unpack_from("<4B2I3f", data)
    per, *middle = struct.unpack_from("<d3f", data, 24)
    *orders, packed = struct.unpack_from("<4BI", data, 44)
    if kind > 1 or not 1 <= most <= 4 or max(orders[:most]) > ORDER or bits % 2 or bits >> most or base > 10**8 or \
            base % 10 or (not 1 <= levels <= 8 or not 0 < per <= 1e15 if kind else levels or per or base):
        raise ValueError("a head that is none")
    head, coef, stay = 52, [[] for _ in range(most)], [[np.float32(0)] for _ in range(most)]
    length2 = [None] * most
    for g in range(most):
        for q in range(g == 0, orders[g] + 1):
            numbers = np.frombuffer(data, "<f4", q + (g > 0), head)
            stay[g][q:] = [numbers[0] if g else np.float32(0)]
            coef[g] += [numbers[g > 0:]] if q else []
            head += numbers.nbytes
        if bits >> g & 1:
            length2[g], = np.frombuffer(data, "<f4", 1, head)
            head += 4
    behind = len(data) - 8 * off
    space, lead = Grid(per, base, levels) if kind else Floats(), 0
    if most > 1:
        lead = -phase % 3
        link = np.frombuffer(zlib.decompress(data[head:head + packed]), "u1")
        if len(link) != (row - lead) // 3:
            raise ValueError("links of other atoms")
        groups = generations(link, most)
    places = [(lead + 3 * a[:, None] + np.arange(3)).ravel() for a in groups] if most > 1 else [np.arange(row)]
    whole = [min(row, count - begin) for begin in range(0, count, row)]
    widths = [[int((p < (n if most == 1 else lead + (n - lead) // 3 * 3)).sum()) for n in whole] for p in places]
    shares = [[2, 1] if bits >> g & 1 else [3] for g in range(most)]
    sections = [n * share // 3 if bits else n for g, w in enumerate(widths) for share in shares[g] for n in [w[0]] + [sum(w[1:])] * (count > row)]
    found = iter(tables(data[head + packed:behind], sections))
    x = np.zeros((len(whole), row), "<f4")
    with np.errstate(all="ignore"):
        for g, p in enumerate(places):
            first, rest = next(found), next(found) if count > row else None
            if length2[g] is not None:
                third, others = next(found), next(found) if count > row else None
                first, rest = with_z(first, third), with_z(rest, others)
            parts = linked_rows(first, rest, p, widths[g]) if most > 1 else [first] + np.split(rest, np.cumsum(widths[0][1:])[:-1]) if len(whole) > 1 else [first]
            other = p - 3 * np.repeat(link[groups[g]], 3).astype("i8") if g else p
            columns = np.array(edge, "f4")[(phase + p) % 3]
            y, ways = np.zeros(len(p), "<f4") if g else np.array(middle, "<f4")[(phase + p) % 3], []
            for t, left in enumerate(parts):
                q, w = max(0, min(orders[g], t - 1)), len(left)
                far = coef[g][q - 1][0] * ways[0] if q else None
                for k in range(1, q):
                    far = far + coef[g][q - 1][k] * ways[k]
                if g:
                    far = far + stay[g][q] * y if q else stay[g][0] * y
                guess = y if far is None else y + far
                guess = x[t, other] + guess if g else guess
                if length2[g] is None:
                    x[t, p[:w]] = space.value(space.index(guess[:w].astype("<f4")) + left)
                else:
                    x[t, p[:w]] = by_length(space, guess[:w].astype("<f4"), left, x[t, other[:w]], columns[:w], length2[g] if t == 0 else mean[:w // 3])
                now = nearest(x[t, p] - x[t, other], columns) if g else x[t, p]
                if length2[g] is not None:
                    a, b, c = (now * now).reshape(-1, 3).T
                    mean = length2[g] if t == 0 else mean
                    mean = mean + np.float32(1) / np.float32(min(t + 1, 8)) * (a + b + c - mean)
                ways, y = [now - y if g else nearest(now - y, columns)] + ways[:ORDER - 1], now
    x = x.ravel()[:count]
    exceptions = np.frombuffer(data, "<u4", 2 * off, behind).reshape(-1, 2)
    if off and exceptions[:, 0].max() >= count:
        raise ValueError("an exception behind the end")
    x.view("<u4")[exceptions[:, 0]] = exceptions[:, 1]
    return x.tobytes()


def pack(raw, row, at, edge):
    """The bytes of a part, or None where nothing is gained."""
    x = np.frombuffer(raw, "<f4")
    if not len(x) or not (np.abs(x) < 2.0**60).all():
        return None
    kind, per, space = 0, 0.0, Floats()
    for digits in range(7):
        grid = Grid(10.0**digits, 0, 1)
        if np.abs(x).max() * 10**digits < 2**30 and (grid.value(grid.index(x)).view("u4") == x.view("u4")).all():
            kind, per, space = 1, 10.0**digits, grid
            break
    whole = len(x) // row * row
    columns = edges(edge, at, row)
    coef = fit(x[:whole].reshape(-1, row), columns)
    steps, left = Steps(row, columns, coef), []
    for now in rows(x, row):
        left.append(space.index(now) - space.index(steps.next()))
        steps.came(now)
    r = np.concatenate(left)[:len(x)]
    u = (r << 1 ^ (r.view("<i4") >> 31).view("u4")).astype("u8")
    lengths = code_lengths(np.bincount(class_of(u)[0], minlength=CLASSES))
    data, sizes = lanes(u, lengths)
    head = struct.pack("<4B2I3fd", kind, len(coef), kind, 0, 0, 0, *edge, per)
    head += (lengths[0::2] | lengths[1::2] << 4).tobytes() + b"".join(c.tobytes() for c in coef) + sizes.astype("<u4").tobytes()
    return head + data if len(head) + len(data) <= 0.95 * len(raw) else None
