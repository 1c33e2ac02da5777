import { directoryProvider } from '@groupware/directory';
import { fileStoreProvider } from '@groupware/file-store';
import { AttachmentCounts, folderProviders, FolderUserCreations, tombstoneCleaner } from '@groupware/folders';
import { Pictures } from '@groupware/pictures';
import { Logger } from '@groupware/service-kit';
import type { Provider } from '@nestjs/common';
import { ContactAttachments } from './contacts/contact-attachments';
import { ContactsConfig } from './contacts.config';
import { ContactEditor } from './contacts/contact-editor';
import { ContactQuota } from './contacts/contact-quota';
import { ContactWriter } from './contacts/contact-writer';
import { ListReferences } from './contacts/list-references';
import { ContactFolderRules } from './folders/contact-folder-rules';
import { FolderAccess } from './folders/folder-access';
import { CreateFolders1764400000000 } from './migrations/1764400000000-create-folders';
import { CreateContacts1764400000001 } from './migrations/1764400000001-create-contacts';
import { FollowFolders1764400000002 } from './migrations/1764400000002-follow-folders';
import { CreateCollations1764400000003 } from './migrations/1764400000003-create-collations';
import { FolderDetails1764400000004 } from './migrations/1764400000004-folder-details';
import { IndexFolders1764400000005 } from './migrations/1764400000005-index-folders';
import { MarkAdministrators1764400200000 } from './migrations/1764400200000-mark-administrators';
import { FindByPrefix1764400300000 } from './migrations/1764400300000-find-by-prefix';
import { StoreCards1764400400000 } from './migrations/1764400400000-store-cards';
import { HideContacts1764400500000 } from './migrations/1764400500000-hide-contacts';
import { StorePictures1764400600000 } from './migrations/1764400600000-store-pictures';
import { ContactPictureRepository } from './pictures/contact-picture.repository';
import { PictureInput } from './pictures/picture-input';
import { PictureLookup } from './pictures/picture-lookup';
import { AddressCollector } from './collected/address-collector';
import { CollectingFolder } from './collected/collecting-folder';
import { ContactUseRepository } from './collected/contact-use.repository';
import { CollectAddresses1764400700000 } from './migrations/1764400700000-collect-addresses';
import { ContactFinder } from './find/contact-finder';
import { AddressFolders } from './search/address-folders';
import { ContactCardRepository } from './persistence/contact-card.repository';
import { ContactRepository } from './persistence/contact.repository';
import { ContactViewRepository } from './persistence/contact-view.repository';
import { FolderContentRepository } from './persistence/folder-content.repository';
import { HiddenContactRepository } from './persistence/hidden-contact.repository';
import { CardExport } from './transfer/card-export';
import { ContactExport } from './transfer/contact-export';
import { ContactImport } from './transfer/contact-import';
import { CsvExport } from './transfer/csv-export';
import { ImportBatch } from './transfer/import-batch';
import { UserContactEditor } from './users/user-contact-editor';
import { UserContactReader } from './users/user-contact-reader';
import { UserContacts } from './users/user-contacts';
import { ContactView } from './views/contact-view';

/** Steps of the schema in order. */
export const migrations = [
  CreateFolders1764400000000,
  CreateContacts1764400000001,
  FollowFolders1764400000002,
  CreateCollations1764400000003,
  FolderDetails1764400000004,
  IndexFolders1764400000005,
  MarkAdministrators1764400200000,
  FindByPrefix1764400300000,
  StoreCards1764400400000,
  HideContacts1764400500000,
  StorePictures1764400600000,
  CollectAddresses1764400700000,
] as const;

/** Providers of handlers and consumers. */
export const providers: Provider[] = [
  ...folderProviders(ContactFolderRules),
  directoryProvider('contacts'),
  fileStoreProvider,
  AddressCollector,
  AddressFolders,
  CollectingFolder,
  ContactUseRepository,
  { provide: AttachmentCounts, useClass: ContactAttachments },
  FolderUserCreations,
  CardExport,
  ContactCardRepository,
  ContactExport,
  ContactImport,
  CsvExport,
  ImportBatch,
  ContactEditor,
  ContactFinder,
  ContactPictureRepository,
  ContactQuota,
  ContactRepository,
  ContactView,
  ContactViewRepository,
  ContactWriter,
  FolderAccess,
  FolderContentRepository,
  HiddenContactRepository,
  ListReferences,
  PictureInput,
  PictureLookup,
  Pictures,
  tombstoneCleaner(
    { counter: 'contact_counter', tombstone: 'contact_tombstone' },
    ContactsConfig,
    Logger.for('contacts.tombstones'),
    [HiddenContactRepository],
  ),
  UserContactEditor,
  UserContactReader,
  UserContacts,
];
