#!/usr/bin/env python3
"""Finds the tables of src/engine/meaning/interpolate.c in what a GPU gave (results/h100_approx), and writes that file:

    python3 tests/hw/fit.py > src/engine/meaning/interpolate.c

Needs numpy and scipy; takes a minute. Of each piece of a function C0 * 2^shift + C1 * x + C2 * square(x) + bias is known to lie in an
interval, for each of its 2^17 (rcp: 2^16) arguments: a linear programme finds three real numbers that do, and of the integers next to them
exactly one triple is left. Shifts and biases are the ones with which that is so; they are in interpolate.h."""

import gzip
import os

import numpy as np
from scipy.optimize import linprog

RECORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results", "h100_approx")
BITS = 17
X = np.arange(1 << BITS, dtype=np.int64)
NAMES = {"ex2": "EX2", "rcp": "RCP", "rsqrt": "ROOT", "sqrt": "ROOT", "lg2": "LG2", "sine": "SINE", "tanh": "TANH"}


def square(x):
    """interpolate.h, truncated_square."""
    low, high = x & 0x3FF, x >> 10
    return 2 * high * high + sum((high >> k & 1) * (low >> (8 - k)) for k in range(7))


def record(name):
    """Results, in the form that test_approx.c tells of: differences, between those that are told in full."""
    with gzip.open(os.path.join(RECORDS, name + ".gz")) as file:
        data = file.read()
    codes, out, at, last = np.frombuffer(data, np.uint8), [], 0, 0
    for full in [*np.nonzero(codes == 255)[0], len(codes)]:
        if full < at:
            continue  # a byte of a result told in full
        code = codes[at:full].astype(np.int64)
        out.append(last + np.cumsum(np.where(code & 1, -(code + 1) // 2, code // 2)))
        last = int(out[-1][-1]) if len(code) else last
        if full < len(codes):
            last, at = int.from_bytes(data[full + 1 : full + 5], "little"), full + 5
            out.append(np.array([last]))
    return np.concatenate(out)


def interval(bits, point):
    """What an f32 may have been before it was cut: low <= value * 2^point < high. Its sign is not looked at."""
    left = (bits >> 23 & 255) - 127 - 23 + point
    m = np.where(bits & 0x7FFFFFFF, bits & 0x7FFFFF | 0x800000, 0)
    low = np.where(left >= 0, m << np.maximum(left, 0), m >> np.maximum(-left, 0))
    return low, low + (np.int64(1) << np.maximum(left, 0))


# ---- one piece -----------------------------------------------------------------------------------------------------------------------------


def programme(low, high, columns):
    """Real numbers c for which low <= sum of c * columns <= high holds best. Only what is violated most becomes part of the programme."""
    scale = np.abs(columns).max(1)
    a, weight = (columns / scale[:, None]).T, 1 / (high - low + 1)
    start = np.linalg.lstsq(a * weight[:, None], (low + high) / 2 * weight, rcond=None)[0]
    low, high = low - a @ start, high - a @ start
    chunks, rows, step, slack = np.array_split(np.arange(len(low)), 64), set(), np.zeros(a.shape[1]), -np.inf
    for _ in range(80):
        value = a @ step
        for side, beyond in enumerate((low - value, value - high)):
            worst = [chunk[np.argmax(beyond[chunk])] for chunk in chunks]
            rows |= {(side, i) for i in worst if beyond[i] > slack - 1e-6}
        if max((low - value).max(), (value - high).max()) <= slack + 1e-4:
            break
        below, above = ([i for s, i in rows if s == side] for side in (0, 1))
        left = np.vstack([np.c_[-a[below], -np.ones(len(below))], np.c_[a[above], -np.ones(len(above))]])
        right = np.concatenate([-low[below], high[above]])
        found = linprog([0] * len(step) + [1], A_ub=left, b_ub=right, bounds=[(None, None)] * (len(step) + 1), method="highs")
        step, slack = found.x[:-1], found.x[-1]
    return (start + step) / scale


def piece(low, high, x, shift, times, bias):
    """The only integers C0, C1, C2 with low <= sum < high."""
    q = times * square(x)
    c = programme(low.astype(float), high.astype(float) - 1, np.array([np.ones(len(x)), x, q], float))
    found = []
    for c2 in range(round(c[2]) - 2, round(c[2]) + 3):
        for c1 in range(round(c[1]) - 2, round(c[1]) + 3):
            least, most = (low - c1 * x - c2 * q).max() - bias, (high - c1 * x - c2 * q).min() - bias
            c0 = (most - 1) >> shift
            if c0 << shift >= least:
                found.append((int(c0), c1, c2))
    assert len(found) == 1, found
    return found[0]


def pieces(low, high, shift, times, bias, x=X, first_known=True):
    n, table = len(x), []
    for at in range(0, len(low), n):
        skip = 0 if at or first_known else 1  # the first argument has a result of its own
        table.append(piece(low[at + skip : at + n], high[at + skip : at + n], x[skip:], shift, times, bias))
    return table


# ---- the functions -------------------------------------------------------------------------------------------------------------------------


def mantissas(name, one, shift, times, bias, cut, **more):
    """Results are sums without their lowest bits."""
    y = record(name) - one + (1 << 23)
    return pieces(y << cut, y + 1 << cut, shift, times, bias, **more)


def rcp():
    y = record("rcp") - 0x3F000000 + (1 << 23)
    y[0] = 1 << 24
    return pieces(y << 16, y + 1 << 16, 14, 2, 4046, x=X[::2])


def lg2():
    """From 1 up, and below 1, where results are complements by one."""
    low, high = interval(record("lg2"), 36)
    n = 1 << 23
    low, high = np.maximum(low[n:], (1 << 36) - high[:n]), np.minimum(high[n:], (1 << 36) - low[:n])
    return pieces(low * 4, high * 4, 12, 2, 837, first_known=False)


def sine():
    """Of a quarter of a turn, from the sine and from the cosine of the same arguments, which lie in the first two quarters."""
    bits = np.arange(0x3F000000, 0x40000000, dtype=np.int64)
    product = (bits & 0x7FFFFF | 0x800000) * 0xA2F983
    carry = product >> 47
    turns = (product >> 23 + carry) >> 1 - carry - ((bits >> 23) - 127)
    low, high = np.zeros(1 << 23, np.int64), np.full(1 << 23, 1 << 40, np.int64)
    for name, falls in ("sin", 1), ("cos", 0):
        place = np.where(turns >> 23 == falls, ~turns, turns) & 0x7FFFFF
        least, most = interval(record(name), 37)
        low[place], high[place] = np.maximum(low[place], least), np.minimum(high[place], most)
    return pieces(low, high, 12, 1, 0)


def tanh():
    """Binade by binade: the lowest bits of the mantissa are not looked at."""
    y, table, binades = np.concatenate([record("tanh_low"), record("tanh")]), [], []
    for binade in y.reshape(-1, 1 << 23):
        drop = max(k for k in range(7) if (binade.reshape(-1, 1 << k) == binade[:: 1 << k, None]).all())
        binades.append((len(table), drop))
        table += pieces(*interval(binade[:: 1 << drop], 40), 14, 1, 0)
    return table, binades


def text(rows, width):
    lines, line = [], "   "
    for row in rows:
        item = " {%s}," % ", ".join(map(str, row))
        if len(line + item) > width:
            lines, line = [*lines, line], "   "
        line += item
    return "\n".join([*lines, line])


def main():
    tables = {
        "ex2": mantissas("ex2", 0x40000000, 13, 1, 6114, 15),
        "rcp": rcp(),
        "rsqrt": mantissas("rsqrt", 0x3F000000, 14, 4, 16383, 16, first_known=False),
        "sqrt": mantissas("sqrt", 0x3F800000, 15, 2, 32767, 17),
        "lg2": lg2(),
        "sine": sine(),
    }
    tables["tanh"], binades = tanh()
    print("/* The tables of interpolate.h, as tests/hw/fit.py writes them. */")
    print('#include "engine/meaning/interpolate.h"\n\n/* clang-format off */')
    for name, table in tables.items():
        print(f"const int32_t {name}_pieces[{NAMES[name]}_PIECES][3] = {{\n{text(table, 118)}\n}};")
    print(f"const int32_t tanh_binades[TANH_BINADES][2] = {{\n{text(binades, 118)}\n}};")


if __name__ == "__main__":
    main()
