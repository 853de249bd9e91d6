import { createHash } from 'node:crypto';

/** Lower-case hex SHA-256 of UTF-8 text or bytes. */
export const sha256Hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
