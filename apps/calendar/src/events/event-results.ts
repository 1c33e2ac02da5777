import { Injectable } from '@nestjs/common';
import {
  type CalendarResult,
  type EventConflict,
  type EventField,
  type EventFieldsQuery,
  groupBy,
  reply,
  type Reply,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { ExpansionBudget } from '@groupware/recurrence';
import { isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import type { WrittenAppointments } from '../appointments/appointment-writer';
import { FileCopies } from '../appointments/file-copies';
import { CalendarConfig } from '../calendar.config';
import type { SeenConflict } from '../conflicts/conflict-check';
import { type Appointment, isException, isSeries } from '../domain/appointment';
import type { ChangeTarget } from '../domain/change-target';
import type { Range } from '../domain/range';
import { type AccessedFolder, isSeenIn } from '../folders/folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { expandEvents, type ShownEvent } from './event-expansion';
import { toSeenEvent } from './event-finder';
import { toAttendee } from './event-people';
import { type EventRangeText, parseEventRange } from './event-range';
import { EventReader, type EventRequest } from './event-reader';
import { toEvent, toView } from './event-wire';

/** The folder in which a change is seen. */
export type ViewedFolder = Pick<AccessedFolder, 'id' | 'createdBy' | 'calendarUser'>;

/** Rows written for one change. Values only: replies of calls that are sent again are made of them. */
export interface EventChanges {
  readonly folder: ViewedFolder;
  readonly stamp: number;
  readonly created: readonly Appointment[];
  readonly changed: readonly { readonly before: Appointment; readonly after: Appointment }[];
  readonly removed: readonly Appointment[];
  /** Its attendees are told when its files are stored. */
  readonly awaitsFiles?: boolean;
}

/** The outcome of a write. */
export const toEventChanges = (
  folder: ViewedFolder,
  { stamp, created, changed, touched }: WrittenAppointments,
  removed: readonly Appointment[] = [],
): EventChanges => ({ folder, stamp, created, changed: [...changed, ...touched], removed });

/** The outcome of a change that changes nothing: the event, or the series of the occurrence, with the stamp that it has. */
export const toUnchanged = (folder: ViewedFolder, { before, master = before }: ChangeTarget): EventChanges => ({
  folder,
  stamp: master.lastModified,
  created: [],
  changed: [{ before: master, after: master }],
  removed: [],
});

/** How a change is to be answered. */
export interface ResultRequest extends EventRequest {
  /** Set where series are answered as occurrences. */
  readonly range: Range | undefined;
}

const GONE_FIELDS: readonly EventField[] = ['id', 'folder', 'seriesId', 'recurrenceId', 'timestamp'];
const FOREIGN_FIELDS: readonly EventField[] = ['id', 'startDate', 'endDate', 'transp'];

/** Makes the answers of changes. */
@Injectable()
export class EventResults {
  constructor(
    private readonly reader: EventReader,
    private readonly config: CalendarConfig,
    private readonly copies: FileCopies,
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
  ) {}

  /** SVL-0010 for an unknown field or a bad range, CAL-4001 for an unknown zone. */
  async prepare(
    user: UserPrincipal,
    query: EventFieldsQuery & EventRangeText & { readonly expand?: boolean },
  ): Promise<ResultRequest> {
    const request = await this.reader.prepare(user, query);
    const range = parseEventRange(query, request.zone);
    return { ...request, range: query.expand ? range : undefined };
  }

  /** Refuses a change whose answer would be too large (CAL-5072), while it can be undone. */
  async requireAnswerable(request: ResultRequest, changes: EventChanges): Promise<void> {
    if (request.range) await this.classify(request, changes);
  }

  /** The answer to a change. */
  async toReply(
    request: ResultRequest,
    outcome: { readonly changes: EventChanges } | { readonly conflicts: readonly SeenConflict[] },
  ): Promise<Reply<CalendarResult>> {
    if ('conflicts' in outcome) return reply(await this.toConflicts(request, outcome.conflicts), {});
    const changes = await this.copies.refreshCreated(request.user, outcome.changes);
    return reply(await this.toResult(request, changes), { timestamp: changes.stamp });
  }

  /** The events that a change created, changed and deleted, as they are seen in its folder. */
  async toResult(request: ResultRequest, changes: EventChanges): Promise<CalendarResult> {
    const { created, updated, deleted } = await this.classify(
      request,
      changes,
      await this.loadExceptions(request, changes),
    );
    const [made, kept] = [await this.reader.toEvents(request, created), await this.reader.toEvents(request, updated)];
    const known = { people: new Map() };
    return {
      created: made,
      updated: kept,
      deleted: deleted.map(({ event, occurrence }) => ({
        ...toEvent(event, toView(event, request.user.userId, occurrence), GONE_FIELDS, known),
        timestamp: changes.stamp,
      })),
    };
  }

  /** Conflicts as clients see them. */
  async toConflicts(request: ResultRequest, conflicts: readonly SeenConflict[]): Promise<CalendarResult> {
    const { user } = request;
    const { people } = await this.reader.loadSurroundings(
      { ...request, fields: ['attendees'], extended: false },
      conflicts.map(({ other }) => other),
    );
    return {
      conflicts: conflicts.map(({ other, occurrence, hard, attendees, readable, folderId }): EventConflict => {
        const view = { folderId, calendarUser: user.userId, userId: user.userId, occurrence };
        const fields = readable ? request.fields : FOREIGN_FIELDS;
        return {
          hard_conflict: hard,
          conflicting_attendees: attendees.map((attendee) => toAttendee(attendee, people)),
          event: toEvent(other, view, fields, { people }),
        };
      }),
    };
  }

  /** Loads all exceptions of series that an attendee is answered: those that he does not see are deleted for him. */
  private async loadExceptions(
    { user }: ResultRequest,
    { folder, created, changed }: EventChanges,
  ): Promise<Appointment[]> {
    const series = [...created, ...changed.map(({ after }) => after)].filter(
      (each) => each.folderId !== folder.id && isSeries(each) && each.changes !== null,
    );
    if (series.length === 0) return [];
    const ids = series.map(({ id }) => id);
    return this.database.read(user, (db) => this.appointments.listExceptionsOfMany(db, ids));
  }

  private async classify(
    request: ResultRequest,
    { folder, created, changed, removed }: EventChanges,
    exceptions: readonly Appointment[] = [],
  ): Promise<{ created: ShownEvent[]; updated: ShownEvent[]; deleted: ShownEvent[] }> {
    const before = [...changed.map((pair) => pair.before), ...removed];
    const after = [...created, ...changed.map((pair) => pair.after)];
    const budget = new ExpansionBudget(this.config.maxExpansionSteps);
    const [was, is] = [
      await this.show(request, folder, before, budget),
      await this.show(request, folder, after, budget, exceptions),
    ];
    return {
      created: [...is].flatMap(([key, each]) => (was.has(key) ? [] : [each])),
      updated: [...is].flatMap(([key, each]) => (was.has(key) ? [each] : [])),
      deleted: [...was].flatMap(([key, each]) => (is.has(key) ? [] : [each])),
    };
  }

  /** Lists events and occurrences of some appointments that are seen in the folder, by the key that clients know them by. */
  private async show(
    { range, limit }: ResultRequest,
    folder: ViewedFolder,
    appointments: readonly Appointment[],
    budget: ExpansionBudget,
    exceptions: readonly Appointment[] = [],
  ): Promise<Map<string, ShownEvent>> {
    const family = familyOf([...exceptions, ...appointments]);
    const shown = new Map<string, ShownEvent>();
    for (const appointment of appointments) {
      if (isTurnOver()) await yieldToEventLoop();
      if (!isSeenIn(appointment, folder)) continue;
      const event = toSeenEvent(appointment, folder, false, family);
      const isWhole = !range || appointment.seriesId !== appointment.id;
      const found: ShownEvent[] = isWhole
        ? [{ event }]
        : await expandEvents([event], { range, expand: true, limit: limit - shown.size, budget });
      for (const each of found) shown.set(`${each.event.id} ${each.occurrence?.localMs ?? ''}`, each);
    }
    return shown;
  }
}

function familyOf(appointments: readonly Appointment[]): Parameters<typeof toSeenEvent>[3] {
  const byId = new Map(appointments.map((each) => [each.id, each]));
  const exceptions = groupBy([...byId.values()].filter(isException), ({ seriesId }) => seriesId!);
  return { byId, exceptions };
}
