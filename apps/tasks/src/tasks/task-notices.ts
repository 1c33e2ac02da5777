import {
  taskEvents,
  type AddedPerson,
  type MailTemplate,
  type MailValues,
  type NoticedPerson,
  type ParticipantNotice,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { CONFIRMATION, listUsers, PARTICIPANT, TEXT_FIELDS, type Participant, type Task } from '../domain/task';
import { dayOf } from '../domain/task-input';

/** Most characters in the text of a mail. */
const MAX_TITLE = 255;
const MAX_TEXT = 10_000;
const ANSWERS: Readonly<Record<number, MailTemplate>> = {
  [CONFIRMATION.accepted]: 'taskAccepted',
  [CONFIRMATION.declined]: 'taskDeclined',
  [CONFIRMATION.tentative]: 'taskTentative',
};
/** Fields whose change is told. */
const SHOWN = [
  ...TEXT_FIELDS,
  ...(['startMs', 'endMs', 'fullTime', 'rule', 'status', 'percent', 'priority', 'dateCompleted'] as const),
  ...(['actualDuration', 'targetDuration', 'actualCosts', 'targetCosts'] as const),
] as const;

/** A task before and after something was done to it; without one of them it is new or gone. */
export interface TaskStep {
  readonly before?: Task;
  readonly after?: Task;
}

/** Recipients of a notice: users by id, others by address. */
interface Audience {
  readonly users: ReadonlySet<number>;
  readonly people: ReadonlyMap<string, NoticedPerson>;
}

/** Tells contacts whom a user added to a task, by an event that leaves with the commit. */
export async function tellAdded(tx: Transaction, actor: number, { before, after }: TaskStep): Promise<void> {
  const known = new Set((before?.participants ?? []).filter(({ removed }) => !removed).map(addressOf));
  const people = (after?.participants ?? []).flatMap((participant): AddedPerson[] => {
    const { entity, mail, displayName, listed, removed } = participant;
    if (!mail || !listed || removed || entity === actor || known.has(addressOf(participant))) return [];
    return [{ address: mail, ...(displayName && { name: displayName }) }];
  });
  if (people.length > 0) await tx.publish(taskEvents['participants.added'], { userId: actor, people });
}

const addressOf = ({ mail }: Participant): string | undefined => mail?.toLowerCase();

/** Tells those who take part in a task, and its creator, of what a user did to it, by an event that leaves with the commit. */
export async function tellChange(tx: Transaction, actor: number, { before, after }: TaskStep): Promise<void> {
  const [were, are] = [toAudience(before), toAudience(after)];
  const task = (after ?? before)!;
  const notices: ParticipantNotice[] = [
    ...draft('taskEnd', without(were, are), before, []),
    ...draft('taskGiven', without(are, were), after, []),
  ];
  const changed = before && after ? listChanged(before, after) : undefined;
  if (changed) notices.push(...draft('taskUpdate', withCreator(common(were, are), task), task, changed));
  for (const notice of notices) await tx.publish(taskEvents['notice.requested'], notice);

  function draft(
    template: MailTemplate,
    { users, people }: Audience,
    subject: Task | undefined,
    names: readonly string[],
  ): ParticipantNotice[] {
    const told = [...users].filter((user) => user !== actor);
    if (!subject || told.length + people.size === 0) return [];
    const values = { ...toValues(subject), ...(names.length > 0 && { changed: [...names] }) };
    return [{ userId: actor, users: told, people: [...people.values()], reason: 'change', template, values }];
  }
}

/** Tells the creator of a task and its other participants how one of them answered. */
export async function tellAnswer(
  tx: Transaction,
  task: Task,
  { entity, confirm, message }: Pick<Participant, 'entity' | 'confirm' | 'message'>,
): Promise<void> {
  const template = ANSWERS[confirm];
  if (!template || entity === null) return;
  const { description: _description, ...values } = toValues(task);
  const notice = {
    userId: entity,
    template,
    values: { ...values, ...(message && { message: message.slice(0, MAX_TEXT) }) },
  };
  const others = listUsers(task.participants).filter((user) => user !== entity && user !== task.createdBy);
  const told: Pick<ParticipantNotice, 'users' | 'reason'>[] = [
    { users: task.createdBy === entity ? [] : [task.createdBy], reason: 'answerToOrganizer' },
    { users: others, reason: 'answerToAttendee' },
  ];
  for (const each of told)
    if (each.users.length > 0) await tx.publish(taskEvents['notice.requested'], { ...notice, ...each });
}

function toAudience(task: Task | undefined): Audience {
  const people = (task?.participants ?? []).flatMap(({ type, mail, displayName, removed }) =>
    type === PARTICIPANT.external && mail !== null && !removed
      ? [[mail.toLowerCase(), { address: mail, ...(displayName && { name: displayName }) }] as const]
      : [],
  );
  return { users: new Set(listUsers(task?.participants ?? [])), people: new Map(people) };
}

const select = (from: Audience, in_: Audience, wanted: boolean): Audience => ({
  users: new Set([...from.users].filter((user) => in_.users.has(user) === wanted)),
  people: new Map([...from.people].filter(([address]) => in_.people.has(address) === wanted)),
});
const without = (from: Audience, others: Audience): Audience => select(from, others, false);
const common = (from: Audience, others: Audience): Audience => select(from, others, true);

/** Adds the creator where there are participants. */
const withCreator = ({ users, people }: Audience, { createdBy }: Task): Audience => ({
  users: users.size + people.size === 0 ? users : new Set([...users, createdBy]),
  people,
});

/** Names of what differs, as in the values of mails; undefined where no shown field does. */
function listChanged(before: Task, after: Task): string[] | undefined {
  const differ = (...names: (typeof SHOWN)[number][]): boolean => names.some((name) => before[name] !== after[name]);
  if (!differ(...SHOWN)) return undefined;
  return [
    ...(differ('title') ? ['summary'] : []),
    ...(differ('note') ? ['description'] : []),
    ...(differ('endMs', 'fullTime') ? ['time'] : []),
    ...(differ('rule') ? ['rule'] : []),
    ...(differ('status', 'percent') ? ['state'] : []),
  ];
}

function toValues({
  title,
  note,
  startMs,
  endMs,
  fullTime,
  timeZone,
  rule,
  status,
  percent,
}: Task): Omit<MailValues, 'sender'> {
  const moment = (ms: number): number => (fullTime ? dayOf(ms) : ms);
  return {
    ...(title && { summary: title.slice(0, MAX_TITLE) }),
    ...(note && { description: note.slice(0, MAX_TEXT) }),
    ...(startMs !== null && { startMs: moment(startMs) }),
    ...(endMs !== null && { endMs: moment(endMs) }),
    ...(fullTime ? { wholeDays: true } : { timeZone }),
    ...(rule !== null && { recurring: true }),
    status,
    ...(percent !== null && { percent }),
  };
}
