import {
  ImapPool,
  ImapPoolSettings,
  mailAccessProviders,
  mailClaimsProvider,
  MailConnector,
} from '@groupware/mail-access';
import { outboundProviders } from '@groupware/outbound';
import { Pictures } from '@groupware/pictures';
import type { Provider } from '@nestjs/common';
import { ContentWorkers } from '@groupware/mail-content';
import { storedFileProviders } from '@groupware/stored-files';
import { EndedSessions } from './accounts/ended-sessions';
import { MailboxTokens } from './accounts/mailbox-tokens';
import { Mailboxes } from './accounts/mailboxes';
import { MailLogins } from './accounts/mail-logins';
import { MailPreferences } from './accounts/mail-preferences';
import { CategoryRules } from './categories/category-rules';
import { MailCategories } from './categories/mail-categories';
import { CollectedMailRepository } from './collection/collected-mail.repository';
import { MailCollection } from './collection/mail-collection';
import { MailCollector } from './collection/mail-collector';
import { ComposeCards } from './compose/compose-cards';
import { ComposeDelivery } from './compose/compose-delivery';
import { ComposeFiles } from './compose/compose-files';
import { ComposeOpening } from './compose/compose-opening';
import { ComposeOriginals } from './compose/compose-originals';
import { ComposeSpaces } from './compose/compose-spaces';
import { ComposePasswords } from './compose/compose-passwords';
import { ComposeSweep } from './compose/compose-sweep';
import { ComposeRepository } from './compose/compose.repository';
import { ReferencedFiles } from './compose/referenced-files';
import { CardDrafts } from './conversion/card-drafts';
import { ConvertedContacts } from './conversion/converted-contacts';
import { ConvertedParts } from './conversion/converted-parts';
import { DataSourceFiles } from './conversion/data-source-files';
import { DataHandlers } from './conversion/data-handlers';
import { LinkedMails } from './compose/linked-mails';
import { LastChanges } from './compose/last-changes';
import { SharedFiles } from './compose/shared-files';
import { MailContentReader } from './content/mail-content-reader';
import { MaliciousFolders } from './content/malicious-folders';
import { MailContentSettings } from './content/mail-content-settings';
import { OpenedMails } from './downloads/opened-mails';
import { PartFiles } from './downloads/part-files';
import { VirusCheck } from './downloads/virus-check';
import { NewsFeeds } from './feeds/news-feeds';
import { MailFinder } from './find/mail-finder';
import { FolderEmptying } from './folders/folder-emptying';
import { FolderStates } from './folders/folder-states';
import { FolderRules } from './folders/folder-rules';
import { MailboxFolderEditor } from './folders/mailbox-folder-editor';
import { MailboxFolders } from './folders/mailbox-folders';
import { FolderNotices } from './folders/folder-notices';
import { MailboxPermissions } from './folders/mailbox-permissions';
import { MailboxRights } from './folders/mailbox-rights';
import { HaloFacts } from './halo/halo-facts';
import { PersonMails } from './halo/person-mails';
import { MailboxIndex } from './listing/index/mailbox-index';
import { ConversationListing } from './listing/conversation-listing';
import { MailListing } from './listing/mail-listing';
import { MailArchive } from './messages/mail-archive';
import { MailPreviews } from './messages/mail-previews';
import { MailRows } from './messages/mail-rows';
import { MailWriter } from './messages/mail-writer';
import { CreateComposeSpaces1764700000000 } from './migrations/1764700000000-create-compose-spaces';
import { StoreFiles1764800000000 } from './migrations/1764800000000-store-files';
import { CreateSnippets1764800000001 } from './migrations/1764800000001-create-snippets';
import { CreateMessagingAccounts1765000000000 } from './migrations/1765000000000-create-messaging-accounts';
import { CreateCollectedMails1765100000000 } from './migrations/1765100000000-create-collected-mails';
import { CreateEndingFolders1765600000000 } from './migrations/1765600000000-create-ending-folders';
import { FeedMessages } from './messaging/feed-messages';
import { MessagingAccountBook } from './messaging/messaging-account-book';
import { MessagingAccountRepository } from './messaging/messaging-account.repository';
import { ForwardPreparation } from './handlers/forward.handler';
import { ReplyPreparation } from './handlers/reply.handler';
import { ThreadReferences } from './handlers/thread_references.handler';
import { AttachedCards } from './sending/attached-cards';
import { AttachedDocuments } from './sending/attached-documents';
import { DraftSaving } from './sending/draft-saving';
import { FolderOwners } from './sending/folder-owners';
import { ImportedMails } from './sending/imported-mails';
import { MailSending } from './sending/mail-sending';
import { MailTransport } from './sending/mail-transport';
import { OriginalMails } from './sending/original-mails';
import { OutgoingFiles } from './sending/outgoing-files';
import { OutgoingTexts } from './sending/outgoing-text';
import { SendRate } from './sending/send-rate';
import { Senders } from './sending/senders';
import { ReadMailNotice } from './messages/read-mail-notice';
import { SentMailNotice } from './sending/sent-mail-notice';
import { StoredDocuments } from './sending/stored-documents';
import { StoredMails } from './sending/stored-mails';
import { WrittenDrafts } from './sending/written-drafts';
import { SnippetClaims } from './snippets/snippet-claims';
import { SnippetFileUses } from './snippets/snippet-file-uses';
import { SnippetFiles } from './snippets/snippet-files';
import { SnippetSettings } from './snippets/snippet-settings';
import { SnippetTexts } from './snippets/snippet-texts';
import { SnippetRepository } from './snippets/snippet.repository';
import { Snippets } from './snippets/snippets';
import { MailWatch } from './watch/mail-watch';
import { WatchLeases } from './watch/watch-leases';

