import { type Attendee, type Appointment, PARTICIPANT } from './appointment';
import type { People } from '@groupware/directory';

/** Change of the members of a group. */
export interface GroupChange {
  readonly groupId: number;
  /** The groups that were asked about. */
  readonly requestedGroups?: ReadonlySet<number>;
  readonly people: People;
  readonly defaultReply: (userId: number, isPublic: boolean) => number;
}

const isUser = (attendee: Attendee): boolean => attendee.type === PARTICIPANT.user;

/**
 * Updates attendees after the members of an invited group changed: new members are invited; former ones who were not named
 * himself goes, unless he is the owner or took himself out before. When the group is gone its members stay by name.
 * Undefined when nothing changes.
 */
export function updateGroupMembers(appointment: Appointment, change: GroupChange): Attendee[] | undefined {
  const { attendees, owner } = appointment;
  const { entities } = change.people;
  const members = new Set<number>();
  for (const { type, entity } of attendees) {
    if (type !== PARTICIPANT.group) continue;
    const group = entities.get(entity!);
    // Another group that was not requested, or is deleted too, has an event of its own.
    if (group?.kind !== 'group' && entity !== change.groupId) return undefined;
    if (group?.kind === 'group') for (const member of group.members) members.add(member);
  }
  const isGone = entities.get(change.groupId)?.kind !== 'group';
  const known = new Set(attendees.filter(isUser).map(({ entity }) => entity!));
  const kept = attendees.flatMap((attendee) => {
    if (attendee.type === PARTICIPANT.group) return isGone && attendee.entity === change.groupId ? [] : [attendee];
    const stays = !isUser(attendee) || attendee.listed || attendee.hidden || attendee.entity === owner;
    if (stays || members.has(attendee.entity!)) return [attendee];
    return isGone ? [{ ...attendee, listed: true }] : [];
  });
  const joined = [...members]
    .filter((id) => !known.has(id))
    .map((id) => createMember(id, appointment.isPublic, change));
  const next = [...kept, ...joined];
  const same = next.length === attendees.length && next.every((attendee, index) => attendee === attendees[index]);
  return same ? undefined : next;
}

function createMember(id: number, isPublic: boolean, { people, defaultReply }: GroupChange): Attendee {
  const entity = people.entities.get(id);
  return {
    type: PARTICIPANT.user,
    entity: id,
    mail: entity?.kind === 'user' ? entity.email : null,
    displayName: entity?.displayName ?? null,
    folderId: null,
    direct: false,
    listed: false,
    hidden: false,
    confirm: defaultReply(id, isPublic),
    message: null,
    alarm: null,
    extra: null,
  };
}
