import fs from 'node:fs';
import path from 'node:path';
import { LOGGERS } from '@groupware/contracts';

const root = path.join(__dirname, '..', '..', '..', '..');
const sources = ['apps', 'libs'].flatMap((folder) =>
  fs
    .readdirSync(path.join(root, folder))
    .map((project) => path.join(root, folder, project, 'src'))
    .filter((source) => fs.existsSync(source))
    .flatMap((source) =>
      fs
        .readdirSync(source, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !/\.spec\.ts$|testing\//.test(file))
        .map((file) => path.join(source, file)),
    ),
);

it('every logger of the code is in the list', () => {
  const used = new Set(
    sources.flatMap((file) =>
      [...fs.readFileSync(file, 'utf8').matchAll(/Logger\.for\('([^']+)'\)/g)].map((match) => match[1]!),
    ),
  );
  expect(used.size).toBeGreaterThan(20);
  expect([...used].filter((name) => !(name in LOGGERS)).sort()).toEqual([]);
});
