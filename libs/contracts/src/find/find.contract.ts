import { APPOINTMENT_RIGHTS } from '../calendar/appointment.access';
import { CalendarErrors } from '../calendar/calendar.errors';
import { CONTACT_RIGHTS } from '../contacts/contact.access';
import { RequestErrors } from '../edge/edge.errors';
import {
  action,
  allowCallers,
  defineModule,
  json,
  requireRights,
  selectByValue,
  value,
  type ErrorFactory,
} from '../kit';
import { FILE_RIGHTS } from '../files/file.access';
import { FileStorageErrors } from '../files/file-storage.errors';
import { FileLimitErrors } from '../files/infostore.errors';
import { MailAccountErrors } from '../mail-account/mail-account.errors';
import { OWN_MAILBOXES } from '../mail/mail.access';
import { ImapErrors, MailErrors } from '../mail/mail.errors';
import { TASK_RIGHTS } from '../tasks/task.access';
import { FindErrors } from './find.errors';
import {
  FindAutocompleteBody,
  FindAutocompleteQuery,
  FindEventsQuery,
  FindQuery,
  FindQueryBody,
  type FindFacets,
  type FindPage,
} from './find.models';

const asking: readonly ErrorFactory[] = [
  RequestErrors.badJson,
  RequestErrors.badParameter,
  FindErrors.badFolderType,
  FindErrors.conflict,
  FindErrors.moduleDisabled,
  FindErrors.noFields,
  FindErrors.noFilter,
  FindErrors.noQueries,
  FindErrors.nullField,
  FindErrors.unknownFacet,
  FindErrors.unknownField,
];
const autocompleting = {
  http: 'PUT',
  action: 'autocomplete',
  query: FindAutocompleteQuery,
  body: json(FindAutocompleteBody),
  reply: value<FindFacets>('facets that are left to choose'),
  reads: true,
  auth: 'session',
  withoutCapability: FindErrors.moduleDisabled,
  errors: asking,
} as const;
const querying = {
  http: 'PUT',
  action: 'query',
  query: FindQuery,
  body: json(FindQueryBody),
  reply: value<FindPage>('one page of results, objects as get answers them'),
  reads: true,
  auth: 'session',
  withoutCapability: FindErrors.moduleDisabled,
  errors: [...asking, FindErrors.badFolder, FindErrors.badQuery, FindErrors.tooMany, FindErrors.tooShort],
} as const;

/** Contacts by facets. */
export const findContacts = defineModule(
  'find',
  {
    autocompleteContacts: action({
      ...autocompleting,
      access: requireRights(CONTACT_RIGHTS.read),
      appScopes: ['read_contacts'],
      capability: 'contacts',
      selector: selectByValue('module', 'contacts'),
      doc: 'Lists the facets by which contacts may be searched, for what a user typed',
    }),
    queryContacts: action({
      ...querying,
      access: requireRights(CONTACT_RIGHTS.read),
      appScopes: ['read_contacts'],
      capability: 'contacts',
      selector: selectByValue('module', 'contacts'),
      doc: 'Searches contacts by the facets chosen, by name',
    }),
  },
  { service: 'contacts' },
);

/** Tasks by facets. */
export const findTasks = defineModule(
  'find',
  {
    autocompleteTasks: action({
      ...autocompleting,
      access: requireRights(TASK_RIGHTS.read),
      appScopes: ['read_tasks'],
      capability: 'tasks',
      selector: selectByValue('module', 'tasks'),
      doc: 'Lists the facets by which tasks may be searched, for what a user typed',
    }),
    queryTasks: action({
      ...querying,
      access: requireRights(TASK_RIGHTS.read),
      appScopes: ['read_tasks'],
      capability: 'tasks',
      selector: selectByValue('module', 'tasks'),
      doc: 'Searches tasks by the facets chosen, by title',
    }),
  },
  { service: 'tasks' },
);

/** Events by facets. */
export const findEvents = defineModule(
  'find',
  {
    autocompleteEvents: action({
      ...autocompleting,
      access: requireRights(APPOINTMENT_RIGHTS.read),
      appScopes: ['read_calendar'],
      capability: 'calendar',
      selector: selectByValue('module', 'calendar'),
      doc: 'Lists the facets by which events may be searched, for what a user typed',
    }),
    queryEvents: action({
      ...querying,
      query: FindEventsQuery,
      access: requireRights(APPOINTMENT_RIGHTS.read),
      appScopes: ['read_calendar'],
      capability: 'calendar',
      selector: selectByValue('module', 'calendar'),
      errors: [...querying.errors, CalendarErrors.badTimeZone],
      doc: 'Searches events by the facets chosen: what is to come, then what is over, the nearest first',
    }),
  },
  { service: 'calendar' },
);

/** Errors that a mailbox answers. */
const ofMailbox: readonly ErrorFactory[] = [
  MailErrors.loginFailed,
  MailErrors.unreachable,
  ImapErrors.folderNotFound,
  MailAccountErrors.notFound,
];
const inMailboxes = {
  access: OWN_MAILBOXES,
  appScopes: ['read_mail'],
  capability: 'webmail',
  selector: selectByValue('module', 'mail'),
  deadlineMs: 60_000,
} as const;

/** Mails by facets. */
export const findMails = defineModule(
  'find',
  {
    autocompleteMails: action({
      ...autocompleting,
      ...inMailboxes,
      errors: [...asking, ...ofMailbox],
      doc: 'Lists the facets by which mails may be searched, for what a user typed',
    }),
    queryMails: action({
      ...querying,
      ...inMailboxes,
      errors: [
        ...asking,
        ...ofMailbox,
        FindErrors.badQuery,
        FindErrors.noFacet,
        FindErrors.tooMany,
        FindErrors.tooShort,
        MailErrors.badParameter,
        MailErrors.badSearch,
        MailErrors.holdsNoMessages,
      ],
      doc: 'Searches the mails of a folder by the facets chosen, the newest first',
    }),
  },
  { service: 'mail' },
);

/** Errors of storages elsewhere that are searched. */
const ofStorages: readonly ErrorFactory[] = [
  FileLimitErrors.tooMany,
  FileStorageErrors.loginRefused,
  FileStorageErrors.noSuchFolder,
  FileStorageErrors.notReachable,
];

/** Files by facets. */
export const findFiles = defineModule(
  'find',
  {
    autocompleteFiles: action({
      ...autocompleting,
      access: allowCallers('facets that are the same for all; nothing is read'),
      appScopes: ['read_files'],
      capability: 'infostore',
      selector: selectByValue('module', 'drive', 'files'),
      doc: 'Lists the facets by which files may be searched, for what a user typed',
    }),
    queryFiles: action({
      ...querying,
      access: requireRights(FILE_RIGHTS.read),
      appScopes: ['read_files'],
      capability: 'infostore',
      selector: selectByValue('module', 'drive', 'files'),
      errors: [...querying.errors, FindErrors.badAccount, FindErrors.noFacet, ...ofStorages],
      doc: 'Searches files by the facets chosen, by title',
    }),
  },
  { service: 'files' },
);
