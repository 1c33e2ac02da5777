import { Injectable } from '@nestjs/common';
import {
  calendarBusy,
  directory,
  errorObject,
  FREE_BUSY_VISIBILITY,
  FreeBusyErrors,
  parseProperty,
  type CatalogueError,
  type DirectoryEntity,
  type FreeBusyAttendee,
  type FreeBusyResult,
  type Property,
  type Tenant,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { Caller, freshErrorId } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import type { NamedAttendee } from './domain/attendee-input';
import type { Range } from './domain/boundary';
import { mergePeriods } from './domain/merge';
import { periodsOf, type Period } from './domain/period';

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

/** The answer for one attendee: his periods, or why there are none. */
export interface AttendeeTimes {
  readonly named: NamedAttendee;
  readonly attendee: FreeBusyAttendee;
  readonly periods?: readonly Period[];
  readonly warning?: CatalogueError;
}

const SERVICE = { kind: 'internal', service: 'freebusy' } as const;

/**
 * The one engine behind every door. Four messages a question at the most, whatever the number of attendees: who is
 * meant (by id, by address), who hides his times, and the times themselves, straight from the calendar.
 */
@Injectable()
export class FreeBusy {
  constructor(
    private readonly people: Directory,
    private readonly caller: Caller,
    private readonly properties: Properties,
  ) {}

  /** The times of the attendees in the order of the question. */
  async times(tenant: Tenant, question: FreeBusyQuestion): Promise<AttendeeTimes[]> {
    const entities = await this.resolve(tenant, question.attendees);
    const hidden = await this.hidden(tenant, entities, question.asker);
    const asked = [
      ...new Map(entities.flatMap((entity) => (isAskable(entity, hidden) ? [[entity.id, entity]] : []))).values(),
    ];
    const flat = asked.length === 0 ? [] : await this.periods(tenant, asked, question);
    const periods = new Map(asked.map(({ id }, index) => [id, this.finished(flat[index] ?? [], question.merge)]));
    return question.attendees.map((named, index) => {
      const entity = entities[index];
      const attendee = describe(named, entity);
      if (!entity || entity.kind === 'group')
        return { named, attendee, warning: identified(FreeBusyErrors.attendeeUnknown(named.text)) };
      if (hidden.has(entity.id))
        return { named, attendee, warning: identified(FreeBusyErrors.attendeeHidden(named.text)) };
      return { named, attendee, periods: periods.get(entity.id)! };
    });
  }

  private finished(flat: readonly number[], merge: boolean): readonly Period[] {
    const periods = periodsOf(flat);
    return merge ? mergePeriods(periods) : periods;
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
    const ids = [
      ...new Set(entities.flatMap((entity) => (entity?.kind === 'user' && entity.id !== asker ? [entity.id] : []))),
    ];
    if (ids.length === 0) return new Set();
    const values = await this.caller.call(directory.propertyOfUsers, {
      principal: { ...SERVICE, contextId: tenant.contextId },
      query: { key: FREE_BUSY_VISIBILITY.key, ids },
    });
    const common = this.properties.serverValue(FREE_BUSY_VISIBILITY);
    const shown: readonly unknown[] = asker === undefined ? ['all'] : ['all', 'internal-only'];
    return new Set(
      ids.filter((id) => {
        const text = values[String(id)];
        const own = text === undefined ? undefined : parseProperty(FREE_BUSY_VISIBILITY as unknown as Property, text);
        return !shown.includes(own ?? common);
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
    return named.address === undefined
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

/** The answer for one attendee as the administrative API and the event module write it. */
export function resultOf({ attendee, periods, warning }: AttendeeTimes, locale = 'en_US'): FreeBusyResult {
  return {
    attendee,
    ...(periods && {
      freeBusyTime: periods.map(({ startMs, endMs, type }) => ({ startTime: startMs, endTime: endMs, fbType: type })),
    }),
    ...(warning && { warnings: [errorObject(warning, locale)] }),
  };
}
