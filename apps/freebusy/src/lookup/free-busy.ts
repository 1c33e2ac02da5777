import { Injectable } from '@nestjs/common';
import {
  calendarBusy,
  CalendarErrors,
  FREE_BUSY_FEEDS,
  FREE_BUSY_SERVERS,
  FreeBusyErrors,
  groupBy,
  MAX_BUSY_DETAILS,
  MAX_BUSY_PERIODS,
  type BusyDetails,
  type CatalogueError,
  type DirectoryEntity,
  type FreeBusyAttendee,
  type Tenant,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory, FreeBusyVisibility } from '@groupware/directory';
import { Caller, freshErrorId } from '@groupware/messaging';
import { pauseAfterTurn, Properties, sortInSlices } from '@groupware/service-kit';
import type { AttendeeReference } from '../domain/attendee-input';
import type { Range } from '../domain/boundary';
import { mergePeriods } from '../domain/merge';
import { compareByTime, forEachPeriod, toPeriods, type Period } from '../domain/period';
import { ForeignSources, type ForeignPeriods, type ForeignSource } from '../sources/foreign-sources';
import { parseFeedAddresses, resolveRemoteAddress } from '../sources/source-addresses';

/** A free/busy request. */
export interface FreeBusyRequest {
  readonly attendees: readonly AttendeeReference[];
  readonly range: Range;
  readonly merge: boolean;
  /** An appointment or series to leave out. */
  readonly except?: number;
  /** The requesting user of the same context; absent for cooperating services and the internet. */
  readonly requester?: number;
  /** Tell the appointments of times. */
  readonly identify?: boolean;
  /** Tell times as those of events, and of groups those at which any of their members is busy. */
  readonly ofEvents?: boolean;
}

/** Times of one attendee: periods, a warning, or both when there are none without a foreign calendar that is missing. */
export interface AttendeeTimes {
  readonly reference: AttendeeReference;
  readonly attendee: FreeBusyAttendee;
  readonly periods?: readonly Period[];
  readonly warning?: CatalogueError;
}

/** Times in foreign calendars: of users by id, of external attendees by address. */
interface ForeignTimes {
  readonly byUser: ReadonlyMap<number, readonly ForeignPeriods[]>;
  readonly byAddress: ReadonlyMap<string, ForeignPeriods>;
}

/** Foreign times and visibility. */
interface SupplementaryTimes extends ForeignTimes {
  /** Users whose times are hidden from the requester. */
  readonly hidden: ReadonlySet<number>;
}

const SERVICE = { kind: 'internal', service: 'freebusy' } as const;
/** Concurrent batches of attendees, so that calendar, database and this service work in parallel. */
const MAX_PARTS = 4;
/** Minimum batch size: each batch costs a message and a statement. */
const MIN_PART = 16;

/**
 * Free/busy lookup for all interfaces. At most eight messages per request, whatever the number of attendees: two to
 * resolve them (by id, by address), one for visibility, one for their foreign calendars, and four for the times from
 * the calendar. Foreign calendars are fetched concurrently.
 */
@Injectable()
export class FreeBusy {
  constructor(
    private readonly people: Directory,
    private readonly caller: Caller,
    private readonly properties: Properties,
    private readonly foreign: ForeignSources,
    private readonly visibility: FreeBusyVisibility,
  ) {}

  /** Times of the attendees in the order of the request. */
  getTimes(tenant: Tenant, question: FreeBusyRequest): Promise<AttendeeTimes[]> {
    return this.mapTimes(tenant, question, (times) => times);
  }

