import { Injectable } from '@nestjs/common';
import {
  calendarBusy,
  directory,
  FREE_BUSY_FEEDS,
  FREE_BUSY_SERVERS,
  FREE_BUSY_VISIBILITY,
  FreeBusyErrors,
  parseProperty,
  type CatalogueError,
  type DirectoryEntity,
  type FreeBusyAttendee,
  type Property,
  type Tenant,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
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

const SERVICE = { kind: 'internal', service: 'freebusy' } as const;

/**
 * The one engine behind every door. Five messages a question at the most, whatever the number of attendees: who is
 * meant (by id, by address), who hides his times, who has calendars elsewhere, and the times themselves, straight from the
 * calendar. Calendars elsewhere are asked beside it.
 */
@Injectable()
export class FreeBusy {
  constructor(
    private readonly people: Directory,
    private readonly caller: Caller,
    private readonly properties: Properties,
    private readonly foreign: ForeignSources,
  ) {}

  /** The times of the attendees in the order of the question. */
  async times(tenant: Tenant, question: FreeBusyQuestion): Promise<AttendeeTimes[]> {
    const entities = await this.resolve(tenant, question.attendees);
    const [hidden, feeds] = await Promise.all([
      this.hidden(tenant, entities, question.asker),
      this.ofUsers(tenant, entities, FREE_BUSY_FEEDS),
    ]);
    const asked = [
      ...new Map(entities.flatMap((entity) => (isAskable(entity, hidden) ? [[entity.id, entity]] : []))).values(),
    ];
    const [flat, elsewhere] = await Promise.all([
      asked.length === 0 ? [] : this.periods(tenant, asked, question),
      this.elsewhere(tenant, question, entities, asked, feeds),
    ]);
    const times = new Map(
      asked.map(({ id }, index) => {
        const foreign = elsewhere.ofUsers.get(id) ?? [];
        return [
          id,
          {
            periods: this.finished(periodsOf(flat[index] ?? [], question.range.fromMs), foreign, question.merge),
            foreign,
          },
        ];
      }),
    );
    return question.attendees.map((named, index): AttendeeTimes => {
      const entity = entities[index];
      const attendee = describe(named, entity);
      const unknown = (): CatalogueError => identified(FreeBusyErrors.attendeeUnknown(named.text));
      if (!entity) {
        const foreign = elsewhere.ofStrangers.get(named.address ?? '');
        if (!foreign) return { named, attendee, warning: unknown() };
        return { named, attendee, periods: this.finished([], [foreign], question.merge) };
      }
      if (entity.kind === 'group') return { named, attendee, warning: unknown() };
      if (hidden.has(entity.id))
        return { named, attendee, warning: identified(FreeBusyErrors.attendeeHidden(named.text)) };
      const { periods, foreign } = times.get(entity.id)!;
      // What the others tell is told all the same.
      return { named, attendee, periods, ...(foreign.includes(undefined) && { warning: unknown() }) };
    });
  }

  private finished(own: readonly Period[], foreign: readonly ForeignPeriods[], merge: boolean): readonly Period[] {
    const periods = foreign.length === 0 ? own : [own, ...foreign].flatMap((each) => each ?? []);
    return merge ? mergePeriods(periods) : [...periods].sort(byTime);
  }

  /** What calendars elsewhere tell: those of users by id, those of people from outside by address. */
  private async elsewhere(
    tenant: Tenant,
    { attendees, range }: FreeBusyQuestion,
    entities: readonly (DirectoryEntity | undefined)[],
    asked: readonly AskableEntity[],
    feeds: ReadonlyMap<number, string>,
  ): Promise<{
    readonly ofUsers: ReadonlyMap<number, readonly ForeignPeriods[]>;
    readonly ofStrangers: ReadonlyMap<string, ForeignPeriods>;
  }> {
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
  ): Promise<readonly (DirectoryEntity | undefined)[]> {
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
    return attendees.map((named) => (named.id === undefined ? byAddress.get(named.address) : byId.get(named.id)));
  }

  /** Users whose times the asker must not see. */
  private async hidden(
    tenant: Tenant,
    entities: readonly (DirectoryEntity | undefined)[],
    asker: number | undefined,
  ): Promise<ReadonlySet<number>> {
    const values = await this.ofUsers(tenant, entities, FREE_BUSY_VISIBILITY);
    const shown: readonly unknown[] = asker === undefined ? ['all'] : ['all', 'internal-only'];
    return new Set([...values].flatMap(([id, value]) => (id === asker || shown.includes(value) ? [] : [id])));
  }

  /** The values of a property for the users among the entities, with one message. */
  private async ofUsers<T extends string>(
    tenant: Tenant,
    entities: readonly (DirectoryEntity | undefined)[],
    property: Property<T>,
  ): Promise<Map<number, T>> {
    const ids = [...new Set(entities.flatMap((entity) => (entity?.kind === 'user' ? [entity.id] : [])))];
    if (ids.length === 0) return new Map();
    const values = await this.caller.call(directory.propertyOfUsers, {
      principal: { ...SERVICE, contextId: tenant.contextId },
      query: { key: property.key, ids },
    });
    const common = this.properties.serverValue(property);
    return new Map(
      ids.map((id) => {
        const text = values[String(id)];
        const own = text === undefined ? undefined : parseProperty(property as unknown as Property, text);
        return [id, (own ?? common) as T];
      }),
    );
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

type AskableEntity = Exclude<DirectoryEntity, { kind: 'group' }>;

const isAskable = (entity: DirectoryEntity | undefined, hidden: ReadonlySet<number>): entity is AskableEntity =>
  entity !== undefined && entity.kind !== 'group' && !hidden.has(entity.id);

/** The attendee of an answer. */
function describe(named: NamedAttendee, entity: DirectoryEntity | undefined): FreeBusyAttendee {
  if (!entity)
    return !named.address?.includes('@')
      ? { cuType: 'UNKNOWN', uri: named.text }
      : { cuType: 'INDIVIDUAL', uri: `mailto:${named.address}`, email: named.address };
  if (entity.kind === 'group') return { entity: entity.id, cuType: 'GROUP', cn: entity.displayName };
  return {
    entity: entity.id,
    cuType: entity.kind === 'user' ? 'INDIVIDUAL' : entity.room ? 'ROOM' : 'RESOURCE',
    uri: `mailto:${entity.email}`,
    cn: entity.displayName,
    email: entity.email,
  };
}
