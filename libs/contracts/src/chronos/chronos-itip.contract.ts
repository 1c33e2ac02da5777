import { AppPasswordErrors } from '../app-passwords/app-passwords.errors';
import { APPOINTMENT_RIGHTS } from '../calendar/appointment.access';
import { CalendarErrors } from '../calendar/calendar.errors';
import { RequestErrors } from '../edge/edge.errors';
import { FolderErrors } from '../folders/folder.errors';
import { action, defineModule, errorCatalog, Field, json, many, requireRights } from '../kit';
import { MailAccountErrors } from '../mail-account/mail-account.errors';
import { ImapErrors, MailErrors } from '../mail/mail.errors';
import { ObjectErrors } from '../calendar/calendar.errors';
import { QuotaErrors } from '../quota';
import { TimeZoneQuery } from '../calendar/calendar.contract';
import { DateTimeData, EventConflict, EventData } from './event.model';

/** Errors of scheduling messages. */
export const ItipErrors = errorCatalog('ITIP', {
  badReply: { number: 100, category: 'USER_INPUT', message: 'The answer must name exactly one attendee.' },
  unreadable: { number: 101, category: 'USER_INPUT', message: 'There is no scheduling message that can be read.' },
  notApplicable: {
    number: 102,
    category: 'USER_INPUT',
    message: 'The scheduling message cannot be applied so: %1.',
  },
});

const dataSource = Field.text({
  doc: 'com.example.mail.ical: a part of a mail; com.example.calendar.ical: the text in the body; com.openexchange.mail.ical and com.openexchange.calendar.ical are the same',
  maxLength: 256,
});

/** Source of a scheduling message. */
export class ItipSourceQuery {
  @dataSource dataSource!: string;
}

/** Source of a scheduling message, and the zone of what is answered. */
export class ItipQuery extends TimeZoneQuery {
  @dataSource dataSource!: string;
}

/** Source of a scheduling message, and how it is described. Where it is acted on, nothing is described. */
export class ItipAnalysisQuery extends ItipQuery {
  @Field.text({ doc: 'html or plain: how changes are described; default html', optional: true, maxLength: 16 })
  descriptionFormat?: string;
}

/** A scheduling message: a part of a mail, or the text itself. */
export class ItipBody {
  @Field.text({ doc: 'Folder of the mail', optional: true, maxLength: 4096 })
  'com.example.mail.conversion.fullname'?: string;
  @Field.text({ doc: 'Mail', optional: true, maxLength: 1024 })
  'com.example.mail.conversion.mailid'?: string;
  @Field.text({ doc: 'Part of the mail; default: the first one that is a calendar', optional: true, maxLength: 256 })
  'com.example.mail.conversion.sequenceid'?: string;
  @Field.text({ doc: 'iCalendar text, where no mail is named', optional: true, maxLength: 1_048_576 }) ical?: string;
  @Field.text({ doc: 'Comment to the organizer', optional: true, maxLength: 3_000 }) message?: string;
}

/** A change that an attendee proposes (COUNTER; RFC 5546, section 3.2.7). What is absent stays as the organizer has it. */
export class EventProposal {
  @Field.object(() => DateTimeData, { doc: 'Start', optional: true }) startDate?: DateTimeData;
  @Field.object(() => DateTimeData, { doc: 'Exclusive end', optional: true }) endDate?: DateTimeData;
  @Field.text({ doc: 'Title', optional: true }) summary?: string;
  @Field.text({ doc: 'Place', optional: true }) location?: string;
  @Field.text({ doc: 'Description', optional: true }) description?: string;
}

/** An invitation, and what its attendee proposes. */
export class ItipProposalBody extends ItipBody {
  @Field.object(() => EventProposal, { doc: 'What is proposed' }) event!: EventProposal;
}

/** The person who takes part in place of an attendee (RFC 5546, section 3.2.2.3). */
export class EventDelegate {
  @Field.text({ doc: 'Calendar address, as `mailto:`', optional: true, maxLength: 2048 }) uri?: string;
  @Field.text({ doc: 'Mail address', optional: true, maxLength: 1024 }) email?: string;
  @Field.text({ doc: 'Common name', optional: true, maxLength: 1024 }) cn?: string;
  @Field.int({ doc: 'Id of a user of the context; wins over the addresses', optional: true }) entity?: number;
}

/** An invitation, and to whom its attendee delegates it. */
export class ItipDelegationBody extends ItipBody {
  @Field.object(() => EventDelegate, { doc: 'The delegate' }) attendee!: EventDelegate;
}

/** Something to know about a scheduling message. */
export class ItipAnnotation {
  @Field.text({ doc: 'Text' }) message!: string;
  @Field.object(() => EventData, { doc: 'The event that it is about', optional: true }) event?: EventData;
}

