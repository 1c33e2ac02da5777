import type { AddedPerson } from '@groupware/contracts';
import { type Attendee, PARTICIPANT } from '../../domain/appointment';
import { attendeeKey } from '../../domain/attendee-list';
import type { SchedulingChange } from './organizer-messages';
import { isOrganizedHere } from '../../domain/organizer';

/** People that were named as attendees with changes, and attended none of the appointments before: all but the user and the owners of the calendars. */
export function listAddedPeople(changes: readonly SchedulingChange[], userId: number): AddedPerson[] {
  const known = new Set(changes.flatMap(({ before }) => before?.attendees.map(attendeeKey) ?? []));
  const added = new Map<string, AddedPerson>();
  for (const { after } of changes) {
    if (!after || !isOrganizedHere(after)) continue;
    for (const attendee of after.attendees) {
      const isSelf = attendee.entity === userId || (!after.isPublic && attendee.entity === after.owner);
      if (!isPerson(attendee) || isSelf || known.has(attendeeKey(attendee))) continue;
      const { mail, displayName } = attendee;
      added.set(mail.toLowerCase(), { address: mail, ...(displayName && { name: displayName }) });
    }
  }
  return [...added.values()];
}

const isPerson = (attendee: Attendee): attendee is Attendee & { mail: string } =>
  (attendee.type === PARTICIPANT.user || attendee.type === PARTICIPANT.external) &&
  attendee.listed &&
  !attendee.hidden &&
  Boolean(attendee.mail);