  /** Maps the times of each attendee while those of others are still being read. */
  async mapTimes<T>(
    tenant: Tenant,
    question: FreeBusyRequest,
    form: (times: AttendeeTimes) => T | Promise<T>,
  ): Promise<T[]> {
    const { attendees } = question;
    const entities = await this.resolveAttendees(tenant, attendees);
    const members = question.ofEvents ? await this.loadMembers(tenant, entities) : [];
    // Hidden times are dropped afterwards: waiting for the visibility first would cost more than reading a few in vain.
    const askable = [
      ...new Map(
        [...entities, ...members].flatMap((entity) => (isAskable(entity) ? [[entity.id, entity]] : [])),
      ).values(),
    ];
    const beside = this.loadSupplement(tenant, question, { entities, members }, askable);
    const own = this.loadOwnTimes(tenant, question, askable);
    return Promise.all(
      attendees.map(async (named, place) => {
        const entity = entities[place];
        if (entity?.kind === 'group' && question.ofEvents) {
          const attendee = describeAttendee(named, entity);
          return form({ reference: named, attendee, ...(await this.joinMembers(entity, own, await beside, question)) });
        }
        const [flat, known] = await Promise.all([isAskable(entity) ? own.get(entity.id) : undefined, beside]);
        return form({
          reference: named,
          attendee: describeAttendee(named, entity),
          ...(await toAttendeeTimes(named, entity, flat, known, question)),
        });
      }),
    );
  }

  /** The members of the groups among entities. */
  private async loadMembers(tenant: Tenant, entities: readonly (Attendable | undefined)[]): Promise<Attendable[]> {
    const ids = entities.flatMap((entity) => (entity?.kind === 'group' ? entity.members : []));
    if (ids.length === 0) return [];
    const found = await this.people.getEntities(tenant, [...new Set(ids)]);
    return [...found.values()].flatMap((entity) => (entity.kind === 'guest' ? [] : [entity]));
  }

  /** Times at which any member of a group is busy whose times may be seen. */
  private async joinMembers(
    { members }: Extract<Attendable, { kind: 'group' }>,
    own: ReadonlyMap<number, Promise<readonly number[]>>,
    { hidden, byUser }: SupplementaryTimes,
    { range, identify }: FreeBusyRequest,
  ): Promise<Pick<AttendeeTimes, 'periods'>> {
    const periods: Period[] = [];
    for (const id of members) {
      const flat = hidden.has(id) ? undefined : await own.get(id);
      if (!flat) continue;
      for (const { startMs, endMs, type } of await toPeriods(flat, range.fromMs, identify))
        periods.push({ startMs, endMs, type });
      for (const foreign of byUser.get(id) ?? []) if (foreign) periods.push(...foreign);
    }
    return { periods: mergePeriods(periods) };
  }

  /** Loads what a user may know of the appointments of identified periods, by id; of the first ones when there are many. */
  async loadDetails(user: UserPrincipal, times: readonly AttendeeTimes[]): Promise<ReadonlyMap<number, BusyDetails>> {
    const ids = new Set<number>();
    for (const { periods = [] } of times) {
      if (ids.size >= MAX_BUSY_DETAILS) break;
      await forEachPeriod(periods.length, (index) => {
        const { appointmentId } = periods[index]!;
        if (appointmentId !== undefined && ids.size < MAX_BUSY_DETAILS) ids.add(appointmentId);
      });
    }
    if (ids.size === 0) return new Map();
    const details = await this.caller.call(calendarBusy.details, {
      principal: { ...SERVICE, contextId: user.contextId, user },
      query: { ids: [...ids] },
    });
    return new Map(details.map((each) => [Number(each.id), each]));
  }

  /** Loads busy times by entity, each available as soon as its batch is. @throws CAL-5072 */
  private loadOwnTimes(
    tenant: Tenant,
    question: FreeBusyRequest,
    askable: readonly AskableEntity[],
  ): ReadonlyMap<number, Promise<readonly number[]>> {
    const max = this.properties.serverValue(MAX_BUSY_PERIODS);
    let found = 0;
    const own = new Map<number, Promise<readonly number[]>>();
    for (const some of splitIntoParts(askable)) {
      const part = this.queryCalendar(tenant, some, question).then((lists) => {
        found += lists.reduce((sum, flat) => sum + flat.length / (question.identify ? 4 : 3), 0);
        if (found > max) throw CalendarErrors.tooMany(max);
        return lists;
      });
      for (const [index, { id }] of some.entries())
        own.set(
          id,
          part.then((lists) => lists[index]!),
        );
    }
    return own;
  }

