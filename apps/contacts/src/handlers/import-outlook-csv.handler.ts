import { contactImport, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ContactImport } from '../transfer/contact-import';
import { readCsvEntries } from '../transfer/csv-entries';

/** `import?action=OUTLOOK_CSV`: the same as CSV, whose readers know the titles of Outlook. */
@Handles(contactImport.OUTLOOK_CSV)
export class ImportOutlookCsvHandler implements Handler<typeof contactImport.OUTLOOK_CSV> {
  constructor(private readonly importer: ContactImport) {}

  handle({ principal, query, files, signal }: CallOf<typeof contactImport.OUTLOOK_CSV>) {
    return this.importer.importFile(principal, { query, files, signal, format: 'OUTLOOK_CSV' }, readCsvEntries);
  }
}
