import { CalendarErrors } from '../calendar/calendar.errors';
import { action, allowCallers, defineModule, errorCatalog, Field, json, one, property } from '../kit';

/** Errors of calendars of the web (API page "Errors", prefix ICAL-PROV). They name no address: it may hold a secret. */
export const FeedErrors = errorCatalog('ICAL-PROV', {
  tooLarge: { number: 4001, category: 'CONFIGURATION', message: 'The calendar is larger than %1 bytes.' },
  loginRequired: { number: 4010, category: 'USER_INPUT', message: 'The calendar needs a login and a password.' },
  loginWrong: { number: 4011, category: 'USER_INPUT', message: 'The login or the password of the calendar is wrong.' },
  addressMissing: { number: 4040, category: 'USER_INPUT', message: 'The address of the calendar is missing.' },
  badAddress: { number: 4041, category: 'USER_INPUT', message: 'The address of the calendar is not valid.' },
  addressRefused: { number: 4042, category: 'USER_INPUT', message: 'The address of the calendar is not allowed.' },
  noCalendar: { number: 4043, category: 'USER_INPUT', message: 'There is no calendar at the address.' },
  fixedField: { number: 4044, category: 'USER_INPUT', message: 'The field %1 of a calendar cannot be changed.' },
  badField: { number: 4045, category: 'USER_INPUT', message: 'The field %1 of the calendar has a bad value.' },
  brokenFeed: { number: 5001, category: 'ERROR', message: 'The calendar broke off or could not be stored.' },
  unreachable: {
    number: 5003,
    category: 'ERROR',
    message: 'The calendar could not be read: no connection is possible.',
  },
  unavailable: { number: 5031, category: 'SERVICE_DOWN', message: 'The server of the calendar is not available.' },
  serverFailed: { number: 5032, category: 'SERVICE_DOWN', message: 'The server of the calendar failed.' },
  refused: { number: 5033, category: 'ERROR', message: 'The server of the calendar answered %1.' },
});

/** Errors of reading a calendar of the web. */
export const ofFeed = [
  FeedErrors.tooLarge,
  FeedErrors.loginRequired,
  FeedErrors.loginWrong,
  FeedErrors.addressMissing,
  FeedErrors.badAddress,
  FeedErrors.addressRefused,
  FeedErrors.noCalendar,
  FeedErrors.unreachable,
  FeedErrors.unavailable,
  FeedErrors.serverFailed,
  FeedErrors.refused,
];

/** Whether users subscribe to calendars of the web. */
export const CALENDAR_FEEDS_ENABLED = property<boolean>({
  key: 'com.example.calendar.ical.enabled',
  default: true,
  doc: 'Whether users may subscribe to calendars of the web; new ones give CAL-5030 otherwise, those that there are stay',
  scopes: ['user', 'context', 'server'],
});

/** Whether users have a calendar of birthdays. */
export const BIRTHDAYS_ENABLED = property<boolean>({
  key: 'com.example.calendar.birthdays.enabled',
  default: true,
  doc: 'Whether users who have contacts have a calendar of the birthdays of those that they may read; it goes, with alarms and colour, where it is switched off',
  scopes: ['user', 'context', 'server'],
});

/** Most calendars of the web of one user. */
export const MAX_CALENDAR_FEEDS = property<number>({
  key: 'com.example.calendar.ical.maxAccounts',
  default: 20,
  min: 0,
  doc: 'Most calendars of the web of one user; another one gives CAL-5075. 0: no limit',
  scopes: ['user', 'context', 'server'],
});

/** How often calendars of the web are read that say nothing themselves. */
export const CALENDAR_FEED_MINUTES = property<number>({
  key: 'com.example.calendar.ical.refreshInterval',
  default: 10_080,
  min: 1,
  max: 5_256_000,
  doc: 'Minutes after which a calendar of the web is read anew, where neither its user nor the calendar says it',
  scopes: ['user', 'context', 'server'],
});

/** When calendars of the web are tried again. */
export const CALENDAR_FEED_RETRY_SECONDS = property<number>({
  key: 'com.example.calendar.ical.retryAfterErrorInterval',
  default: 3_600,
  min: 1,
  max: 31_536_000,
  doc: 'Seconds after which a calendar of the web that could not be read is tried again; twice as long after each further failure, at most as long as it would be taken for new',
  scopes: ['user', 'context', 'server'],
});

/** Largest calendar of the web. */
export const MAX_CALENDAR_FEED_BYTES = property<number>({
  key: 'com.example.calendar.ical.maxFileSize',
  default: 5_242_880,
  min: 1024,
  max: 52_428_800,
  doc: 'Largest calendar of the web, bytes; larger ones give ICAL-PROV-4001',
  scopes: ['context', 'server'],
});

/** Address of a calendar of the web, and how it is read. */
export class CalendarFeedConfig {
  @Field.text({ doc: 'Address: http, https or webcal', optional: true, maxLength: 4096 }) uri?: string;
  @Field.int({ doc: 'Minutes after which it is read anew', optional: true, min: 1, max: 5_256_000 })
  refreshInterval?: number;
  @Field.text({ doc: 'Login, where the server asks for one', optional: true, maxLength: 255 }) login?: string;
  @Field.text({ doc: 'Password; never answered', optional: true, maxLength: 1024 }) password?: string;
}

/** An account of calendars as it could be made. */
export class CalendarAccountProbe {
  @Field.text({ doc: 'ical, which is the default', optional: true, maxLength: 64 })
  'com.openexchange.calendar.provider'?: string;
  @Field.object(() => CalendarFeedConfig, { doc: 'Where the calendar is', optional: true })
  'com.openexchange.calendar.config'?: CalendarFeedConfig;
  @Field.any({ doc: 'Colour, description and the like: `{color: {value}}`', optional: true })
  'com.openexchange.calendar.extendedProperties'?: unknown;
  @Field.text({ doc: 'Title; default: what the calendar says, or the last part of its address', optional: true })
  title?: string;
}

/** Accounts of calendars that are elsewhere. */
export const chronosAccounts = defineModule(
  'chronos/account',
  {
    probe: action({
      access: allowCallers('calendars of the web, which the server reads for nobody in particular'),
      appScopes: ['read_calendar'],
      auth: 'session',
      capability: 'calendar',
      http: 'PUT',
      doc: 'Tries a calendar of the web: answers the body with what the calendar says of itself where the body says nothing. Stores nothing',
      body: json(CalendarAccountProbe),
      reply: one(CalendarAccountProbe),
      reads: true,
      deadlineMs: 60_000,
      errors: [CalendarErrors.providerMissing, ...ofFeed],
    }),
  },
  { service: 'calendar' },
);
