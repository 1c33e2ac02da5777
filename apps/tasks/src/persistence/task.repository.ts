import { Injectable } from '@nestjs/common';
import { ObjectReminderRepository, ObjectRepository, toStorableJson } from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import { isDelegated, type Participant, type Task, TEXT_FIELDS } from '../domain/task';

/** A task as its unique id finds it. */
export type IdentifiedTask = Pick<Task, 'id' | 'uid' | 'createdBy' | 'isPrivate'> & {
  readonly folders: readonly number[];
};

/** Table columns by property of {@link Task}, with their types. */
const FIELDS: readonly (readonly [property: string, column: string, type: string])[] = [
  ['id', 'id', 'int'],
  ['uid', 'uid', 'text'],
  ['createdBy', 'created_by', 'int'],
  ['modifiedBy', 'modified_by', 'int'],
  ['created', 'created', 'bigint'],
  ['lastModified', 'last_modified', 'bigint'],
  ['isPrivate', 'is_private', 'boolean'],
  ['color', 'color', 'smallint'],
  ['status', 'status', 'smallint'],
  ['percent', 'percent', 'smallint'],
  ['dateCompleted', 'date_completed', 'bigint'],
  ['priority', 'priority', 'smallint'],
  ['startMs', 'start_ms', 'bigint'],
  ['endMs', 'end_ms', 'bigint'],
  ['fullTime', 'full_time', 'boolean'],
  ['timeZone', 'time_zone', 'text'],
  ['actualDuration', 'actual_duration', 'bigint'],
  ['targetDuration', 'target_duration', 'bigint'],
  ['actualCosts', 'actual_costs', 'numeric'],
  ['targetCosts', 'target_costs', 'numeric'],
  ['afterComplete', 'after_complete', 'bigint'],
  ['rule', 'rule', 'text'],
  ['recurrenceType', 'recurrence_type', 'smallint'],
  ['interval', 'recurrence_interval', 'int'],
  ['days', 'recurrence_days', 'smallint'],
  ['dayInMonth', 'recurrence_day_in_month', 'smallint'],
  ['month', 'recurrence_month', 'smallint'],
  ['until', 'recurrence_until', 'bigint'],
  ['occurrences', 'recurrence_occurrences', 'int'],
  ['isSucceeded', 'is_succeeded', 'boolean'],
  ['organizerId', 'organizer_id', 'int'],
  ['principalId', 'principal_id', 'int'],
  ['sequence', 'sequence', 'int'],
  ['extra', 'extra', 'jsonb'],
  ...TEXT_FIELDS.map((name) => [name, name, 'text'] as const),
];
/** Values that JavaScript numbers do not hold exactly are read as text. */
const AS_TEXT: ReadonlySet<string> = new Set(['actualDuration', 'targetDuration', 'actualCosts', 'targetCosts']);
const STORED = [...FIELDS, ['isDelegated', 'is_delegated', 'boolean'] as const];
const RECORD = STORED.map(([property, , type]) => `"${property}" ${type}`).join(', ');
const INSERT = `insert into task (context_id, ${STORED.map(([, column]) => column).join(', ')})
  select $1, ${STORED.map(([property]) => `x."${property}"`).join(', ')} from json_to_recordset($2) as x (${RECORD})`;
const UPDATE = `update task a set ${STORED.slice(1)
  .map(([property, column]) => `${column} = x."${property}"`)
  .join(', ')}
  from json_to_recordset($2) as x (${RECORD}) where a.context_id = $1 and a.id = x.id`;

/** The fields of a task `a` with its participants and folders. */
const TASK = `${FIELDS.map(([property, column]) => `a.${column}${AS_TEXT.has(property) ? '::text' : ''} as "${property}"`).join(', ')},
  (select coalesce(json_agg(json_build_object('type', p.type, 'entity', p.entity, 'mail', p.mail,
     'displayName', p.display_name, 'listed', p.listed, 'removed', p.removed, 'confirm', p.confirm, 'message', p.message)
     order by p.position), '[]') from task_participant p where p.context_id = a.context_id and p.task_id = a.id) as participants,
  (select json_agg(json_build_object('folderId', l.folder_id, 'userId', l.user_id, 'isOrigin', l.is_origin)
     order by l.folder_id) from task_folder l where l.context_id = a.context_id and l.task_id = a.id) as links`;

const toRow = (task: Task) => ({ ...task, isDelegated: isDelegated(task.participants) });

/** Rows of tasks, their participants and folders. */
@Injectable()
export class TaskRepository extends ObjectRepository {
  constructor(private readonly reminders: ObjectReminderRepository) {
    super('task_counter', 'task');
  }

  /** Tasks by id in no particular order; unknown ones are left out. */
  listByIds(db: Reader, ids: readonly number[]): Promise<Task[]> {
    return db.objects<Task>(`select ${TASK} from task a where a.context_id = $1 and a.id = any($2::int[])`, ids);
  }

  /** Tasks by id, locked until the end of the transaction in the order of their ids. */
  async lockByIds(tx: Transaction, ids: readonly number[]): Promise<Task[]> {
    await tx.rows('select id from task where context_id = $1 and id = any($2::int[]) order by id for update', ids);
    // A statement of its own: participants and folders are those of after the lock.
    return this.listByIds(tx, ids);
  }

  /** Tasks of a folder in the order of their ids, those after one of them. */
  listByFolder(db: Reader, folderId: number, afterId: number, limit: number): Promise<Task[]> {
    return db.objects<Task>(
      `select ${TASK} from task_folder f join task a on a.context_id = $1 and a.id = f.task_id
       where f.context_id = $1 and f.folder_id = $2 and f.task_id > $3 order by f.task_id limit $4`,
      folderId,
      afterId,
      limit,
    );
  }

