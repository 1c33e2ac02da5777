import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of the contacts service. */
export class ContactsConfig {
  @Setting({
    env: 'CONTACTS_TOMBSTONE_DAYS',
    doc: 'Days for which deletions of contacts are told by updates; clients that ask for older ones get all that is there',
  })
  @IsInt()
  @Min(1)
  tombstoneDays = 366;

  @Setting({ env: 'CONTACTS_CLEANING_MINUTES', doc: 'Minutes between two runs of the cleaner of old deletions' })
  @IsInt()
  @Min(1)
  @Max(20_000)
  cleaningMinutes = 360;

  @Setting({ env: 'CONTACTS_IMPORT_BATCH', doc: 'Contacts stored in one transaction of an import' })
  @IsInt()
  @Min(1)
  @Max(5_000)
  importBatch = 500;

  @Setting({ env: 'CONTACTS_IMPORT_MAX_ITEMS', doc: 'Most entries of one imported file of contacts' })
  @IsInt()
  @Min(1)
  importMaxItems = 100_000;

  @Setting({
    env: 'CONTACTS_IMPORT_MAX_CARD_LINES',
    doc: 'Most lines of a single vCard of an import as they stand in the file; pictures have thousands',
  })
  @IsInt()
  @Min(10)
  importMaxCardLines = 50_000;

  @Setting({
    env: 'CONTACTS_IMPORT_MAX_CARD_TEXT_BYTES',
    doc: 'Largest text of a single vCard of an import, bytes: all but pictures, sounds and keys',
  })
  @IsInt()
  @Min(1_024)
  @Max(1_048_576)
  importMaxCardTextBytes = 655_360;

  @Setting({
    env: 'CONTACTS_IMPORT_MAX_CARD_PROPERTIES',
    doc: 'Most properties of a single vCard of an import; each member of a list is one',
  })
  @IsInt()
  @Min(10)
  @Max(20_000)
  importMaxCardProperties = 6_000;

  @Setting({ env: 'CONTACTS_EXPORT_MAX_BYTES', doc: 'Largest exported file of contacts, bytes' })
  @IsInt()
  @Min(1)
  exportMaxBytes = 1_073_741_824;

  @Setting({ env: 'CONTACTS_IMAGE_MAX_SIDE', doc: 'Largest width and height to which pictures of contacts are scaled' })
  @IsInt()
  @Min(16)
  @Max(8_192)
  imageMaxSide = 2_048;
}
