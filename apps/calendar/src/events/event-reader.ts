import { Injectable } from '@nestjs/common';
import {
  attachedFiles,
  CalendarErrors,
  type EventAttachmentData,
  type EventData,
  type EventField,
  type EventFieldsQuery,
  MAX_RESULTS,
  type UserPrincipal,
} from '@groupware/contracts';
import { type ContactFacts, Directory, listContacts, toContactFacts } from '@groupware/directory';
import { Caller } from '@groupware/messaging';
import { ExpansionBudget, type ZoneOffsets } from '@groupware/recurrence';
import { BasePathSettings, isTurnOver, Properties, yieldToEventLoop } from '@groupware/service-kit';
import { EVENT_FILES } from '../appointments/file-copies';
import { CalendarConfig } from '../calendar.config';
import type { Appointment } from '../domain/appointment';
import type { Range } from '../domain/range';
import { resolveRequestZone } from '../domain/request-zone';
import type { SeenEvent } from '../persistence/event.repository';
import { hasMailAlarm } from './event-alarms';
import { expandEvents, type ShownEvent } from './event-expansion';
import { type EventOrder, sortEvents } from './event-order';
import type { KnownPeople } from './event-people';
import { type EventSurroundings, parseEventFields, toEvent, toView } from './event-wire';

/** How a request wants events. */
export interface EventRequest {
  readonly user: UserPrincipal;
  readonly zone: ZoneOffsets;
  readonly fields: readonly EventField[];
  /** Details of attendees. */
  readonly extended: boolean;
  /** CAL-5072 beyond so many. */
  readonly limit: number;
  /** Shared by everything that the request expands. */
  readonly budget: ExpansionBudget;
}

/** Events of a range in an order. */
export interface EventSelection {
  readonly range: Range | undefined;
  readonly expand: boolean;
  readonly order: EventOrder;
}

/** Fields with people who are looked up in the directory. */
const PEOPLE_FIELDS: ReadonlySet<EventField> = new Set<EventField>([
  ...(['createdBy', 'modifiedBy', 'calendarUser', 'organizer', 'attendees'] as const),
]);

/** Fields that a brief event does not have. */
const DETAILS: ReadonlySet<EventField> = new Set<EventField>([
  ...(['uid', 'description', 'attendees', 'categories', 'sequence', 'modifiedBy'] as const),
]);

/** Whether brief events have all of the fields. */
export const isBrief = (fields: readonly EventField[]): boolean => !fields.some((field) => DETAILS.has(field));

/** Turns stored events into what clients see. */
@Injectable()
export class EventReader {
  constructor(
    private readonly directory: Directory,
    private readonly caller: Caller,
    private readonly properties: Properties,
    private readonly config: CalendarConfig,
    private readonly base: BasePathSettings,
  ) {}

  /** SVL-0010 for an unknown field, CAL-4001 for an unknown zone. */
  async prepare(user: UserPrincipal, query: EventFieldsQuery): Promise<EventRequest> {
    return {
      user,
      zone: resolveRequestZone(query.timezone, user.timeZone),
      fields: parseEventFields(query.fields),
      extended: query.extendedEntities ?? false,
      limit: await this.properties.get(MAX_RESULTS, user),
      budget: new ExpansionBudget(this.config.maxExpansionSteps),
    };
  }

  /** Events as one JSON array each, in order. CAL-5072 when there are too many. */
  async writeEvents(request: EventRequest, events: readonly SeenEvent[], wanted: EventSelection): Promise<string[]> {
    const { range, expand, order } = wanted;
    if (events.length > request.limit) throw CalendarErrors.tooMany(request.limit);
    const { limit, budget, user, zone } = request;
    const shown = await expandEvents(events, { range, expand, limit, budget });
    const known = await this.loadSurroundings(request, events);
    const sorted = sortEvents(shown, order, { zone, locale: user.locale, userId: user.userId, known });
    return this.write(request, sorted, known);
  }

  /** The same for events that are already expanded, as objects. */
  async toEvents(request: EventRequest, shown: readonly ShownEvent[]): Promise<EventData[]> {
    const known = await this.loadSurroundings(
      request,
      shown.map(({ event }) => event),
    );
    return shown.map(({ event, occurrence }) =>
      toEvent(event, toView(event, request.user.userId, occurrence), request.fields, known),
    );
  }

  private async write(
    { user, fields }: EventRequest,
    shown: readonly ShownEvent[],
    known: EventSurroundings,
  ): Promise<string[]> {
    const texts: string[] = [];
    for (const { event, occurrence } of shown) {
      if (isTurnOver()) await yieldToEventLoop();
      texts.push(JSON.stringify(toEvent(event, toView(event, user.userId, occurrence), fields, known)));
    }
    return texts;
  }

  /** Loads what other services know of events, as far as the request shows it. Use it outside of transactions. */
  async loadSurroundings(
    { user, fields, extended }: Pick<EventRequest, 'user' | 'fields' | 'extended'>,
    events: readonly Appointment[],
  ): Promise<EventSurroundings> {
    const files = fields.includes('attachments') ? await this.loadFiles(user, events) : undefined;
    const showsPeople = fields.some((field) => PEOPLE_FIELDS.has(field));
    const ids = new Set<number>();
    for (const { createdBy, modifiedBy, owner, organizerId, principalId, attendees } of events) {
      if (showsPeople) for (const id of [createdBy, modifiedBy, owner, organizerId, principalId]) if (id) ids.add(id);
      if (fields.includes('attendees')) for (const { entity } of attendees) if (entity !== null) ids.add(entity);
      if (fields.includes('alarms'))
        for (const attendee of attendees)
          if (attendee.entity !== null && hasMailAlarm(attendee)) ids.add(attendee.entity);
    }
    if (ids.size === 0) return { people: new Map(), files };
    const people = await this.directory.getEntities(user, ids);
    if (!extended) return { people, files };
    return { people, files, contacts: await this.loadContacts(user, people) };
  }

  /** Loads contact data of users, by id. */
  private async loadContacts(user: UserPrincipal, people: KnownPeople): Promise<ReadonlyMap<number, ContactFacts>> {
    const users = [...people.values()].filter((entity) => entity.kind === 'user');
    if (users.length === 0) return new Map();
    const ids = users.map(({ id }) => id);
    const found = await listContacts(this.caller, 'calendar', user, ids);
    const basePath = this.base.basePaths()[0] ?? '';
    return new Map(users.map((each) => [each.id, toContactFacts(each, found.get(each.id), basePath)]));
  }

  /** The files of those events that have some. */
  private async loadFiles(
    { contextId }: UserPrincipal,
    events: readonly Appointment[],
  ): Promise<Map<number, EventAttachmentData[]>> {
    const objects = [...new Set(events.filter(({ attachments }) => attachments > 0).map(({ id }) => id))];
    const files = new Map<number, EventAttachmentData[]>(objects.map((id) => [id, []]));
    if (objects.length === 0) return files;
    const found = await this.caller.call(attachedFiles.list, {
      principal: { kind: 'internal', service: 'calendar', contextId },
      query: { module: EVENT_FILES, objects },
    });
    for (const { id, object, name, contentType, sizeBytes, created } of found)
      files.get(object)?.push({ managedId: id, filename: name, fmtType: contentType, size: sizeBytes, created });
    return files;
  }
}
