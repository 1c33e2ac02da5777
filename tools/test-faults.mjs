import './launch/node-version.mjs';
import { build } from './launch/workspace.mjs';

// npm run test:faults: the whole fault matrix against built processes, and its table at the end.
process.env.FAULTS = 'all';
await build((text) => console.error(`test:faults: ${text}`));
process.argv.push('e2e/failure/faults', '--silent=false');
await import('./test.mjs');
