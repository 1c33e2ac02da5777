import path from 'node:path';
import './launch/node-version.mjs';
import { root } from './launch/workspace.mjs';
import { findCyrus } from './services/cyrus.mjs';

// npm run test:mail-servers: what other IMAP servers than the one of all tests answer differently.
const { root: cyrus, libraries, how } = await findCyrus({ programsDir: path.join(root, '.data', 'tools') });
console.error(`test:mail-servers: Cyrus: ${how}`);
process.env.CYRUS_ROOT = cyrus;
process.env.CYRUS_LIBRARIES = libraries;
process.argv.push('e2e/mail/other-servers');
await import('./test.mjs');
