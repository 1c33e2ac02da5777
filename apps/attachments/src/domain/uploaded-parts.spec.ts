import { CatalogueError, type UploadedFile } from '@groupware/contracts';
import fc from 'fast-check';
import { parseUploadedParts } from './uploaded-parts';

const file = (field: string, name = 'a.txt'): UploadedFile => ({
  field,
  name,
  contentType: 'text/plain',
  reference: 'r',
  sizeBytes: 1,
  sha256: 'h',
});
const json = (fields: object = {}) => JSON.stringify({ folder: 1, attached: 2, module: 1, ...fields });
const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return error instanceof CatalogueError ? error.code : String(error);
  }
};

it('pairs descriptions with files by number, whatever order and gaps they come in', () => {
  const parts = parseUploadedParts({ json_7: json({ filename: 'seven' }), json: json(), action: 'x' }, [
    file('file_7'),
    file('file', 'zero'),
  ]);
  expect(parts.map(({ fileName, folder, attached }) => ({ fileName, folder, attached }))).toEqual([
    { fileName: 'zero', folder: 1, attached: 2 },
    { fileName: 'seven', folder: 1, attached: 2 },
  ]);
});

it.each([
  ['a name and a type of its own', { filename: 'b', file_mimetype: 'a/b' }, { fileName: 'b', contentType: 'a/b' }],
  ['those of the part when they are empty', { filename: '', file_mimetype: null }, { fileName: 'a.txt' }],
  ['either name of the flag', { rft_flag: true }, { rtf: true }],
  ['numbers as texts', { folder: '31' }, { folder: 31 }],
  ['folders with their account', { folder: 'con://0/31' }, { folder: 31 }],
  ['half a character replaced', { filename: 'a\ud800' }, { fileName: 'a\ufffd' }],
])('takes %s', (_name, fields, expected) => {
  expect(parseUploadedParts({ json_0: json(fields) }, [file('file_0')])[0]).toMatchObject(expected);
});

it.each([
  ['no file', { json_0: json() }, [], 'ATT-0401'],
  ['nothing', {}, [], 'ATT-0401'],
  ['a file without description', { json_0: json() }, [file('file_0'), file('file_1')], 'SVL-0002'],
  ['a file in an unknown field', { json_0: json() }, [file('upload')], 'ATT-0418'],
  ['two files in one field', { json_0: json() }, [file('file_0'), file('file')], 'ATT-0418'],
  ['no folder', { json_0: '{"attached":1,"module":1}' }, [file('file_0')], 'SVL-0002'],
  ['a word', { json_0: json({ module: 'x' }) }, [file('file_0')], 'ATT-0701'],
  ['half a number', { json_0: json({ module: 1.5 }) }, [file('file_0')], 'ATT-0701'],
  ['a control character', { json_0: json({ filename: 'a\nb' }) }, [file('file_0')], 'ATT-0418'],
  ['a long name', { json_0: json({ filename: 'a'.repeat(256) }) }, [file('file_0')], 'ATT-0418'],
  ['no media type', { json_0: json({ file_mimetype: 'html' }) }, [file('file_0')], 'ATT-0418'],
])('refuses %s', (_name, fields, files, code) => {
  expect(codeOf(() => parseUploadedParts(fields as Record<string, string>, files))).toBe(code);
});

it('any form gives whole parts or an error of the catalogue', () => {
  const anyText = fc.oneof(fc.json(), fc.string(), fc.constant(json()), fc.record({ folder: fc.anything() }).map(json));
  const fieldName = (prefix: string) =>
    fc.oneof(
      fc.nat(4).map((n) => `${prefix}_${n}`),
      fc.constant(prefix),
      fc.string(),
    );
  fc.assert(
    fc.property(
      fc.dictionary(fieldName('json'), anyText, { maxKeys: 4 }),
      fc.array(fieldName('file'), { maxLength: 4 }),
      (fields, names) => {
        try {
          const parts = parseUploadedParts(
            fields,
            names.map((name) => file(name)),
          );
          expect(parts).toHaveLength(names.length);
          for (const { folder, attached, module } of parts)
            expect([folder, attached, module].every((n) => Number.isInteger(n) && n >= 0)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(CatalogueError);
        }
      },
    ),
  );
});
