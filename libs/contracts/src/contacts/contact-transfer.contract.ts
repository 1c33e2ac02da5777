import type { ImportedItem } from '../calendar/icalendar.contract';
import { ExportReference } from '../calendar/icalendar.contract';
import { ImportExportErrors } from '../calendar/calendar.errors';
import { FolderErrors } from '../folders/folder.errors';
import { action, defineModule, Field, file, jsonList, page, property, requireRights, upload } from '../kit';
import { CONTACT_RIGHTS } from './contact.access';
import { ContactErrors } from './contact.errors';

/** Most entries of one import. */
export const MAX_IMPORTED_CONTACTS = property({
  key: 'com.example.import.contacts.limit',
  default: -1,
  min: -1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most contacts of one import; those beyond are left out with the warning I_E-1317. -1: no limit but that of the service.',
});

/** Whether imported vCards are kept beside their contacts. */
export const STORE_VCARDS = property({
  key: 'com.example.contact.storeVCards',
  default: true,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether an imported vCard is kept beside its contact, so that what the contact has no field for is exported again.',
});

/** Largest vCard. */
export const MAX_VCARD_SIZE = property({
  key: 'com.example.contact.maxVCardSize',
  default: 4_194_304,
  min: 1,
  scopes: ['server'],
  doc: 'Largest single vCard of an import, bytes; larger ones are refused with I_E-0609.',
});

const VCARD_VERSIONS = ['2.1', '3.0', '4.0'];

/** The version in which vCards are exported. */
export const VCARD_VERSION = property({
  key: 'com.example.contact.vcard.version',
  default: '3.0',
  values: VCARD_VERSIONS,
  scopes: ['user', 'context', 'server'],
  doc: 'Version of exported vCards.',
});

/** Whether exports make texts of what a spreadsheet would compute. */
export const ESCAPE_FORMULAS = property({
  key: 'com.example.export.csv.escapeFormulas',
  default: false,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether values of exported CSV that begin as formulas do get an apostrophe before them. Such a file is not imported as it was.',
});

/** Target of an imported file of contacts, and how it is read. */
export class ContactImportQuery {
  @Field.text({ doc: 'Folder of contacts; needed', optional: true, maxLength: 1024, joinsRepeated: true })
  folder?: string;
  @Field.text({
    doc: 'Charset of the file; auto or absent: found out by its content',
    optional: true,
    maxLength: 64,
  })
  charset?: string;
  @Field.boolean({ doc: 'Answer JSON instead of an HTML page', optional: true }) plainJson?: boolean;
}

/** Parameters of an export of a folder as vCards. */
export class CardExportQuery {
  @Field.id({ doc: 'Folder of contacts; needed', optional: true }) folder?: string;
  @Field.boolean({ doc: 'Export distribution lists, too; default: false', optional: true }) export_dlists?: boolean;
  @Field.text({ doc: 'Version of the vCards; default: as configured', optional: true, values: VCARD_VERSIONS })
  version?: string;
}

/** Parameters of an export of a folder as CSV. */
export class CsvExportQuery {
  @Field.id({ doc: 'Folder of contacts' }) folder!: string;
  @Field.text({ doc: 'Column numbers; default: all that are exported', optional: true, maxLength: 4_096 })
  columns?: string;
  @Field.boolean({ doc: 'Export distribution lists, too; default: true', optional: true }) export_dlists?: boolean;
}

/** Parameters of an export of some contacts as vCards. */
export class CardObjectsQuery {
  @Field.text({ doc: 'Version of the vCards; default: as configured', optional: true, values: VCARD_VERSIONS })
  version?: string;
}

const ofImport = [
  ImportExportErrors.noContacts,
  ImportExportErrors.noFile,
  ImportExportErrors.notOneFile,
  ImportExportErrors.emptyFile,
  ImportExportErrors.wrongFolder,
  ImportExportErrors.folderMissing,
  ImportExportErrors.notOneFolder,
  ImportExportErrors.unknownCharset,
  ContactErrors.mustNotCreate,
  ContactErrors.notReadable,
  FolderErrors.notFound,
];

const ofCsv = [
  ...ofImport,
  ImportExportErrors.noTitles,
  ImportExportErrors.noNamingTitle,
  ImportExportErrors.noContent,
  ImportExportErrors.refused,
];

