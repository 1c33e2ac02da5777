import {
  AppointmentErrors,
  CalendarErrors,
  type AppointmentParticipant,
  type DirectoryEntity,
} from '@groupware/contracts';
import { type Attendee, CONFIRM, PARTICIPANT } from './appointment';
import { getAttendeeRest, withAttendeeRest } from './attendee-rest';
import type { People } from '@groupware/directory';
import { bookingRight, type BookingUser } from './booking-right';

/** Input of the list of attendees of an appointment. */
export interface AttendeeListInput {
  readonly participants: readonly AppointmentParticipant[];
  /** Calendar user: always takes part. */
  readonly owner: number;
  /** In a public folder. */
  readonly isPublic: boolean;
  /** Empty for a new appointment. */
  readonly before: readonly Attendee[];
  readonly people: People;
  /** The inviting user: resources are booked with his privileges. */
  readonly user: BookingUser;
  /** First answer of users who are new, by user id. */
  readonly defaultReply: (userId: number) => number;
  readonly maxAttendees: number;
  /** The client is not shown who took themselves out, and so cannot name them: they stay as they are. */
  readonly keepsHidden?: boolean;
}

type Known = Pick<Attendee, 'type' | 'entity' | 'mail' | 'displayName' | 'listed'>;

/** Kinds of the directory by type of participant; there are no groups of resources. */
const KINDS: ReadonlyMap<number, DirectoryEntity['kind']> = new Map([
  [PARTICIPANT.user, 'user'],
  [PARTICIPANT.group, 'group'],
  [PARTICIPANT.resource, 'resource'],
]);

const EMPTY = { folderId: null, direct: false, hidden: false, message: null, alarm: null, extra: null } as const;

/**
 * The attendees for a list of participants: groups are kept and their members added, externals with the address of a
 * user become that user, the owner is always there, and earlier attendees keep reply, alarm and folder.
 */
export function buildAttendeeList(wish: AttendeeListInput): Attendee[] {
  const known = new Map<string, Known>();
  const add = (entry: Known): void => {
    const key = attendeeKey(entry);
    if (entry.type === PARTICIPANT.external && known.has(key)) throw AppointmentErrors.externalTwice(entry.mail);
    const first = known.get(key);
    known.set(key, first ? { ...first, listed: first.listed || entry.listed } : entry);
  };
  const before = new Map(wish.before.map((attendee) => [attendeeKey(attendee), attendee]));
  for (const participant of wish.participants) add(resolveParticipant(participant, wish.people, before));
  requireRemainingParticipants(wish, known);
  add(user(wish.owner, wish.people, true));
  // Members who took themselves out stay out as long as the group stays.
  const absent = new Set<string>();
  for (const [group, entry] of [...known])
    if (entry.type === PARTICIPANT.group)
      for (const id of listGroupMembers(entry.entity!, wish.people)) {
        const member = user(id, wish.people, false);
        add(member);
        if (before.has(group) && before.get(attendeeKey(member))?.hidden) absent.add(attendeeKey(member));
      }
  const unnamed = wish.keepsHidden ? listUnnamedHidden(wish.before, known) : [];
  if (known.size + unnamed.length > wish.maxAttendees) throw CalendarErrors.tooManyAttendees(wish.maxAttendees);

  const named = [...known].map(([key, entry]): Attendee => {
    const old = before.get(key);
    // An invitation after a withdrawal counts as a new one.
    if (!old || (old.hidden && (entry.listed || !absent.has(key))))
      return withKind({ ...EMPTY, ...withNames(entry, old), confirm: initialParticipation(entry, wish) }, wish.people);
    return { ...old, ...withNames(entry, old) };
  });
  return [...named, ...unnamed];
}

/** Attendees who took themselves out and are not named; those whom groups brought in that are gone are gone, too. */
const listUnnamedHidden = (before: readonly Attendee[], known: ReadonlyMap<string, Known>): Attendee[] =>
  before.filter((attendee) => {
    if (!attendee.hidden || known.has(attendeeKey(attendee))) return false;
    const { member } = getAttendeeRest(attendee);
    return !member || member.some((group) => known.has(`${PARTICIPANT.group}:${group}`));
  });

/** An entry with the names that were known before where it has none. */
const withNames = (entry: Known, old: Attendee | undefined): Known => ({
  ...entry,
  mail: entry.mail ?? old?.mail ?? null,
  displayName: entry.displayName ?? old?.displayName ?? null,
});

/** A new attendee with its kind where that is not said by its type. */
function withKind(attendee: Attendee, people: People): Attendee {
  const resource = attendee.type === PARTICIPANT.resource ? people.entities.get(attendee.entity!) : undefined;
  return resource?.kind === 'resource' && resource.room ? withAttendeeRest(attendee, { cuType: 'ROOM' }) : attendee;
}

/**
 * The last participant of a public appointment stays (APP-0051), and in a private calendar its owner, unless he does it
 * himself (APP-0076): clients of owners need not name them.
 */
function requireRemainingParticipants(
  { participants: wanted, owner, isPublic, before, people, user }: AttendeeListInput,
  known: Map<string, Known>,
) {
  if (before.length === 0) return;
  if (isPublic && wanted.length === 0) throw AppointmentErrors.lastParticipant();
  const named = [...known.values()].some(
    ({ type, entity }) =>
      (type === PARTICIPANT.user && entity === owner) ||
      (type === PARTICIPANT.group && listGroupMembers(entity!, people).includes(owner)),
  );
  if (!isPublic && !named && user.userId !== owner) throw AppointmentErrors.ownerStays();
}

/** Identifies an attendee within one appointment. */
export const attendeeKey = (attendee: Pick<Attendee, 'type' | 'entity' | 'mail'>): string =>
  attendee.entity === null ? `${attendee.type}:${attendee.mail?.toLowerCase()}` : `${attendee.type}:${attendee.entity}`;

