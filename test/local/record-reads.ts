import { appendFileSync, readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Loaded into the command before anything else (`node --import`): notes the path of every file that is read through a
 * file handle, one a line, in the file that RECORD_READS names.
 */
const record = process.env['RECORD_READS'];
if (record !== undefined) {
  const handle = await open(process.execPath, 'r');
  const prototype: { read: (...args: unknown[]) => unknown } = Object.getPrototypeOf(handle);
  await handle.close();
  const { read } = prototype;
  prototype.read = function (this: { readonly fd: number }, ...args: unknown[]) {
    appendFileSync(record, `${readlinkSync(`/proc/self/fd/${this.fd}`)}\n`);
    return Reflect.apply(read, this, args);
  };
}
