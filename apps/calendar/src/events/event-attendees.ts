import {
  type AlarmData,
  type AppointmentParticipant,
  type AttendeeData,
  CalendarErrors,
  type DirectoryEntity,
} from '@groupware/contracts';
import { type Attendee, CONFIRM, PARTICIPANT } from '../domain/appointment';
import { attendeeKey } from '../domain/attendee-list';
import type { People } from '@groupware/directory';
import { listEventAlarms, MAX_ALARMS, setEventAlarms } from './event-alarms';
import {
  DEFAULT_KIND,
  DEFAULT_ROLE,
  DELEGATED,
  kindOf,
  mailOf,
  PART_STAT,
  partStatOf,
  toStoredKind,
} from './event-people';
import { getAttendeeRest, withAttendeeRest } from '../domain/attendee-rest';

const TYPES: Readonly<Record<string, number>> = {
  user: PARTICIPANT.user,
  group: PARTICIPANT.group,
  resource: PARTICIPANT.resource,
};
/** Kinds of calendar users that are an entity of the directory. */
const KIND_OF: Readonly<Record<string, string>> = {
  INDIVIDUAL: 'user',
  GROUP: 'group',
  RESOURCE: 'resource',
  ROOM: 'resource',
};

/** Mail address of an attendee; CAL-4034 when there is none. */
function requireMail(attendee: AttendeeData): string {
  const mail = mailOf(attendee.uri ?? '') ?? attendee.email?.trim();
  if (!mail || !/^[^@\s]+@[^@\s]+$/.test(mail)) throw toBadUser(attendee);
  return mail;
}

const toBadUser = ({ uri, email, entity, cuType }: AttendeeData) =>
  CalendarErrors.badCalendarUser(uri ?? email ?? '', entity ?? '', cuType ?? '');

/** Ids that a list of attendees names. */
export const listEntities = (attendees: readonly AttendeeData[]): number[] =>
  attendees.flatMap(({ entity }) => (entity ? [entity] : []));

/**
 * A list of attendees as participants: each once, those who came with a group of the list left to it. CAL-4034 for entities that
 * there are not, or are of another kind, and for externals without address.
 */
export function toParticipants(
  attendees: readonly AttendeeData[],
  entities: ReadonlyMap<number, DirectoryEntity>,
  before: readonly Attendee[] = [],
): AppointmentParticipant[] {
  const groups = new Set(listEntities(attendees).filter((id) => entities.get(id)?.kind === 'group'));
  const byGroup = new Set(
    groups.size > 0
      ? before
          .filter(({ type, listed, hidden }) => type === PARTICIPANT.user && !listed && !hidden)
          .map(({ entity }) => entity)
      : [],
  );
  const found = new Map<string, AppointmentParticipant>();
  for (const attendee of attendees) {
    const participant = toParticipant(attendee, entities, before);
    const { type, id = null, mail = null } = participant;
    if (type === PARTICIPANT.user && byGroup.has(id)) continue;
    found.set(attendeeKey({ type, entity: id, mail }), participant);
  }
  return [...found.values()];
}

function toParticipant(
  attendee: AttendeeData,
  entities: ReadonlyMap<number, DirectoryEntity>,
  before: readonly Attendee[],
): AppointmentParticipant {
  const { entity: id, cuType, cn } = attendee;
  if (!id) {
    if (!attendee.uri && !attendee.email) throw toBadUser(attendee);
    return { type: PARTICIPANT.external, mail: requireMail(attendee), display_name: cn ?? undefined };
  }
  const kind = entities.get(id)?.kind;
  const wanted = cuType ? KIND_OF[cuType.toUpperCase()] : undefined;
  const type = TYPES[kind ?? ''];
  const old = before.find(({ entity }) => entity === id);
  // Deleted entities may stay in the list, but not be added.
  if (old && kind === undefined) return { type: old.type, id };
  // That an attendee who is there keeps his kind is another rule.
  if (type === undefined || (!old && wanted !== undefined && wanted !== kind)) throw toBadUser(attendee);
  return { type, id };
}

