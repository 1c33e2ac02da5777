import './launch/node-version.mjs';
import { build, installWhenMissing } from './launch/workspace.mjs';

// npm run build: compiles what changed in all packages, in one process.
await installWhenMissing(console.error);
await build(() => {});
