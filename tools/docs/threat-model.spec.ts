import fs from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..');
const page = fs.readFileSync(path.join(root, 'docs', 'threat-model.md'), 'utf8');
const claims = page
  .slice(page.indexOf('## Claims'), page.indexOf('## What is accepted'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (claim|-+) /.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, claim = '', proof = '']) => ({ claim, proof }));

describe('the threat model', () => {
  it('makes claims', () => {
    expect(claims.length).toBeGreaterThan(20);
  });

  it.each(claims)('names the tests of: $claim', ({ proof }) => {
    const files = [...proof.matchAll(/`([^`]+\.spec\.ts)`((?:,? "[^"]+")*)/g)];
    expect(files).not.toHaveLength(0);
    for (const [, file = '', titles = ''] of files) {
      const text = fs.readFileSync(path.join(root, file), 'utf8');
      for (const [, title = ''] of titles.matchAll(/"([^"]+)"/g)) expect(text).toContain(title);
    }
  });
});
