# The reference of everyday operations on arrays: NumPy, on one thread. It answers with its version, and
# then to each line of input with one line, of which the first word is "ok" or "error":
#
#   let NAME DTYPE PATH SHAPE...   reads an array in row order
#   use EXPRESSION                 what is timed and saved from now on
#   time COUNT                     the least seconds of so many runs
#   save DTYPE PATH                writes the value in row order
import sys
import time

import numpy

code = None


def put(x, k, y):
    z = x.copy()
    z.put(k, y)
    return z


names = {"numpy": numpy, "put": put, "windows": numpy.lib.stride_tricks.sliding_window_view}


def let(name, dtype, path, *shape):
    names[name] = numpy.fromfile(path, dtype=dtype).reshape([int(s) for s in shape])


def use(*words):
    global code
    code = eval("lambda: " + " ".join(words), names)


def least(count):
    best = float("inf")
    for _ in range(int(count)):
        start = time.perf_counter()
        value = code()
        best = min(best, time.perf_counter() - start)
        del value  # its memory is given back out of the time
    return best


def save(dtype, path):
    numpy.ascontiguousarray(code()).astype(dtype, copy=False).tofile(path)


commands = {"let": let, "use": use, "time": least, "save": save}
print("NumPy", numpy.__version__, flush=True)
