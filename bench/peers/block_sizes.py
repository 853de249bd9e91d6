"""Prints the compressed bytes of the blocks of band 1 that a window (x, y, width, height) of a file touches."""

import sys

from osgeo import gdal

gdal.UseExceptions()
path = sys.argv[1]
x, y, width, height = map(int, sys.argv[2:])
dataset = gdal.Open(path)
band = dataset.GetRasterBand(1)
across, down = band.GetBlockSize()
total = 0
for row in range(y // down, (y + height - 1) // down + 1):
    for column in range(x // across, (x + width - 1) // across + 1):
        total += int(band.GetMetadataItem(f"BLOCK_SIZE_{column}_{row}", "TIFF") or 0)
print(total)
