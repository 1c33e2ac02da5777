import './launch/node-version.mjs';
import { build, installWhenMissing } from './launch/workspace.mjs';

// npm run build: compiles what changed in all packages, in one process.
try {
  await installWhenMissing(console.error);
  await build(() => {});
} catch (error) {
  console.error(error.message); // the compiler has said the rest
  process.exitCode = 1;
}
