import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ConfigurationFiles } from '@groupware/service-kit';
import { parseCsvRows } from './csv-rows';
import { ImportMappings } from './field-mapping';
import type { FieldMapping, ImportFormat } from './import-fields';
import { parseLdifRows } from './ldif-rows';

let folder: string;
let file: string;
let files: ConfigurationFiles;
let reports: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'mapping-'));
  file = path.join(folder, 'mapping.json');
  reports = [];
  files = new ConfigurationFiles(0, (_name, problems) => reports.push(...problems));
});
afterEach(async () => {
  await files.close();
  rmSync(folder, { recursive: true });
});

const opened = (content: object | string): ImportMappings => {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return ImportMappings.open(file, files);
};

async function valuesOf(format: ImportFormat, text: string, mapping: FieldMapping): Promise<object[]> {
  const bytes = (async function* () {
    yield Buffer.from(text);
  })();
  const values: object[] = [];
  for await (const row of (format === 'csv' ? parseCsvRows : parseLdifRows)(bytes, mapping)) values.push(row.values);
  return values;
}

describe('the mapping of an import', () => {
  it('names the columns of a CSV file, in any alphabet, before the titles that are known', async () => {
    const mappings = opened({ csv: { Kürzel: 'name', Фамилия: 'surname', Description: null } });
    const csv = 'kürzel;Name;ФАМИЛИЯ;title;description\nann;Ann A.;A;Dr.;secret\n';
    expect(await valuesOf('csv', csv, mappings.resolveMapping('csv', ['Title=position']))).toEqual([
      { name: 'ann', surname: 'A', position: 'Dr.' },
    ]);
    expect(await valuesOf('csv', csv, {})).toEqual([{ name: 'Ann A.', title: 'Dr.', description: 'secret' }]);
  });

  it('names the attributes of an LDIF file, before those that are known', async () => {
    const mappings = opened({ ldif: { sAMAccountName: 'name', proxyAddresses: 'aliases', mailHost: 'imap.server' } });
    const ldif = [
      'dn: CN=Ann A,OU=People,DC=example',
      'objectClass: user',
      'cn: Ann A',
      'sn: A',
      'sAMAccountName: ann',
      'mail: ann@a.example',
      'proxyAddresses: ann@a.example',
      'proxyAddresses: a@a.example',
      'mailHost: imaps://imap.test',
      'title: Dr.',
    ].join('\n');
    expect(await valuesOf('ldif', ldif, mappings.resolveMapping('ldif', ['title=']))).toEqual([
      {
        name: 'ann',
        displayName: 'Ann A',
        surname: 'A',
        email: 'ann@a.example',
        aliases: 'ann@a.example,a@a.example',
        'imap.server': 'imaps://imap.test',
      },
    ]);
  });

  it('refuses fields of a call that are none', () => {
    const mappings = ImportMappings.open('', files);
    for (const pair of ['title=shoe size', 'title', '=title', ' = '])
      expect(() => mappings.resolveMapping('csv', [pair])).toThrow(expect.objectContaining({ code: 'PROV-0019' }));
  });

  it.each([
    ['no file', undefined, /ENOENT/],
    ['no JSON', '{', /JSON/],
    ['no object', '[]', /an object with csv, ldif or both expected/],
    ['another format', { xml: {} }, /xml is neither csv nor ldif/],
    [
      'an unknown field',
      { csv: { a: 'name', b: 'shoe size', c: 7 } },
      /csv, b: "shoe size" .*\n.*csv, c: 7 is no field/,
    ],
  ])('keeps a process with %s from starting', (_what, content, problem) => {
    const open = () => (content === undefined ? ImportMappings.open(file, files) : opened(content));
    expect(open).toThrow(problem);
  });

  it('is read again when the file changes, and stays as it was when the file is wrong', async () => {
    const mappings = opened({ csv: { a: 'name' } });
    writeFileSync(file, JSON.stringify({ csv: { b: 'name' } }));
    await files.reload();
    expect(mappings.resolveMapping('csv', [])).toEqual({ b: 'name' });
    writeFileSync(file, JSON.stringify({ csv: { b: 'shoe size' } }));
    await files.reload();
    expect(mappings.resolveMapping('csv', [])).toEqual({ b: 'name' });
    expect(reports).toEqual([expect.stringContaining('shoe size')]);
  });
});