  /** Ids, folders and what decides who sees them, of tasks with one of some unique ids. */
  listByUids(db: Reader, uids: readonly string[]): Promise<IdentifiedTask[]> {
    return db.objects(
      `select a.id, a.uid, a.created_by as "createdBy", a.is_private as "isPrivate",
         array(select l.folder_id from task_folder l where l.context_id = $1 and l.task_id = a.id) as folders
       from task a where a.context_id = $1 and md5(a.uid) = any(array(select md5(u) from unnest($2::text[]) u))
         and a.uid = any($2::text[])`,
      uids,
    );
  }

  /** Stores new tasks with the next statements. */
  insert(tx: Transaction, tasks: readonly Task[]): void {
    tx.enqueue(INSERT, toStorableJson(tasks.map(toRow)));
    this.insertLinks(tx, tasks);
    for (const { id, participants } of tasks)
      if (participants.length > 0) this.insertParticipants(tx, id, participants);
  }

  /** Replaces a stored task with the next statements. */
  update(tx: Transaction, task: Task): void {
    tx.enqueue(UPDATE, toStorableJson([toRow(task)]));
  }

  /** Replaces the participants of a task with the next statements. */
  replaceParticipants(tx: Transaction, taskId: number, participants: readonly Participant[]): void {
    tx.enqueue('delete from task_participant where context_id = $1 and task_id = $2', taskId);
    if (participants.length > 0) this.insertParticipants(tx, taskId, participants);
  }

  private insertParticipants(tx: Transaction, taskId: number, participants: readonly Participant[]): void {
    tx.enqueue(
      `insert into task_participant (context_id, task_id, position, type, entity, mail, display_name, listed, removed,
         confirm, message)
       select $1, $2, x.position, x.type, x.entity, x.mail, x."displayName", x.listed, x.removed, x.confirm, x.message
       from json_to_recordset($3) as x (position int, type smallint, entity int, mail text, "displayName" text,
         listed boolean, removed boolean, confirm smallint, message text)`,
      taskId,
      toStorableJson(participants.map((participant, position) => ({ ...participant, position }))),
    );
  }

  /** Replaces the folders of a task with the next statements; those that it left get a tombstone. */
  replaceLinks(tx: Transaction, before: Task, after: Task): void {
    const kept = new Set(after.links.map(({ folderId }) => folderId));
    const left = before.links.filter(({ folderId }) => !kept.has(folderId));
    if (left.length > 0) this.insertTombstones(tx, [{ ...before, links: left }], after.lastModified);
    const seeing = new Set(after.links.map(({ userId }) => userId));
    const gone = left.flatMap(({ userId }) => (userId === null || seeing.has(userId) ? [] : [userId]));
    if (gone.length > 0) this.reminders.remove(tx, after.id, gone);
    tx.enqueue('delete from task_folder where context_id = $1 and task_id = $2', after.id);
    this.insertLinks(tx, [after]);
    this.removeTombstones(tx, after);
  }

  /** Lets `updates` of all folders of a task find it by its new stamp. */
  touchLinks(tx: Transaction, taskId: number, stamp: number): void {
    tx.enqueue('update task_folder set last_modified = $3 where context_id = $1 and task_id = $2', taskId, stamp);
  }

  private insertLinks(tx: Transaction, tasks: readonly Task[]): void {
    tx.enqueue(
      `insert into task_folder (context_id, folder_id, task_id, user_id, is_origin, last_modified)
       select $1, x."folderId", x."taskId", x."userId", x."isOrigin", x."lastModified"
       from json_to_recordset($2) as x ("folderId" int, "taskId" int, "userId" int, "isOrigin" boolean, "lastModified" bigint)`,
      toStorableJson(
        tasks.flatMap(({ id, lastModified, links }) => links.map((link) => ({ ...link, taskId: id, lastModified }))),
      ),
    );
  }

  /** Deletes tasks with the next statements and leaves tombstones in all their folders. */
  remove(tx: Transaction, tasks: readonly Task[], stamp: number): void {
    this.insertTombstones(tx, tasks, stamp);
    tx.enqueue(
      'delete from task where context_id = $1 and id = any($2::int[])',
      tasks.map(({ id }) => id),
    );
  }

  private insertTombstones(tx: Transaction, tasks: readonly Task[], stamp: number): void {
    const gone = tasks.flatMap((task) => task.links.map(({ folderId }) => ({ ...task, folderId })));
    tx.enqueue(
      `insert into task_tombstone (context_id, folder_id, id, created_by, last_modified)
       select $1, x.*, $5 from unnest($2::int[], $3::int[], $4::int[]) as x
       on conflict (context_id, folder_id, id) do update
         set created_by = excluded.created_by, last_modified = excluded.last_modified`,
      gone.map(({ folderId }) => folderId),
      gone.map(({ id }) => id),
      gone.map(({ createdBy }) => createdBy),
      stamp,
    );
  }

  private removeTombstones(tx: Transaction, { id, links }: Task): void {
    tx.enqueue(
      'delete from task_tombstone where context_id = $1 and id = $2 and folder_id = any($3::int[])',
      id,
      links.map(({ folderId }) => folderId),
    );
  }

  /** Deletes everything of the context. */
  async removeContext(tx: Transaction): Promise<void> {
    await tx.run('delete from task where context_id = $1');
    await tx.run('delete from task_tombstone where context_id = $1');
    await tx.run('delete from folder_access where context_id = $1');
    await tx.run('delete from task_counter where context_id = $1');
  }
}
