import { Injectable } from '@nestjs/common';
import {
  APPOINTMENT_RIGHTS,
  attachedFiles,
  contacts,
  DEFAULT_FIND_VALUES,
  FindErrors,
  listFacets,
  listFindContacts,
  listFolderTypes,
  listLongQueries,
  listObjectsByFileName,
  MAX_FIND_RESULTS,
  MIN_SEARCH_LENGTH,
  parseFindFolder,
  parseFindPage,
  parseFindRequest,
  recordCheck,
  toFindPage,
  type FindAutocompleteBody,
  type FindAutocompleteQuery,
  type FindEventsQuery,
  type FindFacets,
  type FindPage,
  type FindQueryBody,
  type FindRange,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase, type BindValue } from '@groupware/persistence';
import { type ExpansionBudget, occurrencesBetween, type Occurrence, RecurrenceError } from '@groupware/recurrence';
import { Clock, isTurnOver, Properties, yieldToEventLoop } from '@groupware/service-kit';
import { ENDLESS, isSeries } from '../domain/appointment';
import { seriesOf } from '../domain/series';
import type { ShownEvent } from '../events/event-expansion';
import { EVENT_FILES } from '../appointments/file-copies';
import { EventReader } from '../events/event-reader';
import { parseEventFolder } from '../folders/folder-access';
import type { SeenEvent } from '../persistence/event.repository';
import { EventSearchRepository, type EventSearch } from '../persistence/event-search.repository';
import { filterCondition, intersectRanges, isTextField } from './event-conditions';
import { EVENT_FACETS, toPersonValue } from './event-facets';

/** A series by the occurrence that stands for it. */
interface FoundSeries {
  readonly event: SeenEvent;
  readonly occurrence: Occurrence;
}

/** Occurrences that were taken out may stand between the last one and the end of a series, ms. */
const LAST_OCCURRENCE_MS = 400 * 86_400_000;

/** Searches events by facets. */
@Injectable()
export class EventFacetFinder {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly properties: Properties,
    private readonly events: EventSearchRepository,
    private readonly reader: EventReader,
    private readonly caller: Caller,
    private readonly clock: Clock,
  ) {}

  /** The facets that are left to choose. @throws FIND-0003, FIND-0005 to FIND-0008, FIND-0015, FIND-0016 */
  async listFacets(
    user: UserPrincipal,
    { limit = DEFAULT_FIND_VALUES }: FindAutocompleteQuery,
    body: FindAutocompleteBody,
    signal: AbortSignal,
  ): Promise<FindFacets> {
    const request = parseFindRequest(body, EVENT_FACETS);
    // Nothing of a calendar is shown: people come from the address books that the user reads.
    recordCheck(APPOINTMENT_RIGHTS.read);
    const minLength = await this.properties.get(MIN_SEARCH_LENGTH, user);
    const typed = body.prefix.trim();
    const chosen = new Set(request.active.filter(({ facet }) => facet === 'participant').map(({ value }) => value));
    const known = await listFindContacts(user, typed, limit + chosen.size, (query) =>
      this.caller.call(contacts.autocomplete, { principal: user, query, signal }),
    );
    const offered = known.filter(({ id }) => !chosen.has(id)).slice(0, limit);
    if (typed !== '') offered.push({ id: typed, item: { name: typed }, addresses: [typed] });
    const facets = listFacets(EVENT_FACETS, {
      request,
      prefix: body.prefix,
      minLength,
      locale: user.locale,
      values: { participant: offered.map(toPersonValue) },
      folderTypes: listFolderTypes(user),
    });
    return { facets };
  }

  /**
   * A page of events: what is to come, then what is over, the nearest first. A series is one entry, shown as its next occurrence,
   * else as its last one.
   * @throws FIND-0003 to FIND-0008, FIND-0010, FIND-0014 to FIND-0016, FIND-0019, CAL-4001
   */
  async listPage(user: UserPrincipal, query: FindEventsQuery, body: FindQueryBody): Promise<FindPage> {
    const request = parseFindRequest(body, EVENT_FACETS);
    const [minLength, most, reading] = await Promise.all([
      this.properties.get(MIN_SEARCH_LENGTH, user),
      this.properties.get(MAX_FIND_RESULTS, user),
      this.reader.prepare(user, { ...query, timezone: query.timezone ?? request.timezone }),
    ]);
    const { start, size } = parseFindPage(body, most);
    const now = this.clock.now();
    const filters = request.active.map(({ filter: { fields, queries } }) => ({
      fields,
      queries: fields.some(isTextField) ? listLongQueries(queries, minLength) : queries,
    }));
    const range = intersectRanges(filters, now);
    const files = await listObjectsByFileName(filters, (names) =>
      this.caller.call(attachedFiles.findObjects, {
        principal: { kind: 'internal', service: 'calendar', contextId: user.contextId },
        query: { module: EVENT_FILES, names },
      }),
    );
    const search: EventSearch = {
      ...(request.folder !== undefined && { folderId: parseFindFolder(request.folder, parseEventFolder) }),
      ...(request.folderType !== undefined && { folderType: request.folderType }),
      condition: (bind: BindValue) =>
        filters.map((filter) => filterCondition(filter, files, bind)).join(' and ') || 'true',
      range,
      offsetMs: reading.zone.offsetAt(now),
    };
    // The statements show what the user reads.
    recordCheck(APPOINTMENT_RIGHTS.read);
    const found = await this.database.read(user, (db) => this.events.listSeries(db, user, search, most + 1));
    if (found.length > most) throw FindErrors.tooMany(most);
    const series = new Map<number, FoundSeries>();
    for (const event of found) {
      if (isTurnOver()) await yieldToEventLoop();
      const occurrence = findOccurrence(event, range, now, reading.budget);
      if (reading.budget.isSpent) throw FindErrors.tooMany(most);
      if (occurrence) series.set(event.id, { event, occurrence });
    }
    const placed = [...series.values()].map(({ event, occurrence }) => ({ id: event.id, ...occurrence }));
    const page = await this.database.read(user, (db) =>
      this.events.listPage(db, user, search, placed, { now, from: start, size }),
    );
    const shown = page.map((event): ShownEvent => (isSeries(event) ? series.get(event.id)! : { event }));
    return toFindPage(
      start,
      (await this.reader.toEvents(reading, shown)).map((event) => ({ ...event })),
    );
  }
}

/** The occurrence that stands for a series: the next one, else the last one; undefined when none lies in the range. */
function findOccurrence(
  event: SeenEvent,
  { from, to }: FindRange,
  now: number,
  budget: ExpansionBudget,
): Occurrence | undefined {
  const series = seriesOf(event);
  const find = (fromMs: number, toMs: number, limit: number) =>
    budget.spend((steps) => occurrencesBetween(series, fromMs, toMs, { positions: true, limit, steps }));
  try {
    const isOutside =
      (from !== undefined || to !== undefined) &&
      find(from ?? event.startMs, to === undefined ? ENDLESS : to + 1, 1).length === 0;
    if (isOutside) return undefined;
    const [next] = find(now, ENDLESS, 1);
    return next ?? find(event.rangeEndMs - LAST_OCCURRENCE_MS, event.rangeEndMs + 1, Infinity).at(-1);
  } catch (error) {
    // One hostile rule must not hide the rest of the calendar.
    if (!(error instanceof RecurrenceError)) throw error;
    return undefined;
  }
}
