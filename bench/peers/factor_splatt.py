"""SPLATT: PROGRAM FILE RANK ITERATIONS THREADS [--con nonneg]. Time as it tells it.

It tells the length of the residual beside that of the data, or 1 less that, to five digits.
"""
import json
import re
import subprocess
import sys

program, path, rank, iterations, threads, *more = sys.argv[1:]
done = subprocess.run([program, "cpd", path, "-r", rank, "-i", iterations, "--tol", "0", "-t", threads, "--nowrite",
                       "--seed", "1", *more], capture_output=True, text=True, check=True)
text = done.stdout + done.stderr
seconds = float(re.search(r"CPD +([\d.]+)s", text).group(1))
fits, errors = re.findall(r"fit = *([\d.e+-]+)", text), re.findall(r"rel-err = *([\d.e+-]+)", text)
length = float(errors[-1]) if errors else 1 - float(fits[-1])
print(json.dumps({"seconds": seconds, "check": length ** 2}))
