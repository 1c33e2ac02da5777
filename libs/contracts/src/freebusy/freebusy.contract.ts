import { CalendarErrors } from '../calendar/calendar.errors';
import { ContextErrors } from '../identity/identity.errors';
import {
  action,
  allowCallers,
  defineModule,
  Field,
  json,
  jsonListOf,
  many,
  type Model,
  plain,
  requireRights,
  rest,
  text,
  value,
} from '../kit';
import { ChronosFreeBusyResult, FreeBusyAttendee, FreeBusyData, FreeBusyResult } from './freebusy.model';
import { FreeBusyRequestErrors } from './freebusy.errors';
import { FREE_BUSY_RIGHTS } from './freebusy.access';

/** A range of the older module. */
export class FreeBusyListQuery {
  @Field.timestamp({ doc: 'Begin, ms UTC' }) from!: number;
  @Field.timestamp({ doc: 'End, ms UTC, exclusive' }) until!: number;
  @Field.boolean({ doc: 'Cut overlaps and keep the most conflicting time', optional: true }) merged?: boolean;
}
/** A range and who is meant. */
export class FreeBusyGetQuery extends FreeBusyListQuery {
  @Field.text({ doc: 'User id or mail address', maxLength: 320 }) participant!: string;
}

const refusals = [
  FreeBusyRequestErrors.badAttendee,
  FreeBusyRequestErrors.badRange,
  FreeBusyRequestErrors.rangeTooLong,
  FreeBusyRequestErrors.tooManyAttendees,
];

/** Free/busy of the older client module. */
export const freebusy = defineModule('freebusy', {
  get: action({
    access: requireRights(FREE_BUSY_RIGHTS.see),
    appScopes: ['read_calendar'],
    auth: 'session',
    capability: 'calendar',
    http: 'GET',
    doc: 'When somebody is busy. A person who hides his times gives a warning instead',
    query: FreeBusyGetQuery,
    reply: many(FreeBusyData),
    errors: refusals.slice(0, 3),
  }),
  list: action({
    access: requireRights(FREE_BUSY_RIGHTS.see),
    appScopes: ['read_calendar'],
    auth: 'session',
    capability: 'calendar',
    http: 'PUT',
    doc: 'When several are busy',
    query: FreeBusyListQuery,
    body: jsonListOf<string>('id'),
    reply: value<Record<string, { data: FreeBusyData[]; warnings?: object[] }>>(
      'a result per participant, by the text asked for',
    ),
    reads: true,
    errors: [FreeBusyRequestErrors.noAttendees, ...refusals],
  }),
});

/** A range as clients of events write it. */
export class ChronosFreeBusyQuery {
  @Field.text({ doc: 'Begin: `20170708T220000Z` or `20170708`', maxLength: 64 }) from!: string;
  @Field.text({ doc: 'End, exclusive', maxLength: 64 }) until!: string;
  @Field.id({ doc: 'Event that is left out', optional: true }) maskId?: string;
  @Field.boolean({ doc: 'Cut overlaps and keep the most conflicting time', optional: true }) merge?: boolean;
}
/** Attendees whose time is wanted. */
export class ChronosFreeBusyBody {
  @Field.list(() => FreeBusyAttendee, { doc: 'Attendees, by entity, uri or email' }) attendees!: FreeBusyAttendee[];
}

/** Free/busy of the event module. */
export const chronosFreeBusy = defineModule(
  'chronos',
  {
    freeBusy: action({
      access: requireRights(FREE_BUSY_RIGHTS.see),
      appScopes: ['read_calendar'],
      auth: 'session',
      capability: 'calendar',
      http: 'PUT',
      doc: 'When attendees are busy, in the order asked for',
      query: ChronosFreeBusyQuery,
      body: json(ChronosFreeBusyBody),
      reply: many(ChronosFreeBusyResult),
      reads: true,
      errors: [...refusals, FreeBusyRequestErrors.badBoundary, CalendarErrors.tooMany],
    }),
  },
  { service: 'freebusy' },
);

