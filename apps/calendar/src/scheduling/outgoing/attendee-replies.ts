import { type Appointment, type Attendee, isException, PARTICIPANT } from '../../domain/appointment';
import { partStatOf } from '../../events/event-people';
import {
  findMainChange,
  findOccurrence,
  listNewExdates,
  type DraftedMessage,
  type SchedulingGroup,
} from './organizer-messages';
import { toReplyEvent } from './outgoing-event';

const DECLINED = 'DECLINED';
/** Templates of mails about answers, by participation status. */
export const REPLY_TEMPLATE: Readonly<Record<string, DraftedMessage['template']>> = {
  ACCEPTED: 'eventAccepted',
  TENTATIVE: 'eventTentative',
  DECLINED: 'eventDeclined',
  DELEGATED: 'eventDelegated',
};

/** An answer to an organizer elsewhere, with the attendee who gives it. */
export interface DraftedReply extends DraftedMessage {
  readonly attendee: Attendee;
}

/** How answers are told. */
export interface ReplyOptions {
  /** Address of who answers for the attendee. */
  readonly sentBy?: { readonly userId: number; readonly address: string };
  /** Answers on new appointments are told, too. */
  readonly ofNew?: boolean;
  /** Text to the organizer. */
  readonly comment?: string;
}

interface Answered {
  readonly appointment: Appointment;
  readonly attendee: Attendee;
  readonly partStat: string;
}

/** Answers that users gave by a change to the organizer of their copy (REPLY; RFC 5546, section 3.2.3). */
export function draftReplies(group: SchedulingGroup, options: ReplyOptions): DraftedReply[] {
  const { changes, stored } = group;
  const users = new Map<number, Attendee>();
  for (const { before, after } of changes)
    for (const attendee of [...(before?.attendees ?? []), ...(after?.attendees ?? [])])
      if (attendee.type === PARTICIPANT.user && attendee.mail) users.set(attendee.entity!, attendee);
  const master = stored.find((each) => !isException(each)) ?? findMainChange(changes)?.before;
  return [...users].flatMap(([userId, attendee]) => {
    const answers = listAnswers(group, userId, options.ofNew ?? false);
    const [first] = answers;
    if (!first) return [];
    const sentBy = options.sentBy && options.sentBy.userId !== userId ? options.sentBy.address : undefined;
    return [
      {
        method: 'REPLY',
        template: REPLY_TEMPLATE[first.partStat] ?? 'eventAccepted',
        recipients: [{ address: first.appointment.organizer! }],
        subject: first.appointment,
        attendee,
        events: answers.map((each) =>
          toReplyEvent(each.appointment, isException(each.appointment) ? master : undefined, each.attendee, {
            partStat: each.partStat,
            sentBy,
            comment: options.comment ?? each.attendee.message ?? undefined,
          }),
        ),
      },
    ];
  });
}

function listAnswers({ changes, stored }: SchedulingGroup, userId: number, ofNew: boolean): Answered[] {
  const main = findMainChange(changes);
  const series = main ? main.before : stored.find((each) => !isException(each));
  const find = (each: Appointment | undefined) =>
    each?.attendees.find(({ type, entity, hidden }) => type === PARTICIPANT.user && entity === userId && !hidden);
  const answers: Answered[] = [];
  const isWholeGone = main?.before !== undefined && !main.after;
  for (const change of changes) {
    const { before, after } = change;
    if (isWholeGone && change !== main) continue;
    const isNew = !before && ofNew;
    const base =
      before ?? (!isNew && isException(after!) ? findOccurrence(series, after!.recurrenceLocalMs!) : undefined);
    const [was, is] = [find(base), find(after)];
    if (!base && !(isNew && is)) continue;
    const answered = is ? partStatOf(is) : DECLINED;
    const attendee = is ?? was;
    if (!attendee || answered === 'NEEDS-ACTION') continue;
    const isSame = was && partStatOf(was) === answered && (!is || was.message === is.message);
    if (!isSame) answers.push({ appointment: (after ?? base)!, attendee, partStat: answered });
  }
  for (const local of main ? listNewExdates(main) : []) {
    if (changes.some(({ before }) => before !== main?.before && before?.recurrenceLocalMs === local)) continue;
    const occurrence = findOccurrence(main?.before, local);
    const attendee = find(occurrence);
    if (attendee && partStatOf(attendee) !== DECLINED)
      answers.push({ appointment: occurrence!, attendee, partStat: DECLINED });
  }
  return answers;
}
