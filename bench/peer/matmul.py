# The reference of the matrix product: NumPy, on one core. It reads two matrices
# of a type in row order, answers with its version and its library, and then per line
# of input: "run" with the seconds of a product, "save" when that is in OUT.
#
#   matmul.py TYPE N A B OUT
import sys
import time

import numpy

kind = {"f32": numpy.float32, "f64": numpy.float64}[sys.argv[1]]
n = int(sys.argv[2])
a, b = (numpy.fromfile(path, dtype=kind).reshape(n, n) for path in sys.argv[3:5])
c = numpy.empty((n, n), dtype=kind)
numpy.matmul(a, b, out=c)
with open("/proc/self/maps") as maps:
    mapped = {line.split()[-1].rsplit("/", 1)[-1] for line in maps}
libraries = sorted(name for name in mapped if "blas" in name)
fast = [name for name in libraries if "openblas" in name]
print("NumPy", numpy.__version__, " ".join(fast or libraries), flush=True)
for line in sys.stdin:
    if line == "save\n":
        c.tofile(sys.argv[5])
        print("saved", flush=True)
        continue
    start = time.perf_counter()
    numpy.matmul(a, b, out=c)
    print(time.perf_counter() - start, flush=True)