/** Place `{context}`. */
export class FreeBusyContextPath {
  @Field.contextId() context!: number;
}
/** Places `{context}` and `{user}`. */
export class FreeBusyUserPath extends FreeBusyContextPath {
  @Field.int({ doc: 'User id', min: 1 }) user!: number;
}
/** A range of the administrative API. */
export class FreeBusyRangeQuery {
  @Field.text({ doc: 'Begin: ms UTC, ISO 8601 or iCalendar notation; default now', optional: true, maxLength: 64 })
  from?: string;
  @Field.text({ doc: 'End, exclusive; default four weeks after the begin', optional: true, maxLength: 64 })
  until?: string;
  @Field.boolean({ doc: 'Cut overlaps and keep the most conflicting time; default true', optional: true })
  merge?: boolean;
}
/** A range and who is meant. */
export class FreeBusyAttendeesQuery extends FreeBusyRangeQuery {
  @Field.listOf('text', { doc: 'User ids and mail addresses, separated by commas, repeated, or both', maxItems: 1e6 })
  attendees!: string[];
}
/** User or resource whose times are published, and how. */
export class InternetFreeBusyQuery {
  @Field.int({ doc: 'Context id' }) contextId!: number;
  @Field.text({ doc: 'Local part of the mail address', maxLength: 320 }) userName!: string;
  @Field.text({ doc: 'Domain of the mail address', maxLength: 320 }) server!: string;
  @Field.int({ doc: 'Weeks before now; default 1', optional: true, min: 0 }) weeksIntoPast?: number;
  @Field.int({ doc: 'Weeks after now; default 4', optional: true, min: 0 }) weeksIntoFuture?: number;
  @Field.boolean({ doc: 'No types and no free periods', optional: true }) simple?: boolean;
}

const administrativeErrors = [
  ContextErrors.notFound,
  FreeBusyRequestErrors.badBoundary,
  FreeBusyRequestErrors.badRange,
  FreeBusyRequestErrors.rangeTooLong,
];

/** Free/busy for cooperating services, and what is published to the internet. */
export const freeBusyRest = defineModule(
  'freebusy-rest',
  {
    attendees: rest({
      callers: ['service'],
      http: 'GET',
      path: '/preliminary/chronos/v1/freebusy/{context}',
      params: FreeBusyContextPath,
      doc: 'When attendees of a context are busy, in the order asked for; never what makes them so',
      query: FreeBusyAttendeesQuery as Model<FreeBusyAttendeesQuery & FreeBusyContextPath>,
      reply: plain<FreeBusyResult[]>(FreeBusyResult, { list: true }),
      errors: [
        ...administrativeErrors,
        FreeBusyRequestErrors.noAttendees,
        FreeBusyRequestErrors.badAttendee,
        FreeBusyRequestErrors.tooManyAttendees,
      ],
    }),
    user: rest({
      callers: ['service'],
      http: 'GET',
      path: '/preliminary/chronos/v1/freebusy/{context}/{user}',
      params: FreeBusyUserPath,
      doc: 'When a user is busy; never what makes him so',
      query: FreeBusyRangeQuery as Model<FreeBusyRangeQuery & FreeBusyUserPath>,
      reply: plain<FreeBusyResult>(FreeBusyResult),
      errors: [...administrativeErrors, FreeBusyRequestErrors.userNotFound],
    }),
    published: rest({
      access: allowCallers('only what users have published'),
      callers: ['anybody'],
      listener: 'public',
      edge: true,
      http: 'GET',
      path: '/servlet/webdav.freebusy',
      doc: 'The published times of a user or resource as VFREEBUSY. Everything that is not published answers 404 alike',
      query: InternetFreeBusyQuery,
      reply: text('text/calendar; charset=UTF-8'),
      errors: [FreeBusyRequestErrors.notPublished],
    }),
  },
  { service: 'freebusy' },
);
