import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { BadSettings, type ConfigurationFiles } from '@groupware/service-kit';

/** A file of the client. */
export interface ClientFile {
  /** Path below the folder, with slashes. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Codings in which the folder has it, too, as files beside it: `br`, `gzip`. */
  readonly codings: ReadonlySet<Coding>;
}

/** Content codings of answers, the preferred one first. */
export const CODINGS = ['br', 'gzip'] as const;
/** See {@link CODINGS}. */
export type Coding = (typeof CODINGS)[number];

/** Ends of names of compressed files. */
export const SUFFIXES: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

const INDEX = 'index.html';

/**
 * The files of a static client as they were when its page was read: only these are served, so no path leads out of the folder.
 * Hidden files and links are left out. A new page makes the folder be read again.
 */
export class ClientFiles {
  private files: ReadonlyMap<string, ClientFile> = new Map();

  private constructor(readonly folder: string) {}

  /** Reads the folder and follows its page. @throws BadSettings without a readable `index.html` */
  static open(folder: string, watcher: Pick<ConfigurationFiles, 'watch'>): ClientFiles {
    const opened = new ClientFiles(path.resolve(folder));
    const problems = opened.read();
    if (problems.length > 0) throw new BadSettings(problems);
    watcher.watch({ name: 'client', files: () => [path.join(opened.folder, INDEX)], read: () => opened.read() });
    return opened;
  }

  /**
   * The file for a path below that of the client, decoded; the page for paths that the client resolves itself.
   * @param wantsPage whether a browser asks for something to show
   */
  findFile(name: string, wantsPage: boolean): ClientFile | undefined {
    const found = this.files.get(name === '' ? INDEX : name);
    if (found) return found;
    const isRoute = wantsPage && !name.slice(name.lastIndexOf('/') + 1).includes('.');
    return isRoute ? this.files.get(INDEX) : undefined;
  }

  /** Without a page nothing changes. */
  private read(): string[] {
    const found = new Map<string, ClientFile>();
    try {
      for (const file of listFiles(this.folder)) found.set(file.path, file);
    } catch (error) {
      return [`GROUPWARE_CLIENT_DIR: ${(error as Error).message}`];
    }
    if (!found.has(INDEX)) return [`GROUPWARE_CLIENT_DIR: ${this.folder} has no ${INDEX}`];
    for (const file of found.values())
      found.set(file.path, {
        ...file,
        codings: new Set(CODINGS.filter((coding) => found.has(file.path + SUFFIXES[coding]))),
      });
    this.files = found;
    return [];
  }
}

function* listFiles(folder: string): Generator<ClientFile> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const absolute = path.join(entry.parentPath, entry.name);
    const relative = path.relative(folder, absolute).split(path.sep).join('/');
    if (/(^|\/)\./.test(relative)) continue;
    const { size, mtimeMs } = statSync(absolute);
    yield { path: relative, sizeBytes: size, modifiedMs: Math.floor(mtimeMs), codings: new Set() };
  }
}

/**
 * Whether the name holds a hash of the content, as builds write it (`app.4f3c2a1b.js`, `index-BxYz12_a.css`): such a file never
 * changes. A wrong yes would keep an old file for a year, so a word with a number is none.
 */
export function isHashed(name: string): boolean {
  const hash = /[.-]([0-9A-Za-z_-]{8,64})\.[0-9a-z]+(\.map)?$/.exec(name)?.[1];
  if (hash === undefined || !/\d/.test(hash)) return false;
  const last = hash.slice(-8);
  return /^[0-9a-f]+$/.test(hash) || (/\d/.test(last) && /[a-z]/.test(last) && /[A-Z]/.test(last));
}
