import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

describe('the libraries of unpacked packages', () => {
  it('are found where the packages keep them, those for themselves included', async () => {
    const { libraryFolders } = (await import('./debian.mjs')) as { libraryFolders: (root: string) => string[] };
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'debian-spec-'));
    try {
      const lib = path.join(root, 'usr', 'lib', 'x86_64-linux-gnu');
      for (const [folder, file] of [
        ['.', 'libpulse.so.0'],
        ['pulseaudio', 'libpulsecommon-16.1.so'],
        ['cmake', 'notes.txt'],
      ] as const) {
        fs.mkdirSync(path.join(lib, folder), { recursive: true });
        fs.writeFileSync(path.join(lib, folder, file), '');
      }
      fs.mkdirSync(path.join(root, 'usr', 'lib', 'chromium'));
      expect(libraryFolders(root)).toEqual([path.dirname(lib), lib, path.join(lib, 'pulseaudio')]);
      expect(libraryFolders(path.join(root, 'nowhere'))).toEqual([]);
    } finally {
      fs.rmSync(root, { recursive: true, force: true });
    }
  });
});
