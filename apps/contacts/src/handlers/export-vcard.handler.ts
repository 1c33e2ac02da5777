import { contactExport, ImportExportErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CardExport } from '../transfer/card-export';
import { ContactExport } from '../transfer/contact-export';

/** The file type of vCards. */
export const VCARD_FILE = { extension: 'vcf', contentType: 'text/vcard; charset=UTF-8' } as const;

/** `export?action=VCARD`: a folder as vCards. */
@Handles(contactExport.VCARD)
export class ExportVcardHandler implements Handler<typeof contactExport.VCARD> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly exporter: ContactExport,
    private readonly cards: CardExport,
  ) {}

  async handle({ principal, query }: CallOf<typeof contactExport.VCARD>) {
    const { folder: folderId } = query;
    if (folderId === undefined) throw ImportExportErrors.folderMissing();
    const version = await this.cards.getVersion(principal, query.version);
    // One moment for the whole file, however long it takes.
    return this.database.read(
      principal,
      async (db) => {
        const folder = await this.exporter.requireFolder(db, principal, folderId, 'VCARD');
        const pages = this.exporter.pagesOfFolder(db, principal, folder, query.export_dlists ?? false);
        return this.exporter.writeFile(this.cards.writeCards(db, principal, pages, version), {
          name: folder.title,
          ...VCARD_FILE,
        });
      },
      { snapshot: true },
    );
  }
}
