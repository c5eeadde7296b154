"""pandas' default CSV reader. Argument: FOLDER."""
import json
import sys
import time

import pandas

begin = time.perf_counter()
table = pandas.read_csv(sys.argv[1] + "/x.csv")
seconds = time.perf_counter() - begin
print(json.dumps({"seconds": seconds, "check": float(table.to_numpy().sum())}))
