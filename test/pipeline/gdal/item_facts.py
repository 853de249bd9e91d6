"""What GDAL says of mosaics, for comparison with their STAC items.

Input: [{"mosaic", "bbox": [west, south, east, north], "ring": [[longitude, latitude]]}]. Output: per mosaic its size,
geotransform, EPSG code, statistics, and the centres of its pixels in longitude and latitude: their box, how many lie
outside of bbox and ring, and how far the bbox reaches beyond the pixels' outer corners, in pixels.
"""
import json
import sys

import numpy as np
from osgeo import gdal, ogr, osr

gdal.UseExceptions()


def to_degrees(dataset):
    wgs84 = osr.SpatialReference()
    wgs84.ImportFromEPSG(4326)
    source = dataset.GetSpatialRef()
    for crs in (wgs84, source):
        crs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return osr.CoordinateTransformation(source, wgs84)


def positions(dataset, columns, rows):
    """Longitudes and latitudes of pixel positions, n x 2."""
    gt = dataset.GetGeoTransform()
    x = gt[0] + columns * gt[1] + rows * gt[2]
    y = gt[3] + columns * gt[4] + rows * gt[5]
    return np.array(to_degrees(dataset).TransformPoints(np.stack([x.ravel(), y.ravel()], 1).tolist()))[:, :2]


def outside_ring(points, ring):
    polygon = ogr.Geometry(ogr.wkbLinearRing)
    for longitude, latitude in ring:
        polygon.AddPoint_2D(longitude, latitude)
    area = ogr.Geometry(ogr.wkbPolygon)
    area.AddGeometry(polygon)
    cloud = ogr.Geometry(ogr.wkbMultiPoint)
    for longitude, latitude in points.tolist():
        point = ogr.Geometry(ogr.wkbPoint)
        point.AddPoint_2D(longitude, latitude)
        cloud.AddGeometry(point)
    left = cloud.Difference(area)
    return 0 if left.IsEmpty() else max(1, left.GetGeometryCount())


def facts(task):
    dataset = gdal.Open(task["mosaic"])
    width, height = dataset.RasterXSize, dataset.RasterYSize
    columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    centres = positions(dataset, columns, rows)
    corners = positions(dataset, *np.meshgrid(np.arange(width + 1.0), np.arange(height + 1.0)))
    west, south, east, north = task["bbox"]
    inside = (centres >= [west, south]).all(1) & (centres <= [east, north]).all(1)
    edge = (columns == 0.5) | (columns == width - 0.5) | (rows == 0.5) | (rows == height - 0.5)
    low, high = corners.min(0), corners.max(0)
    pixel = (high - low) / [width, height]
    beyond = np.concatenate([(low - [west, south]) / pixel, ([east, north] - high) / pixel])
    band = dataset.GetRasterBand(1)
    return {
        "size": [width, height],
        "geotransform": list(dataset.GetGeoTransform()),
        "code": dataset.GetSpatialRef().GetAuthorityCode(None),
        "statistics": [float(value) for value in band.ComputeStatistics(False)],
        "outsideBox": int(np.sum(~inside)),
        "outsideRing": outside_ring(centres[edge.ravel()], task["ring"]),
        "beyond": [float(value) for value in beyond],
    }


print(json.dumps([facts(task) for task in json.loads(sys.argv[1])]))
