import {
  CATEGORY_CALLS,
  config,
  contacts,
  conversion,
  CONVERSION_CALLS,
  DOCUMENT_CALLS,
  FILE_LINK_CALLS,
  findMails,
  HALO_CALLS,
  halo,
  mail,
  mailCategories,
  mailCompose,
  mailComposeAttachment,
  mailComposeAttachments,
  mailComposeCard,
  mailComposeOriginal,
  mailComposePicture,
  mailComposeSave,
  mailComposeSend,
  mailComposeSpace,
  mailFiles,
  mailFolders,
  mailPicture,
  mailScheduling,
  mailSending,
  mailWatch,
  standardMailFolders,
  messagingAccounts,
  messagingMessages,
  messagingServices,
  pushMails,
  rss,
  SAVING_CALLS,
  SHARE_REFERENCE_CALLS,
  snippetPicture,
  snippets,
  trustedMailPicture,
  userCards,
} from '@groupware/contracts';
import { GovernorSettings, ImapPool, ImapPoolSettings, MAIL_REDIS, MailAccessSettings } from '@groupware/mail-access';
import { ContentWorkers } from '@groupware/mail-content';
import { fileStoreCheck, FILES, FileStoreSettings } from '@groupware/file-store';
import { OutboundSettings } from '@groupware/outbound';
import { BasePathSettings, defineService, RedisSettings, SecretKeySettings } from '@groupware/service-kit';
import { CallClaims } from '@groupware/sessions';
import { FileSweep, storedFileHandlers } from '@groupware/stored-files';
import { PictureSettings } from '@groupware/pictures';
import { VirusScanConfig } from '@groupware/virus-scan';
import type { Redis } from 'ioredis';
import { EndedSessions } from './accounts/ended-sessions';
import { MailCollection } from './collection/mail-collection';
import { MailCollectionSettings } from './collection/mail-collection-settings';
import { ComposeSettings } from './compose/compose-settings';
import { ComposeDelivery } from './compose/compose-delivery';
import { ComposeSweep } from './compose/compose-sweep';
import { MailContentSettings } from './content/mail-content-settings';
import { MailboxIndexSettings } from './listing/index/mailbox-index-settings';
import { mailFolderHandlers } from './folders/owner-handlers';
import { migrations, providers } from './mail.parts';
import { SendingSettings } from './sending/sending-settings';
import { SnippetSettings } from './snippets/snippet-settings';
import { MailWatch } from './watch/mail-watch';
import { MailWatchSettings } from './watch/mail-watch-settings';

/** The mail service. */
export const service = defineService({
  name: 'mail',
  contracts: [
    conversion,
    findMails,
    halo,
    mail,
    mailCategories,
    mailCompose,
    mailComposeAttachment,
    mailComposeAttachments,
    mailComposeCard,
    mailComposeOriginal,
    mailComposePicture,
    mailComposeSave,
    mailComposeSend,
    mailComposeSpace,
    mailFiles,
    mailFolders,
    mailPicture,
    mailScheduling,
    mailSending,
    mailWatch,
    standardMailFolders,
    messagingAccounts,
    messagingMessages,
    messagingServices,
    rss,
    snippetPicture,
    snippets,
    trustedMailPicture,
  ],
  config: [
    RedisSettings,
    SecretKeySettings,
    MailAccessSettings,
    GovernorSettings,
    ImapPoolSettings,
    OutboundSettings,
    BasePathSettings,
    MailboxIndexSettings,
    MailContentSettings,
    FileStoreSettings,
    SendingSettings,
    ComposeSettings,
    VirusScanConfig,
    PictureSettings,
    SnippetSettings,
    MailWatchSettings,
    MailCollectionSettings,
  ],
  calls: [
    ...CATEGORY_CALLS,
    ...CONVERSION_CALLS,
    ...HALO_CALLS,
    ...SAVING_CALLS,
    ...DOCUMENT_CALLS,
    ...FILE_LINK_CALLS,
    ...SHARE_REFERENCE_CALLS,
    config.get,
    contacts.autocomplete,
    pushMails.tell,
    userCards.find,
  ],
  directory: __dirname,
  handlers: [...mailFolderHandlers, ...storedFileHandlers(mailFiles)],
  providers,
  claims: (module) => module.get(CallClaims, { strict: false }),
  migrations,
  checks: (module) => ({
    redis: async () => void (await module.get<Redis>(MAIL_REDIS, { strict: false }).ping()),
    filestore: fileStoreCheck(module.get(FILES, { strict: false })),
  }),
  afterStart: async (module) => {
    module.get(EndedSessions, { strict: false }).start();
    module.get(MailWatch, { strict: false }).begin();
    module.get(MailCollection, { strict: false }).begin();
    module.get(ComposeDelivery, { strict: false }).start();
    module.get(ComposeSweep, { strict: false }).start();
    module.get(FileSweep, { strict: false }).start();
  },
  // Others take over while calls still end here.
  beforeDrain: async (module) => {
    await Promise.all(
      [MailWatch, MailCollection].map((part) => module.get<MailWatch | MailCollection>(part, { strict: false }).stop()),
    );
  },
  beforeClose: async (module) => {
    await module.get(ComposeDelivery, { strict: false }).stop();
    await module.get(ComposeSweep, { strict: false }).stop();
    await module.get(FileSweep, { strict: false }).stop();
    module.get(EndedSessions, { strict: false }).stop();
    module.get(ImapPool, { strict: false }).close();
    await module.get(ContentWorkers, { strict: false }).close();
  },
});
