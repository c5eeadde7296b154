"""PLANC's ANLS-BPP with a dimension tree, from its own start: PROGRAM FOLDER SIZES RANK ITERATIONS.

It prints no times of its own, so the time of one iteration and loading is taken off.
"""
import json
import os
import re
import subprocess
import sys
import time

program, folder, sizes, rank, iterations = sys.argv[1:]


def run(count, *more):
    begun = time.perf_counter()
    done = subprocess.run([program, "-a", "2", "-k", rank, "-d", sizes, "-t", str(count), "--dimtree", "1",
                           "-i", os.path.join(folder, "x.bin"), *more], capture_output=True, text=True, check=True)
    return time.perf_counter() - begun, done.stdout + done.stderr


# reading prints the whole tensor, which takes longer than the work: times are those of its random tensor
def random(count):
    begun = time.perf_counter()
    subprocess.run([program, "-a", "2", "-k", rank, "-d", sizes, "-t", str(count), "--dimtree", "1", "-i",
                    "rand_uniform"], capture_output=True, check=True)
    return time.perf_counter() - begun


seconds = random(int(iterations) + 1) - random(1)
errors = re.findall(r"relative_error at it::\d+::([\d.e+-]+)", run(int(iterations), "-e", "1")[1])
print(json.dumps({"seconds": seconds, "check": float(errors[-1]) ** 2}))
