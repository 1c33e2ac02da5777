import fs from 'node:fs';
import path from 'node:path';
import { sourcesOf } from '../tenancy/statements.mjs';

const WAIVER = /waiveCheck\(\s*(\w+\.\w+),\s*'([^']+)'/g;

/** Lists where the sources do without the check of a right, and why. */
export const accessWaivers = (root) =>
  sourcesOf(root).flatMap((file) =>
    [...fs.readFileSync(path.join(root, file), 'utf8').matchAll(WAIVER)].map(([, right, reason]) => ({
      file,
      right,
      reason,
    })),
  );
