import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { imagesOf, problemsOfImages } from './images.mjs';

const root = path.join(__dirname, '..', '..');
const digestOf = (digit: string): string => `sha256:${digit.repeat(64)}`;
const COMPOSE = [
  'x-module:',
  '  image: groupware/service:${TAG:-dev}',
  'services:',
  '  redis:',
  `    image: redis:7.4@${digestOf('1')}`,
  '  nats:',
  '    image: nats:2.12-alpine # small',
  '',
].join('\n');
const RECIPE = 'FROM node:24-slim AS build\nFROM node:24-slim AS service\nCOPY --from=build /app ./\n';

describe('images of other registries', () => {
  it.each(['compose.yaml', 'service.Dockerfile'])('of docker/%s have digests', (name) => {
    const text = fs.readFileSync(path.join(root, 'docker', name), 'utf8');
    expect(imagesOf(text).length).toBeGreaterThan(1);
    expect(problemsOfImages(text)).toEqual([]);
  });

  it('are told of when they have none', () => {
    const problem = (tag: string) => `the image ${tag} has no digest: npm run pin:images gives it one`;
    expect(problemsOfImages(COMPOSE)).toEqual([problem('nats:2.12-alpine')]);
    expect(problemsOfImages(RECIPE)).toEqual([problem('node:24-slim'), problem('node:24-slim')]);
  });
});

describe('npm run pin:images', () => {
  let folder: string;
  let files: string[];
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'images-'));
    files = ['compose.yaml', 'Dockerfile'].map((name) => path.join(folder, name));
    fs.writeFileSync(files[0]!, COMPOSE);
    fs.writeFileSync(files[1]!, RECIPE);
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  /** Runs it where `docker` answers so. */
  function pin(script: string, ...options: string[]) {
    fs.writeFileSync(path.join(folder, 'docker'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    const args = [path.join(root, 'tools', 'pin-images.mjs'), ...options, ...files];
    return spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  }
  const read = () => files.map((file) => fs.readFileSync(file, 'utf8'));
  const ANSWER = `case "$*" in
    'buildx imagetools inspect redis:7.4 --format {{.Manifest.Digest}}') echo ${digestOf('2')};;
    'buildx imagetools inspect nats:2.12-alpine --format {{.Manifest.Digest}}') echo ${digestOf('3')};;
    'buildx imagetools inspect node:24-slim --format {{.Manifest.Digest}}') echo ${digestOf('4')};;
    *) exit 1;;
  esac`;

  it('writes the digests of the tags, and has nothing to do afterwards', () => {
    const { status, stdout } = pin(ANSWER);
    expect({ status, lines: stdout.trim().split('\n').sort() }).toEqual({
      status: 0,
      lines: [
        `nats:2.12-alpine: no digest becomes ${digestOf('3')}`,
        `node:24-slim: no digest becomes ${digestOf('4')}`,
        `redis:7.4: ${digestOf('1')} becomes ${digestOf('2')}`,
      ],
    });
    const [compose, recipe] = read();
    expect(imagesOf(compose!)).toEqual([
      { tag: 'redis:7.4', digest: digestOf('2') },
      { tag: 'nats:2.12-alpine', digest: digestOf('3') },
    ]);
    expect(compose!.replace(/@\S+/g, '')).toBe(COMPOSE.replace(/@\S+/g, ''));
    expect(recipe).toBe(RECIPE.replaceAll('node:24-slim', `node:24-slim@${digestOf('4')}`));
    expect(pin(ANSWER, '--check')).toMatchObject({ status: 0, stdout: '' });
  });

  it('changes nothing with --check, and fails where something would change', () => {
    expect(pin(ANSWER, '--check')).toMatchObject({ status: 1 });
    expect(read()).toEqual([COMPOSE, RECIPE]);
  });

  it('changes nothing when a registry does not answer as it should', () => {
    expect(pin('echo sorry')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('the registry answers sorry'),
    });
    expect(read()).toEqual([COMPOSE, RECIPE]);
  });
});