/** Finds the attendee of a request that stands for a stored one. */
function findWire(attendee: Attendee, wire: readonly AttendeeData[]): AttendeeData | undefined {
  const mail = attendee.mail?.toLowerCase();
  return wire.find(
    (each) =>
      (attendee.entity !== null && each.entity === attendee.entity) ||
      (!each.entity && mail !== undefined && (mailOf(each.uri ?? '') ?? each.email)?.toLowerCase() === mail),
  );
}

/**
 * People whose groups, where they are invited already, have the members that they brought in and that a request names: a group is
 * resolved when it is invited. Those who took themselves out stay known.
 */
export function withInvitedMembers(people: People, before: readonly Attendee[], wire: readonly AttendeeData[]): People {
  const invited = new Set(before.flatMap(({ type, entity }) => (type === PARTICIPANT.group ? [entity] : [])));
  if (invited.size === 0) return people;
  const kept = before.filter(
    (each) => each.type === PARTICIPANT.user && !each.listed && (each.hidden || findWire(each, wire) !== undefined),
  );
  const membersOf = (group: number): number[] =>
    kept.filter((each) => getAttendeeRest(each).member?.includes(String(group)) ?? true).map(({ entity }) => entity!);
  const entities = [...people.entities].map(
    ([id, entity]) =>
      [id, entity.kind === 'group' && invited.has(id) ? { ...entity, members: membersOf(id) } : entity] as const,
  );
  return { ...people, entities: new Map(entities) };
}

/** The context in which attendees of a request are read. */
export interface AttendeeRefinement {
  readonly wire: readonly AttendeeData[];
  /** User whose answer, comment and alarms the body holds. */
  readonly calendarUser: number;
  readonly people: People;
  readonly before: readonly Attendee[];
  /** For messages. */
  readonly eventId: number;
  /** The organizer is elsewhere: all but the owner are external. */
  readonly ofExternal?: boolean;
  /** The organizer sets the answers of those who are there already. */
  readonly mayAnswerForOthers?: boolean;
}

/**
 * The attendees of a list with what only events say about them. Those who took themselves out stay out. CAL-4033 for an answer in
 * the name of another: he can only be asked again.
 */
export function refineAttendees(attendees: readonly Attendee[], options: AttendeeRefinement): Attendee[] {
  const { wire, calendarUser, people, before, ofExternal, mayAnswerForOthers } = options;
  const known = new Map(before.map((each) => [attendeeKey(each), each]));
  const groups = attendees.filter(({ type }) => type === PARTICIPANT.group);
  return attendees.map((attendee) => {
    const old = known.get(attendeeKey(attendee));
    const data = findWire(attendee, wire);
    const isOwn = attendee.type === PARTICIPANT.user && attendee.entity === calendarUser;
    const kept = old?.hidden
      ? { ...old, mail: attendee.mail, displayName: attendee.displayName, listed: false }
      : attendee;
    const groupsOf = groups.flatMap(({ entity }) => {
      const group = people.entities.get(entity!);
      return group?.kind === 'group' && group.members.includes(attendee.entity!) ? [String(entity)] : [];
    });
    if (old && data) {
      const kind = kindOf(old, people.entities.get(old.entity!));
      requireSameAttendee(old, data, { eventId: options.eventId, kind, groups: groupsOf });
    }
    const rest = getAttendeeRest(kept);
    const member = attendee.listed ? undefined : groupsOf.length > 0 ? groupsOf : rest.member;
    const refined = withAttendeeRest(kept, {
      role: toStoredRole(data?.role?.toUpperCase(), rest.role),
      rsvp: data?.rsvp ?? rest.rsvp,
      member: member ?? rest.member,
      cuType: old || attendee.type !== PARTICIPANT.external ? rest.cuType : toStoredKind(data?.cuType),
      extendedParameters: data?.extendedParameters ?? rest.extendedParameters,
    });
    const mayAnswer = isOwn || ofExternal === true;
    const forOthers = mayAnswerForOthers === true && old !== undefined;
    const answered = data
      ? applyAnswer(refined, old, data, { mayAnswer, forOthers, eventId: options.eventId })
      : refined;
    return ofExternal && !isOwn ? toExternal(answered) : answered;
  });
}

/**
 * Requires that an attendee who is there already keeps his kind, and the groups that brought him in, unless the groups of the list
 * say otherwise now (CAL-4033).
 */
