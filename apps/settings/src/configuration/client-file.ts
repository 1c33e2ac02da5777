import { readFileSync } from 'node:fs';
import { BadSettings, describeError, type ConfigurationFiles } from '@groupware/service-kit';
import { parse } from 'yaml';
import type { Place } from '../domain/config-settings';
import { isTree, mergeTrees, type Tree } from '../domain/tree';

/** A setting that the operator gives all users. */
export interface ServerSetting {
  readonly place: Place;
  readonly value: unknown;
  /** False: it wins over what users store. */
  readonly configurable: boolean;
}

interface Content {
  readonly serverConfig: Readonly<Record<string, Tree>>;
  readonly settings: readonly ServerSetting[];
}

const NOTHING: Content = { serverConfig: {}, settings: [] };

/** Key of what `serverConfig` says for every host. */
const ALL_HOSTS = 'all';

/** The operator's file for clients: the server's configuration by host, and settings of trees. */
export class ClientFile {
  private content = NOTHING;

  /**
   * Reads the file and follows it.
   * @throws BadSettings when the first reading finds problems
   */
  static open(file: string, files: ConfigurationFiles): ClientFile {
    const opened = new ClientFile();
    if (file === '') return opened;
    const problems = opened.read(file);
    if (problems.length > 0) throw new BadSettings(problems);
    files.watch({ name: 'client settings', files: () => [file], read: () => opened.read(file) });
    return opened;
  }

  /** Settings of all users. */
  get settings(): readonly ServerSetting[] {
    return this.content.settings;
  }

  /** Configuration for clients of a host, without its port. */
  serverConfigOf(host: string): Tree {
    const { serverConfig } = this.content;
    const name = host.replace(/:\d+$/, '').toLowerCase();
    const all = Object.hasOwn(serverConfig, ALL_HOSTS) ? serverConfig[ALL_HOSTS]! : {};
    const own = name !== ALL_HOSTS && Object.hasOwn(serverConfig, name) ? serverConfig[name]! : {};
    return mergeTrees(all, own);
  }

  /** With a problem nothing changes. */
  private read(file: string): string[] {
    const problems: string[] = [];
    try {
      const next = parseContent(parse(readFileSync(file, 'utf8')), problems);
      if (problems.length === 0) this.content = next;
    } catch (error) {
      problems.push(describeError(error).split('\n')[0]!);
    }
    return problems.map((problem) => `SETTINGS_CLIENT_FILE: ${file}: ${problem}`);
  }
}

function parseContent(content: unknown, problems: string[]): Content {
  if (content === null || content === undefined) return NOTHING;
  if (!isTree(content)) {
    problems.push('a mapping with serverConfig and trees expected');
    return NOTHING;
  }
  const serverConfig: Record<string, Tree> = {};
  for (const [host, values] of entriesOf(content, 'serverConfig', problems))
    if (isTree(values)) serverConfig[host.toLowerCase()] = values;
    else problems.push(`serverConfig of ${host} is no mapping`);
  const settings: ServerSetting[] = [];
  for (const [key, entry] of entriesOf(content, 'trees', problems)) {
    const [id, path, ...more] = key.split('//');
    if (!id || !path || more.length > 0 || path.split('/').includes(''))
      problems.push(`${key}: a path such as io.ox/mail//features/x expected`);
    else if (!isTree(entry) || !('value' in entry)) problems.push(`${key}: a mapping with value expected`);
    else
      settings.push({
        place: { id, path: path.split('/') },
        value: entry.value,
        configurable: entry.configurable !== false,
      });
  }
  for (const name of Object.keys(content))
    if (name !== 'serverConfig' && name !== 'trees') problems.push(`${name} is unknown`);
  return { serverConfig, settings };
}

function entriesOf(content: Tree, name: string, problems: string[]): [string, unknown][] {
  const part = content[name] ?? {};
  if (isTree(part)) return Object.entries(part);
  problems.push(`${name} is no mapping`);
  return [];
}
