import {
  contactImport,
  ImportExportErrors,
  MAX_VCARD_SIZE,
  STORE_VCARDS,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles, Properties } from '@groupware/service-kit';
import { ContactsConfig } from '../contacts.config';
import { PictureInput } from '../pictures/picture-input';
import { readCardEntries } from '../transfer/card-entries';
import { ContactImport } from '../transfer/contact-import';

/** `import?action=VCARD`: vCards, with a result per card. */
@Handles(contactImport.VCARD)
export class ImportVcardHandler implements Handler<typeof contactImport.VCARD> {
  constructor(
    private readonly importer: ContactImport,
    private readonly properties: Properties,
    private readonly pictures: PictureInput,
    private readonly config: ContactsConfig,
  ) {}

  async handle({ principal, query, files, signal }: CallOf<typeof contactImport.VCARD>) {
    const storeCards = await this.properties.get(STORE_VCARDS, principal);
    const limits = {
      maxCardBytes: this.properties.serverValue(MAX_VCARD_SIZE),
      maxCardLines: this.config.importMaxCardLines,
      maxCardTextBytes: this.config.importMaxCardTextBytes,
      maxCardProperties: this.config.importMaxCardProperties,
    };
    const acceptPicture = (bytes: Uint8Array) => this.pictures.fromBytes(bytes);
    const rules = { limits, storeCards, acceptPicture };
    const request = { query, files, signal, format: 'VCARD' };
    return this.importer.importFile(principal, request, async function* (source) {
      let isEmpty = true;
      for await (const entry of readCardEntries(source.bytes(), { ...source, ...rules })) {
        isEmpty = false;
        yield entry;
      }
      if (isEmpty) throw ImportExportErrors.noCard();
    });
  }
}
