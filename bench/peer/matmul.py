# The reference of the matrix product: NumPy. It reads two matrices of a type in row
# order, answers with its version, its library and for which processors the library's
# kernels at work are made, and then per line of input: "run" with the seconds of a
# product, "save" when that is in OUT.
#
#   matmul.py TYPE N A B OUT
import ctypes
import sys
import time

import numpy

kind = {"f32": numpy.float32, "f64": numpy.float64}[sys.argv[1]]
n = int(sys.argv[2])
a, b = (numpy.fromfile(path, dtype=kind).reshape(n, n) for path in sys.argv[3:5])
c = numpy.empty((n, n), dtype=kind)
numpy.matmul(a, b, out=c)
with open("/proc/self/maps") as maps:
    mapped = {line.split()[-1] for line in maps}
libraries = sorted(path for path in mapped if "blas" in path.rsplit("/", 1)[-1])
fast = [path for path in libraries if "openblas" in path]


def about(path):
    """The library's file, and the kernels that it has chosen if it is OpenBLAS."""
    library = ctypes.CDLL(path)
    for name in ("scipy_openblas_get_corename64_", "scipy_openblas_get_corename", "openblas_get_corename64_", "openblas_get_corename"):
        if hasattr(library, name):
            corename = getattr(library, name)
            corename.restype = ctypes.c_char_p
            return path.rsplit("/", 1)[-1] + " with kernels for " + corename().decode()
    return path.rsplit("/", 1)[-1]


print("NumPy", numpy.__version__, " ".join(about(path) for path in fast or libraries), flush=True)
for line in sys.stdin:
    if line == "save\n":
        c.tofile(sys.argv[5])
        print("saved", flush=True)
        continue
    start = time.perf_counter()
    numpy.matmul(a, b, out=c)
    print(time.perf_counter() - start, flush=True)
