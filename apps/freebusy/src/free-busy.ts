import { Injectable } from '@nestjs/common';
import {
  calendarBusy,
  CalendarErrors,
  FREE_BUSY_FEEDS,
  FREE_BUSY_SERVERS,
  FreeBusyErrors,
  MAX_BUSY_PERIODS,
  type CatalogueError,
  type DirectoryEntity,
  type FreeBusyAttendee,
  type Tenant,
} from '@groupware/contracts';
import { Directory, FreeBusyVisibility } from '@groupware/directory';
import { Caller, freshErrorId } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import type { NamedAttendee } from './domain/attendee-input';
import type { Range } from './domain/boundary';
import { mergePeriods } from './domain/merge';
import { byTime, periodsOf, type Period } from './domain/period';
import { ForeignSources, type ForeignPeriods, type ForeignSource } from './sources/foreign-sources';
import { feedAddresses, remoteAddress } from './sources/source-addresses';

/** A question about the times of some attendees. */
export interface FreeBusyQuestion {
  readonly attendees: readonly NamedAttendee[];
  readonly range: Range;
  readonly merge: boolean;
  /** An appointment or series that is left out. */
  readonly except?: number;
  /** The user of the same context who asks; absent for cooperating services and the internet. */
  readonly asker?: number;
}

/** The answer for one attendee: his periods, why there are none, or periods of which some calendar is missing. */
export interface AttendeeTimes {
  readonly named: NamedAttendee;
  readonly attendee: FreeBusyAttendee;
  readonly periods?: readonly Period[];
  readonly warning?: CatalogueError;
}

/** What calendars elsewhere tell: those of users by id, those of people from outside by address. */
interface Elsewhere {
  readonly ofUsers: ReadonlyMap<number, readonly ForeignPeriods[]>;
  readonly ofStrangers: ReadonlyMap<string, ForeignPeriods>;
}

/** What is known beside the own calendars. */
interface Beside extends Elsewhere {
  /** Users whose times the asker must not see. */
  readonly hidden: ReadonlySet<number>;
}

const SERVICE = { kind: 'internal', service: 'freebusy' } as const;
/** The calendar is asked for so many parts of the attendees at once, so that its work, the database's and ours overlap. */
const MAX_PARTS = 4;
/** Fewer attendees are no part of their own: each costs a message and a statement. */
const MIN_PART = 16;

