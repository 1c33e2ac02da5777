import { CONTACT_RIGHTS, contactExport, waiveCheck, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CardExport } from '../transfer/card-export';
import { ContactExport } from '../transfer/contact-export';
import { VCARD_FILE } from './export-vcard.handler';

/** `export?action=VCARD` with a body: some contacts as vCards. */
@Handles(contactExport.VCARDObjects)
export class ExportVcardObjectsHandler implements Handler<typeof contactExport.VCARDObjects> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly exporter: ContactExport,
    private readonly cards: CardExport,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof contactExport.VCARDObjects>) {
    if (body.length === 0) waiveCheck(CONTACT_RIGHTS.read, 'a file without contacts');
    const version = await this.cards.getVersion(principal, query.version);
    return this.database.read(
      principal,
      async (db) => {
        const pages = this.exporter.pagesOfReferences(db, principal, body, 'VCARD');
        const name = await this.exporter.nameOf(db, principal, body);
        return this.exporter.writeFile(this.cards.writeCards(db, principal, pages, version), { name, ...VCARD_FILE });
      },
      { snapshot: true },
    );
  }
}