/** Steps of the schema in order. */
export const migrations = [
  CreateComposeSpaces1764700000000,
  StoreFiles1764800000000,
  CreateSnippets1764800000001,
  CreateMessagingAccounts1765000000000,
  CreateCollectedMails1765100000000,
  CreateEndingFolders1765600000000,
] as const;

/** Providers of handlers. */
export const providers: readonly Provider[] = [
  ...outboundProviders,
  ...mailAccessProviders,
  mailClaimsProvider,
  ...storedFileProviders(SnippetFileUses, SnippetSettings),
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
  CategoryRules,
  FolderEmptying,
  FolderStates,
  EndedSessions,
  MailboxTokens,
  Mailboxes,
  MailPreferences,
  MailArchive,
  MailCategories,
  ConversationListing,
  FolderRules,
  MailboxFolderEditor,
  MailboxIndex,
  MailboxFolders,
  FolderNotices,
  MailboxPermissions,
  MailboxRights,
  MailContentReader,
  MaliciousFolders,
  MailFinder,
  MailListing,
  MailPreviews,
  MailRows,
  MailWriter,
  NewsFeeds,
  FeedMessages,
  MessagingAccountBook,
  MessagingAccountRepository,
  OpenedMails,
  PartFiles,
  Pictures,
  VirusCheck,
  AttachedCards,
  AttachedDocuments,
  DraftSaving,
  FolderOwners,
  MailLogins,
  ForwardPreparation,
  ImportedMails,
  MailSending,
  MailTransport,
  OriginalMails,
  OutgoingFiles,
  OutgoingTexts,
  ReplyPreparation,
  SendRate,
  Senders,
  SentMailNotice,
  ReadMailNotice,
  StoredMails,
  ThreadReferences,
  WrittenDrafts,
  ComposeCards,
  ComposeDelivery,
  ComposeFiles,
  ComposeOpening,
  ComposeOriginals,
  ComposeRepository,
  ComposeSpaces,
  ComposeSweep,
  ComposePasswords,
  LinkedMails,
  ReferencedFiles,
  ConvertedParts,
  ConvertedContacts,
  DataSourceFiles,
  CardDrafts,
  DataHandlers,
  HaloFacts,
  PersonMails,
  SnippetClaims,
  SnippetFiles,
  SnippetRepository,
  Snippets,
  SnippetTexts,
  LastChanges,
  CollectedMailRepository,
  MailCollection,
  MailCollector,
  MailWatch,
  WatchLeases,
  SharedFiles,
  StoredDocuments,
];
