import { directoryProvider } from '@groupware/directory';
import { fileStoreProvider } from '@groupware/file-store';
import { outboundProviders } from '@groupware/outbound';
import type { Provider } from '@nestjs/common';
import { Composer } from './delivery/mail-composer';
import { MailDelivery } from './delivery/mail-delivery';
import { SmtpConnector } from './delivery/smtp-connector';
import { MailFiles } from './files/mail-files';
import { MailQueue } from './mail-queue';
import { CreateMails1795416300000 } from './migrations/1795416300000-create-mails';
import { CountMails1795460000000 } from './migrations/1795460000000-count-mails';
import { AddMailFiles1796300000000 } from './migrations/1796300000000-add-mail-files';
import { MailRepository } from './persistence/mail.repository';
import { ShareNotices } from './share-notices';

/** Steps of the schema in order. */
export const migrations = [CreateMails1795416300000, CountMails1795460000000, AddMailFiles1796300000000] as const;

/** Providers of handlers and consumers. */
export const providers: readonly Provider[] = [
  directoryProvider('outgoing-mail'),
  ...outboundProviders,
  fileStoreProvider,
  Composer,
  MailDelivery,
  MailFiles,
  MailQueue,
  MailRepository,
  ShareNotices,
  SmtpConnector,
];
