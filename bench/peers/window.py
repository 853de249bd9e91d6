"""NDVI windows with GDAL and numpy in one process: read (or warp) both bands, compute, write a tiled float32 GeoTIFF."""

import json
import os
import sys

import numpy
from osgeo import gdal

from rounds import serve

gdal.UseExceptions()
job = json.loads(sys.argv[1])
windows = job["windows"]
left, x_size, _, top, _, y_size = job["geotransform"]


def bounds(window):
    x0, y0 = left + window["x"] * x_size, top + window["y"] * y_size
    return [x0, y0 + window["height"] * y_size, x0 + window["width"] * x_size, y0]


def pixels(band, window):
    if job["crs"] is None:
        return band.ReadAsArray(window["x"], window["y"], window["width"], window["height"])
    warped = gdal.Warp(
        "",
        band,
        format="MEM",
        dstSRS=job["crs"],
        outputBounds=bounds(window),
        width=window["width"],
        height=window["height"],
        resampleAlg="bilinear",
        dstNodata=0,
    )
    return warped.ReadAsArray()


def work():
    # Opened anew, so that no block of the round before is in the cache; blocks of the window before are.
    red_file, nir_file = gdal.Open(job["red"]), gdal.Open(job["nir"])
    projection = job["crs"] and gdal.osr.SpatialReference()
    if projection:
        projection.SetFromUserInput(job["crs"])
        projection = projection.ExportToWkt()
    else:
        projection = red_file.GetProjection()
    driver = gdal.GetDriverByName("GTiff")
    written = 0
    for index, window in enumerate(windows):
        red = pixels(red_file, window)
        nir = pixels(nir_file, window)
        valid = (red != 0) & (nir != 0)
        red, nir = red.astype(numpy.float32), nir.astype(numpy.float32)
        with numpy.errstate(divide="ignore", invalid="ignore"):
            ndvi = numpy.where(valid, (nir - red) / (nir + red), numpy.float32(numpy.nan))
        path = os.path.join(job["out"], f"{index}.tif")
        tile = driver.Create(path, window["width"], window["height"], 1, gdal.GDT_Float32, options=job["options"])
        x0, _, _, y1 = bounds(window)
        tile.SetGeoTransform([x0, x_size, 0, y1, 0, y_size])
        tile.SetProjection(projection)
        band = tile.GetRasterBand(1)
        band.SetNoDataValue(float("nan"))
        band.WriteArray(ndvi)
        band = tile = None
        written += os.path.getsize(path)
    return written


serve(work)
