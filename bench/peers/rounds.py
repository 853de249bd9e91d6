"""Runs a piece of work once for each line on stdin and answers with what it cost: start-up is never counted."""

import json
import resource
import sys
import time


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def serve(work):
    """`work` takes nothing and returns the bytes that it wrote."""
    for _ in sys.stdin:
        cpu, wall = cpu_seconds(), time.perf_counter()
        written = work()
        cost = {"wall": time.perf_counter() - wall, "cpu": cpu_seconds() - cpu, "bytes": written}
        print(json.dumps(cost), flush=True)
