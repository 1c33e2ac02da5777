import {
  collectedAddresses,
  contactAttachments,
  contactBirthdays,
  contactExport,
  contactFolders,
  contactImage,
  contactImport,
  contactPicture,
  contacts,
  contactsQuota,
  contactUsers,
  findContacts,
  haloPicture,
  userCards,
} from '@groupware/contracts';
import { fileStoreCheck, FILES, FileStoreSettings } from '@groupware/file-store';
import {
  FOLDER_CONSUMERS_BUT_USERS,
  ATTACHMENT_CONSUMERS,
  attachmentsChangedHandler,
  folderHandlers,
  quotaHandler,
} from '@groupware/folders';
import { PictureSettings } from '@groupware/pictures';
import { BasePathSettings, defineService, SecretKeySettings } from '@groupware/service-kit';
import { ContactQuota } from './contacts/contact-quota';
import { ContactsConfig } from './contacts.config';
import { migrations, providers } from './contacts.parts';

/** The contacts service. */
export const service = defineService({
  name: 'contacts',
  contracts: [
    contacts,
    contactFolders,
    contactAttachments,
    contactsQuota,
    contactUsers,
    contactBirthdays,
    collectedAddresses,
    contactImport,
    contactExport,
    contactPicture,
    contactImage,
    haloPicture,
    findContacts,
    userCards,
  ],
  config: [ContactsConfig, BasePathSettings, SecretKeySettings, FileStoreSettings, PictureSettings],
  directory: __dirname,
  consumers: [...FOLDER_CONSUMERS_BUT_USERS, ...ATTACHMENT_CONSUMERS],
  handlers: [
    ...folderHandlers(contactFolders),
    attachmentsChangedHandler(contactAttachments),
    quotaHandler(contactsQuota, ContactQuota),
  ],
  migrations,
  providers,
  checks: (module) => ({ filestore: fileStoreCheck(module.get(FILES, { strict: false })) }),
});
