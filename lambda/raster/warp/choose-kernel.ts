import { type VectorKernel, bilinearVector } from '../kernels/warp-planes.ts';
import type { RasterSize, Resampling } from '../types.ts';
import type { InteriorKernel, KernelReach } from './interior-run.ts';
import { BILINEAR_REACH, bilinearInterior, bilinearRow } from './kernel-bilinear.ts';
import { CUBIC_REACH, cubicInterior, cubicRow } from './kernel-cubic.ts';
import { NEAREST_REACH, nearestInterior, nearestRow } from './kernel-nearest.ts';
import { BILINEAR_KERNEL, CUBIC_KERNEL, wideRadius, wideRow } from './kernel-wide.ts';
import { FULL_SCALE, KERNEL_RADIUS } from './reduction.ts';
import type { Region } from './regions.ts';
import type { RowKernel } from './source-view.ts';

export interface InteriorChoice extends KernelReach {
  readonly run: InteriorKernel;
  /** For float32 bands, all of them at once; null: there is none. */
  readonly vector: VectorKernel | null;
}

/** How the pixels of one region are resampled. */
export interface ChosenKernel {
  /** Null: average, which needs two lines. */
  readonly row: RowKernel | null;
  /** The same for runs inside the source; null where there is no faster way. */
  readonly interior: InteriorChoice | null;
  /** Pixels read around a centre, along columns and rows. */
  readonly radiusX: number;
  readonly radiusY: number;
}

const NEAREST: ChosenKernel = {
  row: nearestRow,
  interior: { ...NEAREST_REACH, run: nearestInterior, vector: null },
  radiusX: 0,
  radiusY: 0,
};

/** The kernel of a region of the output, stretched as its scale asks for. */
export const kernelFor = (resampling: Resampling, { scaleX, scaleY }: Region, level: RasterSize): ChosenKernel => {
  if (resampling === 'average') return { row: null, interior: null, radiusX: 0, radiusY: 0 };
  if (resampling === 'nearest' || level.width === 1 || level.height === 1) return NEAREST;
  if (scaleX >= FULL_SCALE && scaleY >= FULL_SCALE) {
    const radius = KERNEL_RADIUS[resampling];
    return resampling === 'bilinear'
      ? {
          row: bilinearRow,
          interior: { ...BILINEAR_REACH, run: bilinearInterior, vector: bilinearVector },
          radiusX: radius,
          radiusY: radius,
        }
      : {
          row: cubicRow,
          interior: { ...CUBIC_REACH, run: cubicInterior, vector: null },
          radiusX: radius,
          radiusY: radius,
        };
  }
  const wide = resampling === 'bilinear' ? BILINEAR_KERNEL : CUBIC_KERNEL;
  return {
    row: wideRow(wide, scaleX, scaleY),
    interior: null,
    radiusX: wideRadius(wide, scaleX),
    radiusY: wideRadius(wide, scaleY),
  };
};
