"""Reads windows of one file with ReadAsArray in one process, on one thread."""

import json
import sys

from osgeo import gdal

from rounds import serve

gdal.UseExceptions()
job = json.loads(sys.argv[1])


def work():
    # Opened anew, so that no block of the round before is in the cache; blocks of the window before are.
    source = gdal.Open(job["path"])
    for window in job["windows"]:
        source.ReadAsArray(window["x"], window["y"], window["width"], window["height"])
    return 0


serve(work)
