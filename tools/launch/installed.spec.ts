import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { linkPackages, notInstalled } from './installed.mjs';

describe('installed packages', () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'installed-'));
  const write = (file: string, packages: object) => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), JSON.stringify({ packages }));
  };
  afterAll(() => fs.rmSync(root, { recursive: true }));

  it('are compared with the lock file; packages of the checkout are linked', () => {
    const some = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0' } };
    write('package-lock.json', {
      '': {},
      'apps/x': { name: '@own/x' },
      ...some,
      'node_modules/other-platform': { version: '1.0.0', optional: true },
      'node_modules/@own/x': { resolved: 'apps/x', link: true },
    });
    write('apps/x/package.json', {});
    expect(notInstalled(root)).toEqual({
      packages: ['node_modules/a', 'node_modules/b'],
      links: ['node_modules/@own/x'],
    });

    write('node_modules/.package-lock.json', { ...some, 'node_modules/b': { version: '1.9.0' } });
    expect(notInstalled(root)).toEqual({ packages: ['node_modules/b'], links: ['node_modules/@own/x'] });

    write('node_modules/.package-lock.json', some);
    linkPackages(root, ['node_modules/@own/x']);
    expect(fs.existsSync(path.join(root, 'node_modules/@own/x/package.json'))).toBe(true);
    expect(notInstalled(root)).toEqual({ packages: [], links: [] });
  });
});
