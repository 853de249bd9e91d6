"""Looks at the COGs of runs as GDAL sees them, and lists what is wrong with them.

Input: [{"mosaic", "tiles": [file], "overviews": "average" | "nearest" | "mode", "nodata": number | "nan" | null,
"crs": text or a raster's path}]. Output: per run a list of problems, one line each.
"""
import json
import os
import sys

import numpy as np
from osgeo import gdal, osr
from osgeo_utils.samples import validate_cloud_optimized_geotiff as validator

gdal.UseExceptions()

# GDAL's validator and DESIGN alike: a larger file without overviews is no use to anyone who looks from afar.
OVERVIEWS_FROM = 512


def bands_of(dataset):
    return [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]


def is_alpha(band):
    return band.GetColorInterpretation() == gdal.GCI_AlphaBand


def same(a, b):
    return a.shape == b.shape and bool(np.all((a == b) | ((a != a) & (b != b))))


def crs_of(text):
    if os.path.exists(text):
        return gdal.Open(text).GetSpatialRef()
    crs = osr.SpatialReference()
    crs.SetFromUserInput(text)
    return crs


def file_problems(dataset, run):
    warnings, errors, _ = validator.validate(dataset, full_check=True)
    yield from (f"validator: {text}" for text in warnings + errors)
    if dataset.GetMetadataItem("LAYOUT", "IMAGE_STRUCTURE") != "COG":
        yield "GDAL does not report LAYOUT=COG"
    if not dataset.GetSpatialRef().IsSame(crs_of(run["crs"])):
        yield f"its CRS is {dataset.GetSpatialRef().ExportToWkt()}"
    for band in bands_of(dataset):
        yield from nodata_problems(band, run["nodata"])
        yield from statistics_problems(band)
    yield from overview_problems(dataset, run["overviews"])


def nodata_problems(band, wanted):
    nodata = band.GetNoDataValue()
    found = "nan" if nodata is not None and nodata != nodata else nodata
    if found != wanted:
        yield f"band {band.GetBand()}: nodata is {found}, not {wanted}"


def statistics_problems(band):
    """Its own tags against numpy on its own pixels; the tags are never computed by GDAL here."""
    if is_alpha(band):
        return
    pixels = band.ReadAsArray().astype(np.float64)
    pixels = pixels[band.GetMaskBand().ReadAsArray() != 0]
    tags = band.GetMetadata()
    if pixels.size == 0:
        if any(name.startswith("STATISTICS_") for name in tags):
            yield f"band {band.GetBand()}: statistics of no pixel"
        return
    wanted = {"MINIMUM": pixels.min(), "MAXIMUM": pixels.max(), "MEAN": pixels.mean(), "STDDEV": pixels.std()}
    for name, value in wanted.items():
        found = float(tags.get("STATISTICS_" + name, "nan"))
        if not abs(found - value) <= 1e-6 * max(1, abs(value)):
            yield f"band {band.GetBand()}: {name} is {found}, not {value}"
    percent = 100 * pixels.size / (band.XSize * band.YSize)
    if not abs(float(tags.get("STATISTICS_VALID_PERCENT", "nan")) - percent) <= 0.01:
        yield f"band {band.GetBand()}: VALID_PERCENT is {tags.get('STATISTICS_VALID_PERCENT')}, not {percent}"


def overview_problems(dataset, method):
    count = dataset.GetRasterBand(1).GetOverviewCount()
    if count == 0:
        if max(dataset.RasterXSize, dataset.RasterYSize) > OVERVIEWS_FROM:
            yield f"no overviews at {dataset.RasterXSize} x {dataset.RasterYSize} px"
        return
    name = "/vsimem/overviews.tif"
    gdal.GetDriverByName("GTiff").CreateCopy(name, dataset, options=["COPY_SRC_OVERVIEWS=NO", "TILED=YES"])
    copy = gdal.Open(name, gdal.GA_Update)
    copy.BuildOverviews(method.upper(), [2 ** (i + 1) for i in range(count)])
    copy = None
    theirs = gdal.Open(name)
    for ours, reference in zip(bands_of(dataset), bands_of(theirs)):
        for level in range(count):
            a, b = (band.GetOverview(level).ReadAsArray() for band in (ours, reference))
            if not same(a, b):
                different = int(np.sum(~((a == b) | ((a != a) & (b != b))))) if a.shape == b.shape else a.size
                yield f"band {ours.GetBand()}: {different} pixels of overview {level} are not GDAL's {method}"
    theirs = None
    gdal.Unlink(name)


def place_of(tile, mosaic):
    """Column and row of a tile's first pixel in the mosaic, by their geotransforms; None where they do not align."""
    inner, outer = tile.GetGeoTransform(), mosaic.GetGeoTransform()
    column, row = (inner[0] - outer[0]) / outer[1], (inner[3] - outer[3]) / outer[5]
    aligned = abs(column - round(column)) < 1e-6 and abs(row - round(row)) < 1e-6
    steps = max(abs(inner[i] - outer[i]) for i in (1, 2, 4, 5))
    return (round(column), round(row)) if aligned and steps == 0 else None


def tile_problems(mosaic, tiles):
    """Are the mosaic's pixels the tiles', window for window, and nothing beside them?"""
    pixels = [band.ReadAsArray() for band in bands_of(mosaic)]
    covered = np.zeros((mosaic.RasterYSize, mosaic.RasterXSize), bool)
    for name, tile in tiles:
        place = place_of(tile, mosaic)
        if place is None:
            yield f"{name}: does not lie on the mosaic's grid"
            continue
        window = np.s_[place[1] : place[1] + tile.RasterYSize, place[0] : place[0] + tile.RasterXSize]
        if covered[window].any():
            yield f"{name}: overlaps another tile"
        covered[window] = True
        for band, whole in zip(bands_of(tile), pixels):
            if not same(band.ReadAsArray(), whole[window]):
                yield f"{name}: band {band.GetBand()} is not the mosaic's"
    for band in bands_of(mosaic):
        valid = band.ReadAsArray() if is_alpha(band) else band.GetMaskBand().ReadAsArray()
        if (valid[~covered] != 0).any():
            yield f"band {band.GetBand()} of the mosaic has pixels where there is no tile"


def main(runs):
    found = []
    for run in runs:
        mosaic = gdal.Open(run["mosaic"])
        tiles = [(os.path.basename(file), gdal.Open(file)) for file in run["tiles"]]
        problems = [f"mosaic: {text}" for text in file_problems(mosaic, run)]
        for name, tile in tiles:
            problems += [f"{name}: {text}" for text in file_problems(tile, run)]
        found.append(problems + list(tile_problems(mosaic, tiles)))
    print(json.dumps(found))


main(json.loads(sys.argv[1]))