  /** Loads foreign times and visibility. */
  private async loadSupplement(
    tenant: Tenant,
    question: FreeBusyRequest,
    {
      entities,
      members,
    }: { readonly entities: readonly (Attendable | undefined)[]; readonly members: readonly Attendable[] },
    askable: readonly AskableEntity[],
  ): Promise<SupplementaryTimes> {
    const users = [
      ...new Set([...entities, ...members].flatMap((entity) => (entity?.kind === 'user' ? [entity.id] : []))),
    ];
    const [hidden, feeds] = await Promise.all([
      this.visibility.listHiddenUsers(tenant, users, question.requester),
      this.visibility.readValues(tenant, users, FREE_BUSY_FEEDS),
    ]);
    const shown = askable.filter(({ id }) => !hidden.has(id));
    return { hidden, ...(await this.loadForeignTimes(tenant, question, entities, shown, feeds)) };
  }

  private async loadForeignTimes(
    tenant: Tenant,
    { attendees, range }: FreeBusyRequest,
    entities: readonly (Attendable | undefined)[],
    asked: readonly AskableEntity[],
    feeds: ReadonlyMap<number, string>,
  ): Promise<ForeignTimes> {
    const strangers = [
      ...new Set(attendees.flatMap(({ address }, index) => (address && !entities[index] ? [address] : []))),
    ];
    const servers = strangers.length === 0 ? '' : await this.properties.get(FREE_BUSY_SERVERS, tenant);
    const wanted: (ForeignSource & { readonly user?: number; readonly stranger?: string })[] = [
      ...asked.flatMap((entity) =>
        entity.kind === 'user'
          ? parseFeedAddresses(feeds.get(entity.id) ?? '').map((url) => ({
              url,
              zone: entity.timeZone,
              user: entity.id,
            }))
          : [],
      ),
      ...strangers.flatMap((stranger) => {
        const url = resolveRemoteAddress(servers, stranger);
        return url === undefined ? [] : [{ url, zone: 'UTC', stranger }];
      }),
    ];
    const found = wanted.length === 0 ? [] : await this.foreign.fetchPeriods(tenant, wanted, range);
    const answers = wanted.map(({ user, stranger }, index) => ({ user, stranger, periods: found[index] }));
    const ofUsers = answers.filter(({ stranger }) => stranger === undefined);
    const ofStrangers = answers.filter(({ stranger }) => stranger !== undefined);
    return {
      byUser: groupBy(
        ofUsers,
        ({ user }) => user!,
        ({ periods }) => periods,
      ),
      byAddress: new Map(ofStrangers.map(({ stranger, periods }) => [stranger!, periods])),
    };
  }

  private async resolveAttendees(
    tenant: Tenant,
    attendees: readonly AttendeeReference[],
  ): Promise<readonly (Attendable | undefined)[]> {
    const [byId, byAddress] = await Promise.all([
      this.people.getEntities(
        tenant,
        attendees.flatMap(({ id }) => (id === undefined ? [] : [id])),
      ),
      this.people.findByAddresses(
        tenant,
        attendees.flatMap(({ address }) => (address === undefined ? [] : [address])),
      ),
    ]);
    return attendees.map((named) => {
      const entity = named.id === undefined ? byAddress.get(named.address) : byId.get(named.id);
      // Guests have no calendar.
      return entity?.kind === 'guest' ? undefined : entity;
    });
  }

