import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded before the command (`node --import`): whoever puts the object whose path ends in DEADLY_KEY into place takes the whole
 * process along, as one does that is out of memory.
 */
const deadly = process.env['DEADLY_KEY'];
const { link } = fs.promises;

if (deadly !== undefined) {
  fs.promises.link = (from, to) => {
    if (String(to).endsWith(deadly)) process.kill(process.pid, 'SIGKILL');
    return link(from, to);
  };
  syncBuiltinESMExports();
}
