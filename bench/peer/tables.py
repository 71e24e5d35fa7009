# The reference of questions about tables: Polars, on as many threads as POLARS_MAX_THREADS says. It answers with its version, and
# then to each line of input with one line, of which the first word is "ok" or "error":
#
#   table NAME PATH memory|file   names a Parquet file, of which the rows are read now, or at each question
#   ask NAME... = EXPRESSION      the seconds from the question to the answer in memory, its rows, and the sums of these columns
import math
import sys
import time

import polars as pl

names = {"pl": pl}


def table(name, path, where):
    names[name] = pl.read_parquet(path).lazy() if where == "memory" else pl.scan_parquet(path)
    return ""


def ask(*words):
    at = words.index("=")
    start = time.perf_counter()
    answer = eval(" ".join(words[at + 1 :]), names).collect()
    took = time.perf_counter() - start
    sums = [math.fsum(answer[c].cast(pl.Float64).drop_nulls().fill_nan(0)) for c in words[:at]]
    return " ".join(repr(float(x)) for x in (took, answer.height, *sums))


commands = {"table": table, "ask": ask}
print("Polars", pl.__version__, flush=True)