  private queryCalendar(
    tenant: Tenant,
    entities: readonly AskableEntity[],
    { range, except, identify, ofEvents }: FreeBusyRequest,
  ): Promise<number[][]> {
    return this.caller.call(calendarBusy.periods, {
      principal: { ...SERVICE, contextId: tenant.contextId },
      query: {
        entities: entities.map((entity) => ({
          type: entity.kind === 'user' ? 1 : 3,
          id: entity.id,
          timeZone: entity.kind === 'user' ? entity.timeZone : 'UTC',
        })),
        from: range.fromMs,
        until: range.untilMs,
        ...(except === undefined ? {} : { except }),
        ...(identify && { identify }),
        ...(ofEvents && { ofEvents }),
      },
    });
  }
}

/** Adds an error id, which only failed calls get otherwise. */
function withErrorId(warning: CatalogueError): CatalogueError {
  warning.errorId = freshErrorId();
  return warning;
}

type Attendable = Exclude<DirectoryEntity, { kind: 'guest' }>;
type AskableEntity = Exclude<Attendable, { kind: 'group' }>;

const isAskable = (entity: Attendable | undefined): entity is AskableEntity =>
  entity !== undefined && entity.kind !== 'group';

/** Splits a list into a few batches of similar size. */
function splitIntoParts<T>(all: readonly T[]): T[][] {
  const size = Math.max(MIN_PART, Math.ceil(all.length / MAX_PARTS));
  return Array.from({ length: Math.ceil(all.length / size) }, (_each, part) =>
    all.slice(part * size, (part + 1) * size),
  );
}

async function combinePeriods(
  own: readonly Period[],
  foreign: readonly ForeignPeriods[],
  merge: boolean,
): Promise<readonly Period[]> {
  const periods = foreign.length === 0 ? own : [own, ...foreign].flatMap((each) => each ?? []);
  const turn = pauseAfterTurn();
  if (turn) await turn;
  return merge ? mergePeriods(periods) : sortInSlices(periods, compareByTime);
}

const toUnknownTimes = (named: AttendeeReference) => ({
  warning: withErrorId(FreeBusyErrors.attendeeUnknown(named.text)),
});

/** Combines the periods of an attendee, or tells why there are none; failures of one calendar do not hide the others. */
async function toAttendeeTimes(
  named: AttendeeReference,
  entity: DirectoryEntity | undefined,
  own: readonly number[] | undefined,
  { hidden, byUser: ofUsers, byAddress: ofStrangers }: SupplementaryTimes,
  { range, merge, identify }: FreeBusyRequest,
): Promise<Pick<AttendeeTimes, 'periods' | 'warning'>> {
  if (own && entity) {
    if (hidden.has(entity.id)) return { warning: withErrorId(FreeBusyErrors.attendeeHidden(named.text)) };
    const foreign = ofUsers.get(entity.id) ?? [];
    const periods = await combinePeriods(await toPeriods(own, range.fromMs, identify), foreign, merge);
    // A calendar elsewhere that is down is passed over where something is known.
    return { periods, ...(periods.length === 0 && foreign.includes(undefined) && toUnknownTimes(named)) };
  }
  const foreign = entity ? undefined : ofStrangers.get(named.address ?? '');
  return foreign ? { periods: await combinePeriods([], [foreign], merge) } : toUnknownTimes(named);
}

/** Describes an attendee in the response. */
function describeAttendee(named: AttendeeReference, entity: Attendable | undefined): FreeBusyAttendee {
  if (!entity) {
    const isAddress = named.address?.includes('@');
    return {
      cuType: named.cuType ?? (isAddress ? 'INDIVIDUAL' : 'UNKNOWN'),
      uri: isAddress ? `mailto:${named.address}` : named.text,
      ...(named.name && { cn: named.name }),
      ...(isAddress && { email: named.address }),
    };
  }
  // A group has no address: it keeps the requested text.
  if (entity.kind === 'group') return { entity: entity.id, cuType: 'GROUP', uri: named.text, cn: entity.displayName };
  return {
    entity: entity.id,
    cuType: entity.kind === 'user' ? 'INDIVIDUAL' : entity.room ? 'ROOM' : 'RESOURCE',
    uri: `mailto:${entity.email}`,
    cn: entity.displayName,
    email: entity.email,
  };
}
