import { statSync } from 'node:fs';

/** Version of the product, shown by /health and REST errors. */
export const VERSION = '0.1.0';

/** Day on which this file was made, yyyy-MM-dd: the build's, where the product was built. */
export const BUILD_DATE = statSync(__filename).mtime.toISOString().slice(0, 10);
