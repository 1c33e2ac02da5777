import { type Attendee, type Appointment, PARTICIPANT } from './appointment';
import type { People } from './attendee-list';

/** What the members of a changed group are worked out from. */
export interface GroupChange {
  readonly groupId: number;
  /** The groups that were asked about. */
  readonly asked?: ReadonlySet<number>;
  readonly people: People;
  readonly firstAnswer: (userId: number, isPublic: boolean) => number;
}

const isUser = (attendee: Attendee): boolean => attendee.type === PARTICIPANT.user;

/**
 * The attendees after the members of an invited group changed: whoever joined is invited, whoever left and was not named
 * himself goes, unless he is the owner or took himself out before. When the group is gone its members stay by name.
 * Undefined when nothing changes.
 */
export function withGroupMembers(appointment: Appointment, change: GroupChange): Attendee[] | undefined {
  const { attendees, owner } = appointment;
  const { entities } = change.people;
  const members = new Set<number>();
  for (const { type, entity } of attendees) {
    if (type !== PARTICIPANT.group) continue;
    const group = entities.get(entity!);
    // Another group that nobody asked about, or that is gone too: its own event tells about it.
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
  const joined = [...members].filter((id) => !known.has(id)).map((id) => newMember(id, appointment.isPublic, change));
  const next = [...kept, ...joined];
  const same = next.length === attendees.length && next.every((attendee, index) => attendee === attendees[index]);
  return same ? undefined : next;
}

function newMember(id: number, isPublic: boolean, { people, firstAnswer }: GroupChange): Attendee {
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
    confirm: firstAnswer(id, isPublic),
    message: null,
    alarm: null,
    extra: null,
  };
}