/** A change that a scheduling message would make. */
export class ItipChange {
  @Field.text({ doc: 'Text', optional: true }) introduction?: string;
  @Field.text({ doc: 'create, update, delete or create_delete_exception' }) type!: string;
  @Field.boolean({ doc: 'It is about an occurrence' }) exception!: boolean;
  @Field.object(() => EventData, { doc: 'The event as it would be', optional: true }) newEvent?: EventData;
  @Field.object(() => EventData, { doc: 'The event as it is', optional: true }) currentEvent?: EventData;
  @Field.object(() => EventData, { doc: 'The series of the occurrence', optional: true }) masterEvent?: EventData;
  @Field.object(() => EventData, { doc: 'The event that would be gone', optional: true }) deletedEvent?: EventData;
  @Field.list(() => EventConflict, { doc: 'What is in the way', optional: true }) conflicts?: EventConflict[];
  @Field.listOf('text', { doc: 'Sentences on what is different', optional: true }) diffDescription?: string[];
}

/** Findings about one event of a scheduling message. */
export class ItipAnalysis {
  @Field.text({ doc: 'Unique id', optional: true }) uid?: string;
  @Field.list(() => ItipAnnotation, { doc: 'What to know', optional: true }) annotations?: ItipAnnotation[];
  @Field.list(() => ItipChange, { doc: 'What would change', optional: true }) changes?: ItipChange[];
  @Field.listOf('text', { doc: 'What the user can do', optional: true }) actions?: string[];
}

const errors = [
  RequestErrors.badParameter,
  RequestErrors.missingParameter,
  RequestErrors.noModulePermission,
  AppPasswordErrors.outsideScope,
  ItipErrors.badReply,
  ItipErrors.unreadable,
  CalendarErrors.badTimeZone,
  MailErrors.loginFailed,
  MailErrors.unreachable,
  MailErrors.notFound,
  MailErrors.attachmentNotFound,
  MailErrors.holdsNoMessages,
  ImapErrors.folderNotFound,
  MailAccountErrors.notFound,
];
const common = {
  auth: 'session',
  capability: 'calendar',
  http: 'PUT',
  query: ItipQuery,
  body: json(ItipBody),
  deadlineMs: 60_000,
} as const;
const acting = {
  ...common,
  access: requireRights(APPOINTMENT_RIGHTS.read, APPOINTMENT_RIGHTS.reply),
  appScopes: ['write_calendar'],
  reply: many(EventData),
  errors: [
    ...errors,
    ItipErrors.notApplicable,
    CalendarErrors.noWritePermission,
    CalendarErrors.badRule,
    FolderErrors.notFound,
    FolderErrors.notVisible,
    ObjectErrors.notFound,
    QuotaErrors.exceeded,
  ],
} as const;

/** Scheduling messages of others (RFC 5546), as users decide on them. */
export const chronosItip = defineModule(
  'chronos/itip',
  {
    analyze: action({
      ...common,
      access: requireRights(APPOINTMENT_RIGHTS.read),
      appScopes: ['read_calendar'],
      doc: 'Tells what a scheduling message would change, and what the user can do with it; nothing is stored',
      query: ItipAnalysisQuery,
      reply: many(ItipAnalysis),
      repeatable: true,
      errors,
    }),
    accept: action({ ...acting, query: ItipAnalysisQuery, doc: 'Takes an invitation over and accepts it' }),
    accept_and_ignore_conflicts: action({
      ...acting,
      query: ItipAnalysisQuery,
      doc: 'Takes an invitation over and accepts it, whatever else is at that time',
    }),
    tentative: action({
      ...acting,
      query: ItipAnalysisQuery,
      doc: 'Takes an invitation over and accepts it tentatively',
    }),
    decline: action({ ...acting, query: ItipAnalysisQuery, doc: 'Takes an invitation over and declines it' }),
    counter: action({
      ...acting,
      body: json(ItipProposalBody),
      errors: [
        ...acting.errors,
        CalendarErrors.badData,
        CalendarErrors.endBeforeStart,
        CalendarErrors.mixedTimes,
        CalendarErrors.valueTooLong,
        CalendarErrors.badCharacter,
      ],
      doc: 'Takes an invitation over without an answer, and proposes another time or place to the organizer',
    }),
    delegate: action({
      ...acting,
      body: json(ItipDelegationBody),
      errors: [...acting.errors, CalendarErrors.badCalendarUser],
      doc: 'Takes an invitation over and delegates it: the organizer is told, and the delegate is invited',
    }),
    update: action({
      ...acting,
      query: ItipAnalysisQuery,
      doc: 'Takes a change, or the answer or proposal of an attendee, over',
    }),
    accept_party_crasher: action({ ...acting, doc: 'Takes the answer of somebody over who was not invited' }),
    delete: action({ ...acting, doc: 'Deletes what the organizer called off' }),
    cancel: action({ ...acting, doc: 'The same' }),
    declinecounter: action({ ...acting, doc: 'Tells an attendee that the change which he proposed is not wanted' }),
    refresh: action({ ...acting, doc: 'Sends an attendee who asks for it the latest version of an event' }),
    ignore: action({ ...acting, query: ItipSourceQuery, doc: 'Does nothing' }),
  },
  { service: 'calendar' },
);
