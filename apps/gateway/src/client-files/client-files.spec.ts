import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ConfigurationFiles } from '@groupware/service-kit';
import { ClientFiles, isHashed } from './client-files';

describe('names of files', () => {
  it.each(['app.4f3c2a1b.js', 'chunks/index-BxYz12_a.css', 'a-0123456789abcdef0123.woff2', 'x.4f3c2a1b.js.map'])(
    '%s holds a hash',
    (name) => expect(isHashed(name)).toBe(true),
  );
  it.each(['index.html', 'my-component.js', 'es2020-polyfill1.js', 'boot.js', 'jquery-3.7.1.js', 'a.deadbeef.js'])(
    '%s holds none for sure',
    (name) => expect(isHashed(name)).toBe(false),
  );
});

describe('files of a client', () => {
  let folder: string;
  const write = (name: string, content = 'x') => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), content);
  };
  beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'client-'))));
  afterEach(() => fs.rmSync(folder, { recursive: true }));
  const watcher = () => new ConfigurationFiles(0, () => undefined);

  it('are those of the folder, but no hidden ones and no links', () => {
    for (const name of ['index.html', 'a/b.js', 'a/b.js.gz', '.env', '.git/config']) write(name);
    fs.symlinkSync('/etc/passwd', path.join(folder, 'passwd'));
    const files = ClientFiles.open(folder, watcher());
    expect(files.findFile('', false)).toMatchObject({ path: 'index.html' });
    expect(files.findFile('a/b.js', false)).toMatchObject({ sizeBytes: 1, codings: new Set(['gzip']) });
    for (const name of ['.env', '.git/config', 'passwd', '../secret', 'a/../index.html', 'a', 'a/'])
      expect(files.findFile(name, false)).toBeUndefined();
  });

  it('answer routes of the client with its page, and missing files with nothing', () => {
    write('index.html');
    const files = ClientFiles.open(folder, watcher());
    expect(files.findFile('mail/default0', true)).toMatchObject({ path: 'index.html' });
    expect(files.findFile('mail/default0', false)).toBeUndefined();
    expect(files.findFile('lost.js', true)).toBeUndefined();
  });

  it('are read again with a new page, and a start without one is refused', async () => {
    expect(() => ClientFiles.open(folder, watcher())).toThrow('index.html');
    write('index.html');
    const following = watcher();
    const files = ClientFiles.open(folder, following);
    write('new.js');
    expect(files.findFile('new.js', false)).toBeUndefined();
    write('index.html', 'another one');
    await following.checkForChanges();
    expect(files.findFile('new.js', false)).toBeDefined();
    fs.rmSync(path.join(folder, 'index.html'));
    await following.checkForChanges();
    expect(files.findFile('', false)).toBeDefined();
  });
});
