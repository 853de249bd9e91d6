/**
 * Geodetic systems whose shift to WGS 84 is not the one of the code table: PROJ, given the same codes, chooses
 * another operation or needs a grid file, and the two are more than 2 m apart somewhere in the area of use.
 * A scene warped with them would be silently displaced, so they are refused. Found by comparing every code of the
 * table with PROJ 9.1 at three points of its area; the oracle test of this folder repeats a sample of that.
 */
const UNCERTAIN_GEODETIC_CODES: ReadonlySet<number> = new Set([
  3819, 3906, 4120, 4123, 4124, 4127, 4131, 4132, 4133, 4135, 4141, 4142, 4144, 4147, 4156, 4160, 4161, 4162, 4168,
  4178, 4179, 4181, 4191, 4197, 4198, 4200, 4201, 4202, 4207, 4208, 4209, 4210, 4211, 4214, 4216, 4218, 4220, 4224,
  4229, 4230, 4231, 4238, 4239, 4242, 4247, 4248, 4254, 4261, 4263, 4265, 4274, 4275, 4281, 4284, 4289, 4292, 4313,
  4319, 4322, 4324, 4475, 4603, 4611, 4618, 4620, 4630, 4660, 4663, 4664, 4665, 4666, 4673, 4676, 4677, 4678, 4680,
  4683, 4689, 4695, 4705, 4713, 4718, 4723, 4726, 4740, 4741, 4744, 4751, 4801, 4802, 4803, 4804, 4805, 4807, 4810,
  4811, 4813, 4815, 4816, 4817, 4818, 4820, 4821, 4901, 4904, 5228, 5229, 5233, 5681, 6311, 6990, 8042, 8043, 8351,
  8428, 8694, 9333, 9475,
]);

/** Single codes with the same fault whose geodetic system is otherwise sound. */
const UNCERTAIN_CODES: ReadonlySet<number> = new Set([
  2933, 4222, 4312, 4617, 4754, 5451, 5456, 5457, 5561, 6098, 8441, 22234, 22235, 22275, 24377, 25395, 30161, 30162,
]);

/** Is the shift between WGS 84 and this coded system known to 2 m? `geodetic` is the code of the system under the projection. */
export const datumShiftIsKnown = (code: number, geodetic: number): boolean =>
  !UNCERTAIN_CODES.has(code) && !UNCERTAIN_GEODETIC_CODES.has(geodetic) && !UNCERTAIN_CODES.has(geodetic);