/** Import of contacts. */
export const contactImport = defineModule(
  'import',
  {
    VCARD: action({
      access: requireRights(CONTACT_RIGHTS.create),
      appScopes: ['write_contacts'],
      http: 'POST',
      doc: 'Imports vCards into a folder of contacts; answers a result per card. A card whose UID the folder has changes that contact. An import that was cut off goes on when the same file is sent again',
      query: ContactImportQuery,
      body: upload(undefined, { required: false }),
      reply: page<ImportedItem[]>('a result per card in the order of the file'),
      repeatable: false,
      deadlineMs: 600_000,
      auth: 'session',
      capability: 'contacts',
      withoutCapability: ImportExportErrors.noContacts,
      errors: [...ofImport, ImportExportErrors.noCard],
    }),
    CSV: action({
      access: requireRights(CONTACT_RIGHTS.create),
      appScopes: ['write_contacts'],
      http: 'POST',
      doc: 'Imports CSV into a folder of contacts, with the titles that exports write or those of Outlook; answers a result per row. An import that was cut off goes on when the same file is sent again',
      query: ContactImportQuery,
      body: upload(undefined, { required: false }),
      reply: page<ImportedItem[]>('a result per row in the order of the file'),
      repeatable: false,
      deadlineMs: 600_000,
      auth: 'session',
      capability: 'contacts',
      withoutCapability: ImportExportErrors.noContacts,
      errors: ofCsv,
    }),
    OUTLOOK_CSV: action({
      access: requireRights(CONTACT_RIGHTS.create),
      appScopes: ['write_contacts'],
      http: 'POST',
      doc: 'Imports CSV of Outlook; the same as CSV',
      query: ContactImportQuery,
      body: upload(undefined, { required: false }),
      reply: page<ImportedItem[]>('a result per row in the order of the file'),
      repeatable: false,
      deadlineMs: 600_000,
      auth: 'session',
      capability: 'contacts',
      withoutCapability: ImportExportErrors.noContacts,
      errors: ofCsv,
    }),
  },
  { service: 'contacts' },
);

const ofExport = [
  ImportExportErrors.notExportable,
  ContactErrors.notReadable,
  FolderErrors.notFound,
  FolderErrors.badId,
];

const ofObjects = [
  ContactErrors.notFound,
  ImportExportErrors.notLoaded,
  ImportExportErrors.notExportable,
  FolderErrors.badId,
];

/** Export of contacts. */
export const contactExport = defineModule(
  'export',
  {
    VCARD: action({
      access: requireRights(CONTACT_RIGHTS.read),
      appScopes: ['read_contacts'],
      http: 'GET',
      doc: 'Exports a folder of contacts as vCards',
      query: CardExportQuery,
      reply: file('text/vcard'),
      deadlineMs: 600_000,
      auth: 'session',
      capability: 'contacts',
      errors: [ImportExportErrors.folderMissing, ...ofExport],
    }),
    VCARDObjects: action({
      access: requireRights(CONTACT_RIGHTS.read),
      appScopes: ['read_contacts'],
      http: 'PUT',
      action: 'VCARD',
      doc: 'Exports some contacts as vCards',
      query: CardObjectsQuery,
      body: jsonList(ExportReference),
      reply: file('text/vcard'),
      reads: true,
      deadlineMs: 600_000,
      auth: 'session',
      capability: 'contacts',
      errors: ofObjects,
    }),
    CSV: action({
      access: requireRights(CONTACT_RIGHTS.read),
      appScopes: ['read_contacts'],
      http: 'GET',
      doc: 'Exports a folder of contacts as CSV',
      query: CsvExportQuery,
      reply: file('text/csv'),
      deadlineMs: 600_000,
      auth: 'session',
      capability: 'contacts',
      errors: [ImportExportErrors.notAColumn, ...ofExport],
    }),
    CSVObjects: action({
      access: requireRights(CONTACT_RIGHTS.read),
      appScopes: ['read_contacts'],
      http: 'PUT',
      action: 'CSV',
      doc: 'Exports some contacts as CSV',
      body: jsonList(ExportReference),
      reply: file('text/csv'),
      reads: true,
      deadlineMs: 600_000,
      auth: 'session',
      capability: 'contacts',
      errors: ofObjects,
    }),
  },
  { service: 'contacts' },
);
