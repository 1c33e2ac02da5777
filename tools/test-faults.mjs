import './launch/node-version.mjs';
import { build } from './launch/workspace.mjs';

// npm run test:faults: the whole fault matrix against built processes, and its table at the end; and an upgrade under load.
process.env.FAULTS = 'all';
process.env.E2E_UPGRADE_REQUESTS ??= '10000';
process.env.TEST_WORKERS = '1'; // each has the machine for itself
await build((text) => console.error(`test:faults: ${text}`));
process.argv.push('e2e/failure/(faults|upgrade)', '--silent=false');
await import('./test.mjs');
