"""Reads a raster as GDAL sees it. Input: its path. Output: its levels' sizes, and per band type, tags and pixels (float64, base64)."""
import base64
import json
import sys

import numpy as np
from osgeo import gdal

gdal.UseExceptions()


def read(band):
    signed_byte = band.GetMetadataItem("PIXELTYPE", "IMAGE_STRUCTURE") == "SIGNEDBYTE"
    nodata = band.GetNoDataValue()
    pixels = band.ReadAsArray()
    if signed_byte:
        pixels = pixels.view(np.int8)
    return {
        "type": gdal.GetDataTypeName(band.DataType),
        "name": band.GetDescription(),
        "scale": band.GetScale(),
        "offset": band.GetOffset(),
        "unit": band.GetUnitType(),
        "nodata": "nan" if nodata is not None and nodata != nodata else nodata,
        "color": gdal.GetColorInterpretationName(band.GetColorInterpretation()),
        "signedByte": signed_byte,
        "pixels": base64.b64encode(pixels.astype("<f8").tobytes()).decode(),
    }


dataset = gdal.Open(json.loads(sys.argv[1]))
bands = [read(dataset.GetRasterBand(i + 1)) for i in range(dataset.RasterCount)]
first = dataset.GetRasterBand(1)
levels = [first] + [first.GetOverview(i) for i in range(first.GetOverviewCount())]
print(json.dumps({"levels": [[level.XSize, level.YSize] for level in levels], "bands": bands}))
