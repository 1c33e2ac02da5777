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
  unreachable: {
    number: 5003,
    category: 'ERROR',
    message: 'The calendar could not be read: no connection is possible.',
  },
  unavailable: { number: 5031, category: 'SERVICE_DOWN', message: 'The server of the calendar is not available.' },
  serverFailed: { number: 5032, category: 'SERVICE_DOWN', message: 'The server of the calendar failed.' },
  refused: { number: 5033, category: 'ERROR', message: 'The server of the calendar answered %1.' },
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
      errors: [
        CalendarErrors.providerMissing,
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
      ],
    }),
  },
  { service: 'calendar' },
);
