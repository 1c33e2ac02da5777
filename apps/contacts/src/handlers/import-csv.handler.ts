import { contactImport, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ContactImport } from '../transfer/contact-import';
import { readCsvEntries } from '../transfer/csv-entries';

/** `import?action=CSV`: rows, with a result per row. */
@Handles(contactImport.CSV)
export class ImportCsvHandler implements Handler<typeof contactImport.CSV> {
  constructor(private readonly importer: ContactImport) {}

  handle({ principal, query, files, signal }: CallOf<typeof contactImport.CSV>) {
    return this.importer.importFile(principal, { query, files, signal, format: 'CSV' }, readCsvEntries);
  }
}
