import { TimeZoneQuery } from '../calendar/calendar.contract';
import { Field } from '../kit';
import { MAX_PUSH_TOKEN_LENGTH } from '../push/pns.contract';

/** The client that makes a change. */
export const PUSH_TOKEN = {
  doc: 'Token of the push subscription of the client: it is not told of its own change',
  optional: true,
  maxLength: MAX_PUSH_TOKEN_LENGTH,
} as const;

/** Which parts of events are answered. */
export class EventFieldsQuery extends TimeZoneQuery {
  @Field.columns({ doc: 'Names of the fields of the answer; default: every one that is set', optional: true })
  fields?: string[];
  @Field.boolean({ doc: 'Add names of attendees from the directory', optional: true }) extendedEntities?: boolean;
}

/** A range and an order that may be left out. */
export class EventOrderQuery extends EventFieldsQuery {
  @Field.text({ doc: 'Name of a field; default startDate', optional: true, maxLength: 64 }) sort?: string;
  @Field.text({ doc: 'asc or desc; default asc', optional: true, values: ['asc', 'desc', 'ASC', 'DESC'] })
  order?: string;
}

/** Events of a range. */
export class EventRangeQuery extends EventOrderQuery {
  @Field.text({ doc: 'Begin: `20170708T220000Z` or a day, UTC', maxLength: 64 }) rangeStart!: string;
  @Field.text({ doc: 'End, exclusive', maxLength: 64 }) rangeEnd!: string;
}

/** Unanswered events of a range. */
export class UnansweredEventsQuery extends EventRangeQuery {
  @Field.id({
    doc: 'Folder of the calendar user who has not answered; default: all folders, of the user',
    optional: true,
  })
  folder?: string;
}

/** Events of a range, series as occurrences or as a whole. */
export class AllEventsQuery extends EventRangeQuery {
  @Field.boolean({ doc: 'Answer occurrences instead of series', optional: true }) expand?: boolean;
  @Field.boolean({ doc: 'Read calendars of the web anew first, in folders that show one', optional: true })
  updateCache?: boolean;
}

/** Events of one folder, or of the user. */
export class FolderEventsQuery extends AllEventsQuery {
  @Field.id({ doc: 'Folder, or `cal://0/allPublic`; default: everything the user takes part in', optional: true })
  folder?: string;
}

/** The folders of a question. */
export class EventFoldersBody {
  @Field.listOf('id', { doc: 'Folders', maxItems: 1_000 }) folders!: string[];
}

/** One event or occurrence. */
export class EventQuery extends EventFieldsQuery {
  @Field.id({ doc: 'Folder' }) folder!: string;
  @Field.id({ doc: 'Event' }) id!: string;
  @Field.text({ doc: 'Original start of an occurrence', optional: true, maxLength: 256 }) recurrenceId?: string;
}

/** Finds an event wherever the user sees it. */
export class ResolveEventQuery extends EventFieldsQuery {
  @Field.id({ doc: 'Event', optional: true }) id?: string;
  @Field.text({ doc: 'Its globally unique id, instead of id', optional: true, minLength: 1, maxLength: 1024 })
  uid?: string;
  @Field.int({ doc: 'With id or uid: its revision; without them: the event, as id', optional: true, min: 0 })
  sequence?: number;
}

/** A request for changes. */
export class EventUpdatesQuery extends EventOrderQuery {
  @Field.id({ doc: 'Folder; default: everything the user takes part in', optional: true }) folder?: string;
  @Field.timestamp({ doc: 'Timestamp of the last answer; 0 for everything' }) timestamp!: number;
  @Field.text({ doc: 'Begin of a range', optional: true, maxLength: 64 }) rangeStart?: string;
  @Field.text({ doc: 'End of a range, exclusive', optional: true, maxLength: 64 }) rangeEnd?: string;
  @Field.boolean({ doc: 'Answer occurrences instead of series, with a range', optional: true }) expand?: boolean;
}

/** Recipients of notices of a change. */
export class EventNoticeQuery extends EventFieldsQuery {
  @Field.boolean({ doc: 'false: only people elsewhere are told', optional: true }) sendInternalNotifications?: boolean;
  @Field.text({
    doc: 'Who is told by mail: all, none, internal-only or external-only; wins over sendInternalNotifications',
    optional: true,
    values: ['all', 'none', 'internal-only', 'external-only', 'ALL', 'NONE', 'INTERNAL-ONLY', 'EXTERNAL-ONLY'],
  })
  scheduling?: string;
}

/** How the outcome of a change is answered, and whom it is told. */
export class EventWriteQuery extends EventNoticeQuery {
  @Field.id({ doc: 'Folder' }) folder!: string;
  @Field.boolean({ doc: 'Answer occurrences instead of series, with a range', optional: true }) expand?: boolean;
  @Field.text({ doc: 'Begin of a range', optional: true, maxLength: 64 }) rangeStart?: string;
  @Field.text({ doc: 'End of a range, exclusive', optional: true, maxLength: 64 }) rangeEnd?: string;
  @Field.text(PUSH_TOKEN) pushToken?: string;
}

const checkConflicts = Field.boolean({
  doc: 'Answer conflicts instead of storing; those of resources are always answered',
  optional: true,
});
const usedGroups = Field.text({
  doc: 'Comma list of groups that the client resolved into attendees: a search offers them to the user first',
  optional: true,
  maxLength: 8192,
});

/** How a new event is answered. */
export class EventCreationQuery extends EventWriteQuery {
  @checkConflicts checkConflicts?: boolean;
  @usedGroups usedGroups?: string;
}

/** Which event to change. */
export class EventChangeQuery extends EventWriteQuery {
  @Field.id({ doc: 'Event' }) id!: string;
  @Field.text({ doc: 'Original start of an occurrence', optional: true, maxLength: 256 }) recurrenceId?: string;
  @Field.timestamp({ doc: 'Timestamp of the event as the client knows it' }) timestamp!: number;
}

/** Which event gets an answer of an attendee. */
export class EventAnswerQuery extends EventChangeQuery {
  @checkConflicts checkConflicts?: boolean;
}

const recurrenceRange = Field.text({
  doc: 'THISANDFUTURE: the occurrence and all that follow',
  optional: true,
  values: ['THISANDFUTURE'],
});

/** Which event to update. */
export class EventUpdateQuery extends EventAnswerQuery {
  @recurrenceRange recurrenceRange?: string;
  @usedGroups usedGroups?: string;
}

/** Which event gets another organizer. */
export class EventOrganizerQuery extends EventChangeQuery {
  @recurrenceRange recurrenceRange?: string;
}

/** The target of a move. */
export class EventMoveQuery extends EventAnswerQuery {
  @Field.id({ doc: 'Folder that it goes to' }) targetFolder!: string;
}

/** How deletions are answered. */
export class EventDeletionQuery extends EventNoticeQuery {
  @Field.timestamp({ doc: 'Timestamp of the events as the client knows them' }) timestamp!: number;
  @Field.boolean({ doc: 'Answer occurrences instead of series, with a range', optional: true }) expand?: boolean;
  @Field.text({ doc: 'Begin of a range', optional: true, maxLength: 64 }) rangeStart?: string;
  @Field.text({ doc: 'End of a range, exclusive', optional: true, maxLength: 64 }) rangeEnd?: string;
  @Field.text(PUSH_TOKEN) pushToken?: string;
}