function initialParticipation(entry: Known, wish: AttendeeListInput): number {
  if (entry.type === PARTICIPANT.resource) return initialResourceParticipation(entry.entity!, wish);
  if (entry.type !== PARTICIPANT.user) return CONFIRM.none;
  return entry.entity === wish.owner ? CONFIRM.accepted : wish.defaultReply(entry.entity!);
}

/** A resource accepts at once, or waits for a delegate; CAL-4033 when the user must not book it. */
function initialResourceParticipation(id: number, { people, user }: AttendeeListInput): number {
  const resource = people.entities.get(id);
  const right = resource?.kind === 'resource' ? bookingRight(resource, user) : 'none';
  if (right === 'none') throw CalendarErrors.attendeeChange('', resource?.displayName ?? id, 'booking');
  return right === 'ask' ? CONFIRM.none : CONFIRM.accepted;
}

function resolveParticipant(
  participant: AppointmentParticipant,
  people: People,
  before: ReadonlyMap<string, Attendee>,
): Known {
  const { type, id } = participant;
  if (type === PARTICIPANT.external || type === PARTICIPANT.externalGroup) return resolveExternal(participant, people);
  const kind = KINDS.get(type);
  const entity = id === undefined || id === null ? undefined : people.entities.get(id);
  if (!kind || entity?.kind !== kind) {
    // Deleted entities may stay in the list, but not be added.
    const old = before.get(`${type}:${id}`);
    if (old) return { ...toKnown(old), listed: true };
    throw AppointmentErrors.participantNotFound(id ?? participant.mail ?? '');
  }
  if (kind === 'user') return user(entity.id, people, true);
  return {
    type: kind === 'group' ? PARTICIPANT.group : PARTICIPANT.resource,
    entity: entity.id,
    mail: entity.kind === 'resource' ? entity.email : null,
    displayName: entity.displayName,
    listed: true,
  };
}

const toKnown = ({ type, entity, mail, displayName, listed }: Attendee): Known => ({
  ...{ type, entity, mail, displayName, listed },
});

function resolveExternal(participant: AppointmentParticipant, people: People): Known {
  const mail = participant.mail?.trim();
  if (!mail) throw AppointmentErrors.externalWithoutAddress();
  if (mail.includes('\u0000') || participant.display_name?.includes('\u0000'))
    throw AppointmentErrors.badCharacter('U+0000', 'participants');
  const internal = people.byAddress.get(mail.toLowerCase());
  if (internal?.kind === 'user') return user(internal.id, people, true);
  if (internal?.kind === 'resource')
    return {
      type: PARTICIPANT.resource,
      entity: internal.id,
      mail: internal.email,
      displayName: internal.displayName,
      listed: true,
    };
  return {
    type: PARTICIPANT.external,
    entity: null,
    mail,
    displayName: participant.display_name ?? null,
    listed: true,
  };
}

function user(id: number, people: People, listed: boolean): Known {
  const entity = people.entities.get(id);
  return {
    type: PARTICIPANT.user,
    entity: id,
    mail: entity?.kind === 'user' ? entity.email : null,
    displayName: entity?.displayName ?? null,
    listed,
  };
}

function listGroupMembers(groupId: number, people: People): readonly number[] {
  const group = people.entities.get(groupId);
  return group?.kind === 'group' ? group.members : [];
}

/**
 * Applies the difference of two lists to a third: new attendees are added, missing ones removed, and an alarm that
 * was the same follows.
 */
export function applyAttendeeDelta(
  list: readonly Attendee[],
  before: readonly Attendee[],
  after: readonly Attendee[],
): Attendee[] {
  const byKey = (entries: readonly Attendee[]) => new Map(entries.map((entry) => [attendeeKey(entry), entry]));
  const [old, now, own] = [byKey(before), byKey(after), byKey(list)];
  const kept = list.filter((attendee) => now.has(attendeeKey(attendee)) || !old.has(attendeeKey(attendee)));
  return [
    ...kept.map((attendee) => {
      const [was, is] = [old.get(attendeeKey(attendee)), now.get(attendeeKey(attendee))];
      return was && is && attendee.alarm === was.alarm ? { ...attendee, alarm: is.alarm } : attendee;
    }),
    ...after.filter((attendee) => !old.has(attendeeKey(attendee)) && !own.has(attendeeKey(attendee))),
  ];
}

/** The attendees of an exception: hidden ones that come back to its series, or all that it has, are shown and asked again. */
export function bringBack(
  list: readonly Attendee[],
  before: readonly Attendee[],
  after: readonly Attendee[],
  asksAll: boolean,
): Attendee[] {
  const out = new Set(before.filter(({ hidden }) => hidden).map(attendeeKey));
  const there = new Map(after.filter(({ hidden }) => !hidden).map((attendee) => [attendeeKey(attendee), attendee]));
  return list.map((attendee) => {
    const key = attendeeKey(attendee);
    const ofSeries = there.get(key);
    if (!attendee.hidden || !ofSeries || !(asksAll || out.has(key))) return attendee;
    const { folderId, direct } = ofSeries;
    const asked = { ...attendee, folderId, direct, confirm: CONFIRM.none, hidden: false, listed: true };
    return withAttendeeRest(asked, { partStat: undefined });
  });
}

/** True when two lists name the same attendees. */
export function hasSameAttendees(left: readonly Attendee[], right: readonly Attendee[]): boolean {
  const present = (list: readonly Attendee[]): string[] =>
    list
      .filter(({ hidden }) => !hidden)
      .map((attendee) => `${attendeeKey(attendee)}:${attendee.listed}`)
      .sort();
  return String(present(left)) === String(present(right));
}
