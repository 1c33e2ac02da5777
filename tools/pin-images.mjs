import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { imagesOf, pinImages } from './checks/images.mjs';
import { root } from './launch/workspace.mjs';

// npm run pin:images [-- --check] [files]: asks the registries for the digests that the tags of the images in docker/ have at the moment,
// of all processors together, and writes them beside the tags; with --check it only tells what would change, and fails then.
// It asks by `docker buildx`, which knows the logins and the mirrors of the machine.
const isCheck = process.argv.includes('--check');
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const files =
  named.length > 0 ? named : ['compose.yaml', 'service.Dockerfile'].map((name) => path.join(root, 'docker', name));

async function digestOf(tag) {
  const { stdout } = await promisify(execFile)('docker', [
    ...['buildx', 'imagetools', 'inspect', tag],
    ...['--format', '{{.Manifest.Digest}}'],
  ]);
  const digest = stdout.trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${tag}: the registry answers ${digest || 'nothing'}`);
  return digest;
}

const texts = new Map(files.map((file) => [file, fs.readFileSync(file, 'utf8')]));
const known = new Map([...texts.values()].flatMap(imagesOf).map(({ tag, digest }) => [tag, digest]));
const digests = new Map(await Promise.all([...known.keys()].map(async (tag) => [tag, await digestOf(tag)])));
for (const [tag, digest] of digests)
  if (known.get(tag) !== digest) console.log(`${tag}: ${known.get(tag) ?? 'no digest'} becomes ${digest}`);
for (const [file, text] of texts) {
  const wanted = pinImages(text, digests);
  if (wanted === text) continue;
  if (isCheck) process.exitCode = 1;
  else fs.writeFileSync(file, wanted);
}
