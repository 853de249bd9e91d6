"""Compares NDVI mosaics with gdalwarp of each band and the same maths in numpy.

Input: {"bands": {"red": BAND, "nir": BAND}, "mask": null | {"band": BAND, "classes": [number]}, "dstCrs": text | null,
"runs": [{"resampling", "mosaic"}]}, where BAND = {"file", "band", "scale", "offset", "nodata", "resampling"}; null: as
the file says (scale 1, offset 0), the run's resampling. "dstCrs" null: the mosaic's CRS is taken as it is.
Output: per run, how it differs, its grid, and the grid that gdalwarp suggests for the red band.
"""
import json
import sys

import numpy as np
from osgeo import gdal

gdal.UseExceptions()

ALGORITHMS = {"nearest": "near"}


def warped(band, run, crs, grid):
    """One band by `gdalwarp -et 0 -ovr NONE -ot Float32` on the mosaic's grid: float64 rows x cols, NaN where no data."""
    source = gdal.Translate("/vsimem/band.tif", band["file"], bandList=[band["band"]], noData=band["nodata"])
    resampling = band["resampling"] or run["resampling"]
    warp = gdal.Warp(
        "",
        source,
        format="MEM",
        dstSRS=crs,
        outputBounds=grid["bounds"],
        width=grid["size"][0],
        height=grid["size"][1],
        resampleAlg=ALGORITHMS.get(resampling, resampling),
        errorThreshold=0,
        overviewLevel="NONE",
        outputType=gdal.GDT_Float32,
        dstNodata="nan",
    )
    pixels = warp.GetRasterBand(1).ReadAsArray().astype(np.float64)
    return pixels * (band["scale"] or 1) + (band["offset"] or 0)


def grid_of(dataset):
    x, dx, _, y, _, dy = dataset.GetGeoTransform()
    width, height = dataset.RasterXSize, dataset.RasterYSize
    return {
        "size": [width, height],
        "geotransform": list(dataset.GetGeoTransform()),
        "bounds": [x, y + height * dy, x + width * dx, y],
    }


def suggested(band, crs):
    """The grid that gdalwarp chooses when nobody tells it one."""
    return grid_of(gdal.Warp("", band["file"], format="VRT", dstSRS=crs))


def valid_pixels(dataset):
    band = dataset.GetRasterBand(1)
    pixels = band.ReadAsArray().astype(np.float64)
    pixels[band.GetMaskBand().ReadAsArray() == 0] = np.nan
    return pixels


def fill_beyond_source(pixels, reference, band, mosaic, crs):
    """Makes NaN what gdalwarp's average fills although no part of the pixel lies on the source (it reaches one source
    pixel too far there); only where `reference` is NaN, since every point has its price."""
    source = gdal.Open(band["file"])
    crs_text = crs if isinstance(crs, str) else crs.ExportToWkt()
    transformer = gdal.Transformer(source, mosaic, ["DST_SRS=" + crs_text])
    rows, columns = np.nonzero(~np.isnan(pixels) & np.isnan(reference))
    for row, column in zip(rows.tolist(), columns.tolist()):
        _, (x0, y0, _) = transformer.TransformPoint(1, column, row)
        _, (x1, y1, _) = transformer.TransformPoint(1, column + 1, row + 1)
        beyond_x = max(x0, x1) <= 0 or min(x0, x1) >= source.RasterXSize
        beyond_y = max(y0, y1) <= 0 or min(y0, y1) >= source.RasterYSize
        if beyond_x or beyond_y:
            pixels[row, column] = np.nan


def compare(actual, expected):
    has, wants = ~np.isnan(actual), ~np.isnan(expected)
    difference = np.abs(actual - expected)[has & wants]
    return {
        "valid": int(np.sum(wants)),
        "maskShare": float(np.mean(has != wants)),
        "differentShare": float(np.mean(difference > 1e-6)),
        "p999": float(np.quantile(difference, 0.999)),
        "max": float(np.max(difference)),
    }


def main(task):
    bands = task["bands"]
    found = []
    for run in task["runs"]:
        mosaic = gdal.Open(run["mosaic"])
        crs = task["dstCrs"] or mosaic.GetSpatialRef()
        grid = grid_of(mosaic)
        red, nir = (warped(bands[name], run, crs, grid) for name in ("red", "nir"))
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = (nir - red) / (nir + red)
        expected[~np.isfinite(expected)] = np.nan
        if task["mask"] is not None:
            classes = warped(task["mask"]["band"], run, crs, grid)
            expected[np.isnan(classes) | np.isin(classes, task["mask"]["classes"])] = np.nan
        actual = valid_pixels(mosaic)
        if run["resampling"] == "average":
            fill_beyond_source(expected, actual, bands["red"], mosaic, crs)
        suggestion = suggested(bands["red"], crs)
        found.append({**compare(actual, expected), "grid": grid, "suggestion": suggestion})
    print(json.dumps(found))


main(json.loads(sys.argv[1]))
