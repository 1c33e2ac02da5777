import { ImapPool, ImapPoolSettings, mailAccessProviders, MailConnector } from '@groupware/mail-access';
import { outboundProviders } from '@groupware/outbound';
import type { Provider } from '@nestjs/common';
import { ContentWorkers } from '@groupware/mail-content';
import { Mailboxes } from './accounts/mailboxes';
import { MailContentReader } from './content/mail-content-reader';
import { MailContentSettings } from './content/mail-content-settings';
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
  {
    provide: ContentWorkers,
    inject: [MailContentSettings],
    useFactory: ({ threads, timeoutMs, maxHeapMb }: MailContentSettings) =>
      new ContentWorkers({ threads, timeoutMs, maxHeapMb }),
  },
  FolderEmptying,
  FolderStates,
  Mailboxes,
  MailArchive,
  MailboxFolderEditor,
  MailboxFolders,
  MailContentReader,
  MailListing,
  MailRows,
  MailWriter,
];
