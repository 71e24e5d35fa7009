"""Writes the small generated inputs of the examples (seeded; run once, the
files are committed). Usage: python3 tool/make.py, in this folder."""
import random
import struct


def npy(path, descr, shape, fmt, values):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (descr, ", ".join(map(str, shape)))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        f.write(struct.pack("<%d%s" % (len(values), fmt), *values))


r = random.Random(20261121)
f32 = lambda n: [r.gauss(0, 1) for _ in range(n)]

npy("sum/floats.npy", "<f4", [10000], "f", f32(10000))
npy("histogram/values.npy", "<f8", [20000], "d", [r.gauss(10, 3) for _ in range(20000)])

centres = [(0, 0), (6, 1), (2, 7), (-5, 4)]
points = []
for _ in range(2000):
    cx, cy = r.choice(centres)
    points += [r.gauss(cx, 1), r.gauss(cy, 1)]
npy("kmeans/points.npy", "<f4", [2000, 2], "f", points)
npy("kmeans/start.npy", "<f4", [4, 2], "f", points[:8])

n = 500
src, off = [], [0]
for v in range(n):
    src += [min(int(r.paretovariate(0.7)) - 1, n - 1) for _ in range(r.randrange(8))]
    off.append(len(src))
src = src[: len(src)]
# every page needs an outgoing link, so that no rank leaks away
for u in range(n):
    if u not in src:
        src[r.randrange(len(src))] = u
npy("pagerank/off.npy", "<u4", [n + 1], "I", off)
npy("pagerank/src.npy", "<u4", [len(src)], "I", src)

npy("neighbours/stored.npy", "<f4", [1000, 32], "f", f32(32000))
npy("neighbours/query.npy", "<f4", [32], "f", f32(32))
npy("decode/w.npy", "<f4", [2000, 48], "f", f32(96000))
npy("decode/hidden.npy", "<f4", [48], "f", f32(48))
npy("matmul/a.npy", "<f4", [37, 53], "f", f32(37 * 53))
npy("matmul/b.npy", "<f4", [53, 29], "f", f32(53 * 29))
keys = sorted(r.randrange(10**9) for _ in range(5000))
npy("search/keys.npy", "<i8", [5000], "q", keys)
npy("search/queries.npy", "<i8", [800], "q", [r.choice(keys) if r.random() < 0.3 else r.randrange(10**9) for _ in range(800)])
npy("welch/a.npy", "<f8", [900], "d", [r.gauss(5.0, 2.0) for _ in range(900)])
npy("welch/b.npy", "<f8", [700], "d", [r.gauss(5.3, 1.5) for _ in range(700)])
