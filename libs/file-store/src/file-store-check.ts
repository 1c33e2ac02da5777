import { Readable } from 'node:stream';
import type { FileStore } from './file-store';

/** Pause between two looks, ms: writing costs something at a store in a network. */
const INTERVAL_MS = 10_000;

/** The health check of a file store, which writes a byte. It is not required: calls without files work without the store. */
export const fileStoreCheck = (files: FileStore): { intervalMs: number; check: () => Promise<void> } => ({
  intervalMs: INTERVAL_MS,
  check: async () => {
    const { reference } = await files.write(Readable.from([Buffer.from('x')]), { maxBytes: 1 });
    await files.discard(reference);
  },
});
