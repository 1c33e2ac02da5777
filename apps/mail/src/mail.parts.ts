import { ImapPool, ImapPoolSettings, mailAccessProviders, MailConnector } from '@groupware/mail-access';
import { outboundProviders } from '@groupware/outbound';
import type { Provider } from '@nestjs/common';
import { Mailboxes } from './accounts/mailboxes';
import { FolderEmptying } from './folders/folder-emptying';
import { FolderStates } from './folders/folder-states';
import { MailboxFolderEditor } from './folders/mailbox-folder-editor';
import { MailboxFolders } from './folders/mailbox-folders';
import { MailListing } from './listing/mail-listing';
import { MailArchive } from './messages/mail-archive';
import { MailRows } from './messages/mail-rows';
import { MailWriter } from './messages/mail-writer';

/** Providers of handlers. */
export const providers: readonly Provider[] = [
  ...outboundProviders,
  ...mailAccessProviders,
  {
    provide: ImapPool,
    inject: [MailConnector, ImapPoolSettings],
    useFactory: (connector: MailConnector, settings: ImapPoolSettings) => new ImapPool(connector, settings),
  },
  FolderEmptying,
  FolderStates,
  Mailboxes,
  MailArchive,
  MailboxFolderEditor,
  MailboxFolders,
  MailListing,
  MailRows,
  MailWriter,
];
