import path from 'node:path';
import './launch/node-version.mjs';
import { root } from './launch/workspace.mjs';
import { findOtherMailServers } from './services/other-mail-servers.mjs';

// npm run test:mail-servers: what other IMAP servers than the one of all tests answer differently.
for (const found of await findOtherMailServers({ programsDir: path.join(root, '.data', 'tools') }))
  console.error(`test:mail-servers: ${found}`);
process.argv.push('e2e/mail/other-servers');
await import('./test.mjs');
