"""SPLATT: PROGRAM FILE RANK ITERATIONS THREADS [--con nonneg]. Time as it tells it."""
import json
import re
import subprocess
import sys

program, path, rank, iterations, threads, *more = sys.argv[1:]
done = subprocess.run([program, "cpd", path, "-r", rank, "-i", iterations, "--tol", "0", "-t", threads, "--nowrite",
                       "--seed", "1", *more], capture_output=True, text=True, check=True)
text = done.stdout + done.stderr
fit = re.findall(r"[Ff]inal fit: *([\d.e+-]+)|fit = ([\d.e+-]+)|error: *([\d.e+-]+)", text)
print(json.dumps({"seconds": float(re.search(r"CPD +([\d.]+)s", text).group(1)),
                  "check": float(next(one for one in fit[-1] if one)) if fit else None}))
