import {
  type AlarmData,
  ALLOW_ORGANIZER_ANSWERS,
  type AttendeeData,
  CalendarErrors,
  type DirectoryEntity,
  MAX_ALARMS_PER_EVENT,
  RESOLVE_GROUPS,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { listEntities } from './event-attendees';

/** Attendees of a request, and the entities that it names. */
export interface ResolvedAttendees {
  readonly attendees: readonly AttendeeData[] | undefined;
  readonly entities: ReadonlyMap<number, DirectoryEntity>;
}

/** Settings of administrators for the events of a user. */
@Injectable()
export class EventSettings {
  constructor(
    private readonly properties: Properties,
    private readonly directory: Directory,
  ) {}

  /** Requires that the alarms of a request are no more than the user may have in one event (CAL-5074). */
  async requireFewAlarms(user: UserPrincipal, alarms: readonly AlarmData[] | null | undefined): Promise<void> {
    if (!alarms?.length) return;
    const most = await this.properties.get(MAX_ALARMS_PER_EVENT, user);
    if (alarms.length > most) throw CalendarErrors.tooManyAlarms(most);
  }

  /** Whether the user answers for the attendees of what he organizes. */
  mayAnswerForOthers(user: UserPrincipal): Promise<boolean> {
    return this.properties.get(ALLOW_ORGANIZER_ANSWERS, user);
  }

  /** The attendees of a request, groups replaced by their members where that is wanted. */
  async resolveAttendees(
    user: UserPrincipal,
    attendees: readonly AttendeeData[] | null | undefined,
  ): Promise<ResolvedAttendees> {
    const named = attendees ?? [];
    const entities = await this.directory.getEntities(user, listEntities(named));
    const isGroup = ({ entity }: AttendeeData): boolean => entity != null && entities.get(entity)?.kind === 'group';
    if (!named.some(isGroup) || !(await this.properties.get(RESOLVE_GROUPS, user)))
      return { attendees: attendees === undefined ? undefined : named, entities };
    const known = new Set(listEntities(named));
    const resolved: AttendeeData[] = [];
    for (const attendee of named) {
      const group = isGroup(attendee) ? entities.get(attendee.entity!) : undefined;
      if (group?.kind !== 'group') resolved.push(attendee);
      else
        for (const entity of group.members)
          if (!known.has(entity)) {
            known.add(entity);
            resolved.push({ entity });
          }
    }
    return { attendees: resolved, entities: await this.directory.getEntities(user, listEntities(resolved)) };
  }
}
