import { contactExport, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContactExport } from '../transfer/contact-export';
import { CsvExport } from '../transfer/csv-export';

/** The file type of CSV. */
export const CSV_FILE = { extension: 'csv', contentType: 'text/csv; charset=UTF-8' } as const;

/** `export?action=CSV`: a folder as CSV. */
@Handles(contactExport.CSV)
export class ExportCsvHandler implements Handler<typeof contactExport.CSV> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly exporter: ContactExport,
    private readonly csv: CsvExport,
  ) {}

  async handle({ principal, query }: CallOf<typeof contactExport.CSV>) {
    const escapes = await this.csv.escapesFormulas(principal);
    return this.database.read(
      principal,
      async (db) => {
        const folder = await this.exporter.requireFolder(db, principal, query.folder, 'CSV');
        const columns = this.csv.parseColumns(query.columns);
        const pages = this.exporter.pagesOfFolder(db, principal, folder, query.export_dlists ?? true);
        return this.exporter.writeFile(this.csv.writeRows(db, principal, pages, columns, escapes), {
          name: folder.title,
          ...CSV_FILE,
        });
      },
      { snapshot: true },
    );
  }
}
