import { RequestErrors } from '../edge/edge.errors';
import { action, allowCallers, defineModule, json, jsonValue, property, value, type PropertyScope } from '../kit';
import { QuotaErrors } from '../quota/quota.errors';
import { MessagingErrors } from './messaging.errors';
import {
  MessagingAccountData,
  MessagingAccountQuery,
  MessagingAccountsQuery,
  MessagingActionQuery,
  MessagingColumnsQuery,
  MessagingMessageData,
  MessagingMessageQuery,
  MessagingMessagesQuery,
  MessagingRecipientsQuery,
  MessagingServiceQuery,
  type MessagingAccount,
  type MessagingMessage,
  type MessagingService,
} from './messaging.model';
import { RssErrors } from './rss.contract';

const everywhere: readonly PropertyScope[] = ['user', 'context', 'server'];

/** Most messaging accounts of a user. */
export const MAX_MESSAGING_ACCOUNTS = property<number>({
  key: 'com.example.messaging.maxAccounts',
  default: 50,
  min: -1,
  max: 1_000,
  scopes: everywhere,
  doc: 'Most messaging accounts of a user; one more gives QUOTA-0003. -1: any number.',
});

/** Most messages that a list may name. */
export const MAX_LISTED_MESSAGES = 500;

const common = {
  access: allowCallers('accounts belong to the user who asks'),
  auth: 'session',
  capability: 'messaging',
} as const;
const ofFeeds = [
  RssErrors.noFeed,
  RssErrors.httpError,
  RssErrors.timeout,
  RssErrors.tooLarge,
  RssErrors.unreachable,
  RssErrors.noSecureConnection,
] as const;
const ofAccounts = [MessagingErrors.unknownService, MessagingErrors.accountNotFound];
const ofFolders = [...ofAccounts, MessagingErrors.folderNotFound];
const ofContent = [
  MessagingErrors.unknownService,
  MessagingErrors.missingParameter,
  MessagingErrors.badParameter,
  RequestErrors.badBodyData,
];

/** Sources of messages beside mail: feeds. Only with the capability `messaging`. */
export const messagingServices = defineModule(
  'messaging/service',
  {
    all: action({
      ...common,
      http: 'GET',
      doc: 'Lists the messaging services',
      reply: value<MessagingService[]>('services'),
    }),
    get: action({
      ...common,
      http: 'GET',
      doc: 'Reads a messaging service',
      query: MessagingServiceQuery,
      reply: value<MessagingService>('the service'),
      errors: [MessagingErrors.unknownService],
    }),
  },
  { service: 'mail' },
);

/** Accounts of users at messaging services. */
export const messagingAccounts = defineModule(
  'messaging/account',
  {
    all: action({
      ...common,
      http: 'GET',
      doc: 'Lists the accounts of the user',
      query: MessagingAccountsQuery,
      reply: value<MessagingAccount[]>('accounts in the order in which they were made'),
      errors: [MessagingErrors.unknownService],
    }),
    get: action({
      ...common,
      http: 'GET',
      doc: 'Reads an account',
      query: MessagingAccountQuery,
      reply: value<MessagingAccount>('the account'),
      errors: ofAccounts,
    }),
    new: action({
      ...common,
      http: 'PUT',
      doc: 'Stores an account',
      body: json(MessagingAccountData),
      reply: value<number>('id of the account'),
      errors: [...ofContent, QuotaErrors.exceeded],
    }),
    update: action({
      ...common,
      http: 'PUT',
      doc: 'Changes the name and the configuration of an account, as far as the body has them',
      body: json(MessagingAccountData),
      reply: value<number>('1'),
      errors: [...ofContent, MessagingErrors.accountNotFound],
    }),
    delete: action({
      ...common,
      http: 'GET',
      doc: 'Deletes an account',
      query: MessagingAccountQuery,
      reply: value<number>('1'),
      errors: ofAccounts,
    }),
  },
  { service: 'mail' },
);

/** Messages of messaging services. */
export const messagingMessages = defineModule(
  'messaging/message',
  {
    all: action({
      ...common,
      http: 'GET',
      doc: 'Lists the messages of a folder: of a feed, those that it has now',
      query: MessagingMessagesQuery,
      reply: value<unknown[][]>('rows of the columns'),
      deadlineMs: 60_000,
      errors: [...ofFolders, MessagingErrors.badParameter, MessagingErrors.badSorting, ...ofFeeds],
    }),
    list: action({
      ...common,
      http: 'PUT',
      doc: 'Lists messages; those that are gone are left out',
      query: MessagingColumnsQuery,
      body: jsonValue<unknown>(),
      reply: value<unknown[][]>('rows of the columns, in the order of the body: [[folder, id], …]'),
      reads: true,
      deadlineMs: 60_000,
      errors: [...ofFolders, MessagingErrors.badParameter, RequestErrors.badBodyData, ...ofFeeds],
    }),
    get: action({
      ...common,
      http: 'GET',
      doc: 'Reads a message',
      query: MessagingMessageQuery,
      reply: value<MessagingMessage>('the message'),
      deadlineMs: 60_000,
      errors: [...ofFolders, MessagingErrors.messageNotFound, ...ofFeeds],
    }),
    perform: action({
      ...common,
      http: 'PUT',
      doc: 'Performs an action of a service: feeds have none',
      query: MessagingActionQuery,
      body: json(MessagingMessageData, { required: false }),
      reply: value<number>('1'),
      reads: true,
      errors: [...ofFolders, MessagingErrors.unknownAction],
    }),
    send: action({
      ...common,
      http: 'PUT',
      doc: 'Sends a message: feeds send none; mails are sent by the module mail',
      query: MessagingRecipientsQuery,
      body: json(MessagingMessageData),
      reply: value<number>('1'),
      reads: true,
      errors: [...ofFolders, MessagingErrors.missingParameter, MessagingErrors.notSupported],
    }),
  },
  { service: 'mail' },
);