export function requireSameAttendee(
  attendee: Attendee,
  { cuType, member }: Pick<AttendeeData, 'cuType' | 'member'>,
  options: { readonly eventId: number; readonly kind?: string; readonly groups?: readonly string[] },
): void {
  const { eventId, kind = DEFAULT_KIND, groups } = options;
  const refuse = (field: string) => CalendarErrors.attendeeChange(eventId, attendee.mail ?? attendee.entity, field);
  // Rooms are resources.
  const isSameKind = (name: string): boolean =>
    name === kind || (attendee.entity !== null && KIND_OF[name] !== undefined && KIND_OF[name] === KIND_OF[kind]);
  if (cuType && !isSameKind(toStoredKind(cuType) ?? DEFAULT_KIND)) throw refuse('cuType');
  if (!member) return;
  const toSet = (list: readonly string[] = []): string => [...new Set(list)].sort().join('\n');
  const wanted = toSet(member);
  if (wanted !== toSet(getAttendeeRest(attendee).member) && wanted !== toSet(groups)) throw refuse('member');
}

/** The role to store; events show the default role of an attendee who has none, and clients send back what they see. */
const toStoredRole = (wanted: string | undefined, stored: string | undefined): string | undefined =>
  wanted === undefined || wanted === (stored ?? DEFAULT_ROLE) ? stored : wanted;

function applyAnswer(
  attendee: Attendee,
  old: Attendee | undefined,
  { partStat, comment }: AttendeeData,
  options: { readonly mayAnswer: boolean; readonly forOthers: boolean; readonly eventId: number },
): Attendee {
  const { mayAnswer, forOthers, eventId } = options;
  if (mayAnswer) return setAnswer(attendee, { partStat, comment });
  if (!old || !partStat || attendee.type === PARTICIPANT.group || partStat.toUpperCase() === partStatOf(old))
    return attendee;
  // A comment is the attendee's own.
  if (forOthers) return setAnswer(attendee, { partStat });
  if (partStat.toUpperCase() !== 'NEEDS-ACTION')
    throw CalendarErrors.attendeeChange(eventId, attendee.mail ?? attendee.entity, 'partStat');
  return withAttendeeRest({ ...attendee, confirm: CONFIRM.none }, { partStat: undefined });
}

/** Users of the context whom an organizer elsewhere invited are external here. */
const toExternal = (attendee: Attendee): Attendee =>
  attendee.type === PARTICIPANT.user
    ? { ...attendee, type: PARTICIPANT.external, entity: null, folderId: null, direct: false }
    : attendee;

/** An attendee with another answer and comment; absent ones stay, null removes a comment. */
export function setAnswer(
  attendee: Attendee,
  { partStat, comment }: Pick<AttendeeData, 'partStat' | 'comment'> & { comment?: string | null },
): Attendee {
  const name = partStat?.toUpperCase();
  const number = PART_STAT.findIndex((each) => each === name);
  const message = comment === undefined ? attendee.message : comment || null;
  if (name === undefined) return { ...attendee, message };
  const confirm = number < 0 ? CONFIRM.none : number;
  // All others count as no answer yet (RFC 5545, section 3.2.12).
  return withAttendeeRest({ ...attendee, confirm, message }, { partStat: name === DELEGATED ? name : undefined });
}

/** The attendees with other alarms of the calendar user. CAL-5074, CAL-4005. */
export function setAlarms(
  attendees: readonly Attendee[],
  calendarUser: number,
  alarms: readonly AlarmData[] | null | undefined,
  eventId: number,
): readonly Attendee[] {
  if (alarms === undefined) return attendees;
  const wanted = alarms ?? [];
  if (wanted.length > MAX_ALARMS) throw CalendarErrors.tooManyAlarms(MAX_ALARMS);
  return attendees.map((attendee) => {
    if (attendee.type !== PARTICIPANT.user || attendee.entity !== calendarUser) return attendee;
    const known = listEventAlarms({ id: eventId, attendees }, attendee);
    const { alarm, rest } = setEventAlarms(attendee, wanted, known);
    return withAttendeeRest({ ...attendee, alarm }, rest);
  });
}
