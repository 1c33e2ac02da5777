import { contactAttachments, contactFolders, contacts, contactsQuota, contactUsers } from '@groupware/contracts';
import { attachmentsChangedHandler, folderHandlers } from '@groupware/folders';
import { BasePathSettings, defineService } from '@groupware/service-kit';
import { ContactsConfig } from './contacts.config';
import { migrations, providers } from './contacts.parts';

/** The contacts service. */
export const service = defineService({
  name: 'contacts',
  contracts: [contacts, contactFolders, contactAttachments, contactsQuota, contactUsers],
  config: [ContactsConfig, BasePathSettings],
  directory: __dirname,
  handlers: [...folderHandlers(contactFolders), attachmentsChangedHandler(contactAttachments)],
  migrations,
  providers,
});