/**
 * The one engine behind every door. Eight messages a question at the most, whatever the number of attendees: two for who is
 * meant (by id, by address), one for who hides his times, one for who has calendars elsewhere, and four for the times
 * themselves, straight from the calendar. Calendars elsewhere are asked beside it.
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

  /** The times of the attendees in the order of the question. */
  times(tenant: Tenant, question: FreeBusyQuestion): Promise<AttendeeTimes[]> {
    return this.answers(tenant, question, (times) => times);
  }

  /** The same, each in a form of the caller's, which is made while the calendar still looks for the times of others. */
  async answers<T>(tenant: Tenant, question: FreeBusyQuestion, form: (times: AttendeeTimes) => T): Promise<T[]> {
    const { attendees } = question;
    const entities = await this.resolve(tenant, attendees);
    // Times of those who hide them are dropped: to wait for their names costs more than to look for the times of a few.
    const askable = [
      ...new Map(entities.flatMap((entity) => (isAskable(entity) ? [[entity.id, entity]] : []))).values(),
    ];
    const beside = this.beside(tenant, question, entities, askable);
    const own = this.ownTimes(tenant, question, askable);
    return Promise.all(
      attendees.map(async (named, place) => {
        const entity = entities[place];
        const [flat, known] = await Promise.all([isAskable(entity) ? own.get(entity.id) : undefined, beside]);
        return form({ named, attendee: describe(named, entity), ...timesOf(named, entity, flat, known, question) });
      }),
    );
  }

  /** Start, end and kind of the busy times by entity, each as soon as its part of the entities is known. @throws CAL-5072 */
  private ownTimes(
    tenant: Tenant,
    question: FreeBusyQuestion,
    askable: readonly AskableEntity[],
  ): ReadonlyMap<number, Promise<readonly number[]>> {
    const max = this.properties.serverValue(MAX_BUSY_PERIODS);
    let found = 0;
    const own = new Map<number, Promise<readonly number[]>>();
    for (const some of inParts(askable)) {
      const part = this.periods(tenant, some, question).then((lists) => {
        found += lists.reduce((sum, flat) => sum + flat.length / 3, 0);
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

  /** What is to be known beside the own calendars. */
  private async beside(
    tenant: Tenant,
    question: FreeBusyQuestion,
    entities: readonly (Attendable | undefined)[],
    askable: readonly AskableEntity[],
  ): Promise<Beside> {
    const users = [...new Set(entities.flatMap((entity) => (entity?.kind === 'user' ? [entity.id] : [])))];
    const [hidden, feeds] = await Promise.all([
      this.visibility.hiddenUsers(tenant, users, question.asker),
      this.visibility.valuesOf(tenant, users, FREE_BUSY_FEEDS),
    ]);
    const shown = askable.filter(({ id }) => !hidden.has(id));
    return { hidden, ...(await this.elsewhere(tenant, question, entities, shown, feeds)) };
  }

  private async elsewhere(
    tenant: Tenant,
    { attendees, range }: FreeBusyQuestion,
    entities: readonly (Attendable | undefined)[],
    asked: readonly AskableEntity[],
    feeds: ReadonlyMap<number, string>,
  ): Promise<Elsewhere> {
    const strangers = [
      ...new Set(attendees.flatMap(({ address }, index) => (address && !entities[index] ? [address] : []))),
    ];
    const servers = strangers.length === 0 ? '' : await this.properties.get(FREE_BUSY_SERVERS, tenant);
    const wanted: (ForeignSource & { readonly user?: number; readonly stranger?: string })[] = [
      ...asked.flatMap((entity) =>
        entity.kind === 'user'
          ? feedAddresses(feeds.get(entity.id) ?? '').map((url) => ({ url, zone: entity.timeZone, user: entity.id }))
          : [],
      ),
      ...strangers.flatMap((stranger) => {
        const url = remoteAddress(servers, stranger);
        return url === undefined ? [] : [{ url, zone: 'UTC', stranger }];
      }),
    ];
    const found = wanted.length === 0 ? [] : await this.foreign.periods(tenant, wanted, range);
    const ofUsers = new Map<number, ForeignPeriods[]>();
    const ofStrangers = new Map<string, ForeignPeriods>();
    for (const [index, { user, stranger }] of wanted.entries()) {
      if (stranger !== undefined) ofStrangers.set(stranger, found[index]);
      else ofUsers.set(user!, [...(ofUsers.get(user!) ?? []), found[index]]);
    }
    return { ofUsers, ofStrangers };
  }

  private async resolve(
    tenant: Tenant,
    attendees: readonly NamedAttendee[],
  ): Promise<readonly (Attendable | undefined)[]> {
    const [byId, byAddress] = await Promise.all([
      this.people.entities(
        tenant,
        attendees.flatMap(({ id }) => (id === undefined ? [] : [id])),
      ),
      this.people.byAddress(
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

  private periods(
    tenant: Tenant,
    entities: readonly AskableEntity[],
    { range, except }: FreeBusyQuestion,
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
      },
    });
  }
}

/** A warning is no failure of the call, so nobody else gives it an id. */
function identified(warning: CatalogueError): CatalogueError {
  warning.errorId = freshErrorId();
  return warning;
}

type Attendable = Exclude<DirectoryEntity, { kind: 'guest' }>;
type AskableEntity = Exclude<Attendable, { kind: 'group' }>;

const isAskable = (entity: Attendable | undefined): entity is AskableEntity =>
  entity !== undefined && entity.kind !== 'group';

/** A few parts of about one size. */
function inParts<T>(all: readonly T[]): T[][] {
  const size = Math.max(MIN_PART, Math.ceil(all.length / MAX_PARTS));
  return Array.from({ length: Math.ceil(all.length / size) }, (_each, part) =>
    all.slice(part * size, (part + 1) * size),
  );
}

function finished(own: readonly Period[], foreign: readonly ForeignPeriods[], merge: boolean): readonly Period[] {
  const periods = foreign.length === 0 ? own : [own, ...foreign].flatMap((each) => each ?? []);
  return merge ? mergePeriods(periods) : [...periods].sort(byTime);
}

const unknown = (named: NamedAttendee) => ({ warning: identified(FreeBusyErrors.attendeeUnknown(named.text)) });

/** The periods of an attendee, what is wrong with them, or both: what other calendars tell is told all the same. */
function timesOf(
  named: NamedAttendee,
  entity: DirectoryEntity | undefined,
  own: readonly number[] | undefined,
  { hidden, ofUsers, ofStrangers }: Beside,
  { range, merge }: FreeBusyQuestion,
): Pick<AttendeeTimes, 'periods' | 'warning'> {
  if (own && entity) {
    if (hidden.has(entity.id)) return { warning: identified(FreeBusyErrors.attendeeHidden(named.text)) };
    const foreign = ofUsers.get(entity.id) ?? [];
    const periods = finished(periodsOf(own, range.fromMs), foreign, merge);
    return { periods, ...(foreign.includes(undefined) && unknown(named)) };
  }
  const foreign = entity ? undefined : ofStrangers.get(named.address ?? '');
  return foreign ? { periods: finished([], [foreign], merge) } : unknown(named);
}

/** The attendee of an answer. */
function describe(named: NamedAttendee, entity: Attendable | undefined): FreeBusyAttendee {
  if (!entity)
    return !named.address?.includes('@')
      ? { cuType: 'UNKNOWN', uri: named.text }
      : { cuType: 'INDIVIDUAL', uri: `mailto:${named.address}`, email: named.address };
  // A group has no address of its own: it is called as the question called it.
  if (entity.kind === 'group') return { entity: entity.id, cuType: 'GROUP', uri: named.text, cn: entity.displayName };
  return {
    entity: entity.id,
    cuType: entity.kind === 'user' ? 'INDIVIDUAL' : entity.room ? 'ROOM' : 'RESOURCE',
    uri: `mailto:${entity.email}`,
    cn: entity.displayName,
    email: entity.email,
  };
}
