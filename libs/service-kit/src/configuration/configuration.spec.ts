import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, renameSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { allProperties, property } from '@groupware/contracts';
import fc from 'fast-check';
import { Properties } from '../properties';
import { ConfigurationFiles } from './configuration-files';
import { readConfiguration } from './configuration-sources';
import { parsePropertyLines, flattenSecrets, toVariableName } from './configuration-text';
import { ServerValues, listInvalidValues } from './server-values';

const number = property({ key: 'com.example.spec.number', default: 1, min: 0, doc: 'for this spec' });
const text = property({ key: 'com.example.spec.aText', default: '', doc: 'for this spec' });

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'configuration-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string): string {
  const place = path.join(folder, name);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, content);
  return place;
}

const read = (sources: Partial<Parameters<typeof readConfiguration>[0]>) =>
  readConfiguration({ propertiesFiles: [], environment: {}, secretsFiles: [], ...sources }, [number.key, text.key]);
const texts = (sources: Parameters<typeof read>[0]) =>
  Object.fromEntries([...read(sources).values].map(([key, value]) => [key, value.text]));

describe('server values', () => {
  it('come from properties files, the environment and secrets files; each overrides those before it', () => {
    const plain = file('a.properties', `${number.key}=1\n${text.key}=plain\nother=1 = 2\n# no=value\n! no=value\n`);
    const secrets = file('secrets/mounted/com.example.spec.aText', 'hush\n');
    expect(
      texts({
        propertiesFiles: [plain],
        environment: { [toVariableName(number.key)]: '2', 'GROUPWARE_PROPERTY_com.other.key': 'x', PATH: '/bin' },
        secretsFiles: [path.dirname(secrets)],
      }),
    ).toEqual({ [number.key]: '2', [text.key]: 'hush', other: '1 = 2', 'com.other.key': 'x' });
  });

  it('of a folder are those of its files in the order of their names', () => {
    file('conf/20.properties', `${number.key}=20`);
    file('conf/10.properties', `${number.key}=10\n${text.key}=ten`);
    file('conf/readme.txt', `${number.key}=99`);
    expect(texts({ propertiesFiles: [path.join(folder, 'conf')] })).toEqual({
      [number.key]: '20',
      [text.key]: 'ten',
    });
  });

  it('that are secret may be trees as SOPS writes them, once decrypted, and files named by variables', () => {
    const tree = file('s.yaml', `com:\n  example:\n    spec:\n      number: 7\nsops:\n  version: 3.9.0\n`);
    const named = file('password', 'line\n');
    expect(texts({ environment: { [`${toVariableName(text.key)}_FILE`]: named }, secretsFiles: [tree] })).toEqual({
      [number.key]: '7',
      [text.key]: 'line',
    });
    expect(flattenSecrets({ a: { b: 'ENC[AES256_GCM,data:x]' }, c: [1] })).toEqual({
      values: {},
      problems: expect.arrayContaining([expect.stringContaining('a.b'), expect.stringContaining('c ')]),
    });
  });

  it('name every problem: unreadable files, broken trees, unknown variables, unfit values without the secret ones', () => {
    const broken = file('broken.json', '{"a": ');
    const secret = file('x.properties', `${number.key}=not to be shown\n`);
    const { problems } = read({
      propertiesFiles: [path.join(folder, 'missing')],
      environment: { GROUPWARE_PROPERTY_NO_SUCH_THING: '1' },
      secretsFiles: [broken],
    });
    expect(problems).toHaveLength(3);
    const unfit = listInvalidValues(read({ secretsFiles: [secret] }).values);
    expect(unfit).toEqual([expect.stringContaining(number.key)]);
    expect(unfit.join()).not.toContain('not to be shown');
  });

  it('count under the original names, too, where an operator wants those', () => {
    const original = `com.openexchange.spec.number=4\ncom.openexchange.spec.aText=theirs\n${text.key}=ours\n`;
    const plain = file('original.properties', original);
    expect(texts({ propertiesFiles: [plain] })[number.key]).toBeUndefined();
    const compat = file('compat.properties', `${original}com.example.compat.names=true\n`);
    expect(texts({ propertiesFiles: [compat] })).toMatchObject({ [number.key]: '4', [text.key]: 'ours' });
  });

  it('of two declared properties never share a variable', () => {
    const variables = allProperties().map(({ key }) => toVariableName(key));
    expect(new Set(variables).size).toBe(variables.length);
  });

  it('survive writing and reading for every key and value without line breaks', () => {
    const key = fc.stringMatching(/^[a-z][a-zA-Z0-9./_-]{0,30}$/);
    const value = fc.stringMatching(/^[ -~]{0,40}$/).map((raw) => raw.trim());
    fc.assert(
      fc.property(fc.dictionary(key, value), (values) => {
        const lines = Object.entries(values).map(([name, each]) => `${name} = ${each}`);
        expect(parsePropertyLines(lines.join('\n'))).toEqual({ ...values });
      }),
    );
  });
});

