import type { ParticipantNotice } from '@groupware/contracts';
import { type Appointment, type Attendee, isException, PARTICIPANT } from '../../domain/appointment';
import { attendeeKey } from '../../domain/attendee-list';
import { isOrganizedHere, organizerIdOf } from '../../domain/organizer';
import { partStatOf } from '../../events/event-people';
import { REPLY_TEMPLATE } from './attendee-replies';
import { findMainChange, findOccurrence, listNewExdates, type SchedulingChange } from './organizer-messages';
import { toComparable } from './outgoing-event';

/** A notice to users, before its values are written. */
export interface DraftedNotice extends Pick<ParticipantNotice, 'userId' | 'reason' | 'template'> {
  readonly users: readonly number[];
  readonly subject: Appointment;
  /** Names of the differences, as in the values of mails. */
  readonly changed: string[];
  /** Attendee elsewhere who answered. */
  readonly guest?: Attendee;
}

/** One thing that happened to an appointment, a series or an occurrence. */
interface Step {
  readonly before?: Appointment;
  readonly after?: Appointment;
  readonly hasOtherFiles?: boolean;
}

const listUsers = (appointment: Appointment | undefined): Attendee[] =>
  appointment?.attendees.filter(({ type, hidden }) => type === PARTICIPANT.user && !hidden) ?? [];

/** True when users besides the one who acts attend an event that is organized here. */
export const concernsUsers = ({ before, after }: SchedulingChange, actor: number): boolean =>
  isOrganizedHere((after ?? before)!) &&
  [before, after].some((each) => listUsers(each).some(({ entity }) => entity !== actor));

/**
 * Notices about the changes of one appointment or series: each user gets one, that of the series before those of its
 * occurrences. Users are not told of their own actions. Of attendees elsewhere the answers of this address are told.
 */
export function draftNotices(changes: readonly SchedulingChange[], actor: number, answerOf?: string): DraftedNotice[] {
  const drafts = new Map<string, DraftedNotice & { readonly users: number[] }>();
  const told = new Set<number>([actor]);
  const add = (user: number, draft: Omit<DraftedNotice, 'users'>): void => {
    if (told.has(user)) return;
    told.add(user);
    const key = [draft.template, draft.reason, draft.userId, draft.subject.id, draft.subject.recurrenceLocalMs].join();
    const known = drafts.get(key);
    if (known) known.users.push(user);
    else drafts.set(key, { ...draft, users: [user] });
  };
  for (const step of listSteps(changes)) {
    const answers = step.before && step.after ? findAnswers(step.before, step.after, answerOf) : [];
    for (const answer of answers) tellAnswer(step.after!, answer, actor, add);
    if (answers.length === 0) tellChange(step, actor, add);
  }
  return [...drafts.values()];
}

function listSteps(changes: readonly SchedulingChange[]): Step[] {
  const main = findMainChange(changes);
  const steps: Step[] = main ? [main] : [];
  for (const change of changes) {
    if (change === main) continue;
    const { before, after, hasOtherFiles } = change;
    const base = before ?? findOccurrence(main?.before, after!.recurrenceLocalMs ?? NaN);
    steps.push({ ...(base && { before: base }), ...(after && { after }), hasOtherFiles });
  }
  for (const local of main ? listNewExdates(main) : []) {
    if (changes.some(({ before }) => before && isException(before) && before.recurrenceLocalMs === local)) continue;
    const occurrence = findOccurrence(main?.before, local);
    if (occurrence) steps.push({ before: occurrence });
  }
  return steps;
}

/** Attendees who answered, or took themselves out, where nothing else is different. */
function findAnswers(before: Appointment, after: Appointment, answerOf: string | undefined): Attendee[] {
  const keysOf = ({ attendees }: Appointment): string => attendees.map(attendeeKey).sort().join();
  if (keysOf(before) !== keysOf(after) || contentOf(before) !== contentOf(after)) return [];
  const known = new Map(before.attendees.map((each) => [attendeeKey(each), each]));
  return after.attendees.filter((attendee) => {
    const was = known.get(attendeeKey(attendee))!;
    const isGuest = attendee.type === PARTICIPANT.external && attendee.mail?.toLowerCase() === answerOf;
    if ((attendee.type !== PARTICIPANT.user && !isGuest) || was.hidden) return false;
    return partStatOf(attendee) !== partStatOf(was) || attendee.hidden || attendee.message !== was.message;
  });
}

const contentOf = (appointment: Appointment): string => toComparable({ ...appointment, attendees: [] });

type Add = (user: number, draft: Omit<DraftedNotice, 'users'>) => void;

function tellAnswer(after: Appointment, attendee: Attendee, actor: number, add: Add): void {
  const template = attendee.hidden ? REPLY_TEMPLATE.DECLINED : REPLY_TEMPLATE[partStatOf(attendee)];
  if (!template) return;
  const organizer = organizerIdOf(after);
  const answerer = attendee.entity === null ? { userId: actor, guest: attendee } : { userId: attendee.entity };
  for (const { entity } of listUsers(after)) {
    if (entity === attendee.entity) continue;
    const reason = entity === organizer ? 'answerToOrganizer' : 'answerToAttendee';
    add(entity!, { ...answerer, reason, template, subject: after, changed: [] });
  }
}

function tellChange({ before, after, hasOtherFiles = false }: Step, actor: number, add: Add): void {
  const [were, are] = [listUsers(before), listUsers(after)].map((list) => new Set(list.map(({ entity }) => entity!)));
  const common = { userId: actor, reason: 'change', changed: [] as string[] } as const;
  for (const user of were!)
    if (!are!.has(user)) add(user, { ...common, template: 'eventCancellation', subject: before! });
  if (!after) return;
  for (const user of are!) if (!were!.has(user)) add(user, { ...common, template: 'eventInvitation', subject: after });
  if (!before || (!hasOtherFiles && toComparable(before) === toComparable(after))) return;
  const changed = [...listDifferences(before, after), ...(hasOtherFiles ? ['attachments'] : [])];
  const draft = { ...common, template: 'eventUpdate', subject: after, changed } as const;
  for (const user of are!) if (were!.has(user)) add(user, draft);
}

function listDifferences(before: Appointment, after: Appointment): string[] {
  const isMoved = before.startMs !== after.startMs || before.endMs !== after.endMs;
  return [
    ...(before.title !== after.title ? ['summary'] : []),
    ...(before.location !== after.location ? ['location'] : []),
    ...(before.note !== after.note ? ['description'] : []),
    ...(isMoved ? ['time'] : []),
    ...(before.rule !== after.rule ? ['rule'] : []),
  ];
}
