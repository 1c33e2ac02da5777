import type { CallOf, contactImport } from '@groupware/contracts';
import type { Properties } from '@groupware/service-kit';
import { ContactsConfig } from '../contacts.config';
import type { PictureInput } from '../pictures/picture-input';
import type { ContactImport, ImportSource } from '../transfer/contact-import';
import type { ImportEntry } from '../transfer/import-entry';
import { ImportVcardHandler } from './import-vcard.handler';

const CARD = `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\n${'X-A:text of it\r\n'.repeat(100)}END:VCARD\r\n`;

/** Codes of the errors of the entries of a file, undefined for those that can be stored. */
async function codesOf(settings: Partial<ContactsConfig>): Promise<(string | undefined)[]> {
  const entries: ImportEntry[] = [];
  const importer = {
    async importFile(_user: unknown, _request: unknown, read: (source: ImportSource) => AsyncIterable<ImportEntry>) {
      const bytes = async function* () {
        yield await Promise.resolve(Buffer.from(CARD));
      };
      for await (const entry of read({ bytes, validateEmail: false })) entries.push(entry);
    },
  };
  const properties = { get: () => Promise.resolve(false), serverValue: () => 1_000_000 };
  const config = Object.assign(new ContactsConfig(), settings);
  const handler = new ImportVcardHandler(
    importer as unknown as ContactImport,
    properties as unknown as Properties,
    {} as PictureInput,
    config,
  );
  await handler.handle({ query: {}, files: [] } as unknown as CallOf<typeof contactImport.VCARD>);
  return entries.map(({ error }) => error?.code);
}

describe('the size of a vCard of an import', () => {
  it('is what the settings allow', async () => {
    expect(await codesOf({})).toEqual([undefined]);
  });

  it.each([{ importMaxCardLines: 50 }, { importMaxCardTextBytes: 1_024 }, { importMaxCardProperties: 50 }])(
    'is limited by %p',
    async (settings) => {
      expect(await codesOf(settings)).toEqual(['I_E-0609']);
    },
  );
});