describe('changed files', () => {
  function follow(place: string) {
    const values = new ServerValues(read({ propertiesFiles: [place] }).values);
    const reports: string[][] = [];
    const files = new ConfigurationFiles(0, (_name, problems) => reports.push([...problems]));
    let reads = 0;
    files.watch({
      name: 'server',
      files: () => [place],
      read: () => {
        reads += 1;
        const next = read({ propertiesFiles: [place] });
        const problems = [...next.problems, ...listInvalidValues(next.values)];
        if (problems.length === 0) values.replaceValues(next.values);
        return problems;
      },
    });
    return { files, reports, properties: new Properties(undefined, values), reads: () => reads };
  }

  it('are in force after the next look, and read only when they changed', async () => {
    const place = file('server.properties', `${number.key}=2`);
    const { files, properties, reads } = follow(place);
    expect(properties.serverValue(number)).toBe(2);
    await files.checkForChanges();
    expect(reads()).toBe(0);
    file('server.properties', `${number.key}=33\nundeclared=x`);
    await files.checkForChanges();
    expect([properties.serverValue(number), properties.serverText('undeclared'), reads()]).toEqual([33, 'x', 1]);
    await files.checkForChanges();
    expect(reads()).toBe(1);
    await files.reload();
    expect(reads()).toBe(2);
  });

  it('with problems change nothing, and count as soon as they are repaired', async () => {
    const place = file('server.properties', `${number.key}=2`);
    const { files, properties, reports } = follow(place);
    file('server.properties', `${number.key}=nonsense\n${text.key}=new`);
    await files.checkForChanges();
    expect([properties.serverValue(number), properties.serverValue(text)]).toEqual([2, '']);
    expect(reports).toEqual([[expect.stringContaining(number.key)]]);
    file('server.properties', `${number.key}=3`);
    await files.checkForChanges();
    expect(properties.serverValue(number)).toBe(3);
  });

  it('are noticed when a link is exchanged, as mounts of Kubernetes do', async () => {
    file('one/server.properties', `${number.key}=1`);
    file('two/server.properties', `${number.key}=2`);
    symlinkSync(path.join(folder, 'one'), path.join(folder, 'data'));
    const place = path.join(folder, 'data', 'server.properties');
    const { files, properties } = follow(place);
    symlinkSync(path.join(folder, 'two'), path.join(folder, 'next'));
    renameSync(path.join(folder, 'next'), path.join(folder, 'data'));
    await files.checkForChanges();
    expect(properties.serverValue(number)).toBe(2);
  });

  it('are looked for by themselves', async () => {
    const place = file('server.properties', `${number.key}=1`);
    const found = new Promise<void>((resolve) => {
      const files = new ConfigurationFiles(5, () => void files.close().then(resolve));
      files.watch({ name: 'server', files: () => [place], read: () => [] });
      file('server.properties', `${number.key}=10`);
    });
    await found;
  });
});
