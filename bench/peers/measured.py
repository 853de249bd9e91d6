"""Runs the command given as arguments; prints on stderr's last line what it cost, its children's cost included."""

import json
import os
import sys
import time

started = time.perf_counter()
child = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
cost = {
    "wall": time.perf_counter() - started,
    "cpu": usage.ru_utime + usage.ru_stime,
    "peakBytes": usage.ru_maxrss * 1024,
}
print(json.dumps(cost), file=sys.stderr, flush=True)
sys.exit(os.waitstatus_to_exitcode(status))
