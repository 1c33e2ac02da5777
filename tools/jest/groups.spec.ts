import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { listSpecFiles, planGroups, specFileOf, writeGroups } from './groups.mjs';
import slowSpecs from './slow-specs.cjs';

const root = path.resolve(__dirname, '../..');
describe('groups of spec files', () => {
  it('hold every spec file of the checkout once', () => {
    const files = listSpecFiles(root);
    expect(files).toContain(path.join('tools', 'jest', 'groups.spec.ts'));
    const planned = planGroups(files, () => '');
    expect(planned.flat().sort()).toEqual([...files].sort());
    expect(Math.max(...planned.map((group) => group.length))).toBeLessThanOrEqual(16);
  });

  it('keep packages apart, and files alone that replace parts of modules', () => {
    const files = ['libs/a/src/x.spec.ts', 'libs/a/src/y.spec.ts', 'libs/b/src/x.spec.ts', 'libs/a/src/time.spec.ts'];
    const text = (file: string) => (file.includes('time') ? 'jest.useFakeTimers()' : 'const fn = jest.fn();');
    expect(planGroups(files, text)).toEqual([
      ['libs/a/src/time.spec.ts'],
      ['libs/a/src/x.spec.ts', 'libs/a/src/y.spec.ts'],
      ['libs/b/src/x.spec.ts'],
    ]);
  });

  it('hold nothing beside a file that takes as long as a group', () => {
    const slow = slowSpecs.map((file) => path.normalize(file));
    expect(listSpecFiles(root)).toEqual(expect.arrayContaining(slow));
    const groups = planGroups(['e2e/edge/a.e2e.spec.ts', ...slow, 'e2e/files/z.e2e.spec.ts'], () => '');
    expect(groups).toHaveLength(1 + slow.length);
    expect(groups).toEqual(expect.arrayContaining(slow.map((file) => [file])));
  });

  it('put files together that share a product, which ends with the group', () => {
    const files = ['e2e/a.spec.ts', 'e2e/b.spec.ts', 'e2e/c.spec.ts', 'e2e/d.spec.ts'];
    const text = (file: string) => (/[ac]\.spec/.test(file) ? 'await shareTestEnvironment();' : '');
    expect(planGroups(files, text)).toEqual([
      ['e2e/a.spec.ts', 'e2e/c.spec.ts'],
      ['e2e/b.spec.ts', 'e2e/d.spec.ts'],
    ]);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'groups-'));
    try {
      const [sharing, unit] = writeGroups(folder, [files, ['libs/a.spec.ts', 'libs/b.spec.ts']]);
      expect(fs.readFileSync(sharing!, 'utf8')).toContain('afterAll(() => require');
      expect(fs.readFileSync(unit!, 'utf8')).not.toContain('afterAll');
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  it('are files of Jest, whose tests name their spec file', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'groups-'));
    try {
      const [alone, group] = writeGroups(folder, [['e2e/a.spec.ts'], ['e2e/b.spec.ts', 'e2e/c.spec.ts']]);
      expect(alone).toBe(path.join(folder, 'e2e/a.spec.ts'));
      expect(fs.readFileSync(group!, 'utf8')).toContain(
        `require(${JSON.stringify(path.join(folder, 'e2e/c.spec.ts'))})`,
      );
      const test = { ancestorTitles: ['e2e/c.spec.ts', 'a block'] };
      expect(specFileOf(folder, group!, test)).toBe(path.join(folder, 'e2e/c.spec.ts'));
      expect(specFileOf(folder, alone!, { ancestorTitles: ['a block'] })).toBe(alone);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});
