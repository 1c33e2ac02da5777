import { CONTACT_RIGHTS, contactExport, waiveCheck, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContactExport } from '../transfer/contact-export';
import { CsvExport } from '../transfer/csv-export';
import { CSV_FILE } from './export-csv.handler';

/** `export?action=CSV` with a body: some contacts as CSV. */
@Handles(contactExport.CSVObjects)
export class ExportCsvObjectsHandler implements Handler<typeof contactExport.CSVObjects> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly exporter: ContactExport,
    private readonly csv: CsvExport,
  ) {}

  async handle({ principal, body }: CallOf<typeof contactExport.CSVObjects>) {
    if (body.length === 0) waiveCheck(CONTACT_RIGHTS.read, 'a file without contacts');
    const escapes = await this.csv.escapesFormulas(principal);
    return this.database.read(
      principal,
      async (db) => {
        const pages = this.exporter.pagesOfReferences(db, principal, body, 'CSV');
        const name = await this.exporter.nameOf(db, principal, body);
        const texts = this.csv.writeRows(db, principal, pages, this.csv.parseColumns(undefined), escapes);
        return this.exporter.writeFile(texts, { name, ...CSV_FILE });
      },
      { snapshot: true },
    );
  }
}
