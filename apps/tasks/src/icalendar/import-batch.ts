import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  MAX_TASK_PARTICIPANTS,
  TaskLimitErrors,
  type TaskParticipant,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory, loadPeople, type People } from '@groupware/directory';
import type { CalendarTodo, ImportedItem } from '@groupware/icalendar';
import type { Transaction } from '@groupware/persistence';
import { Clock, isTurnOver, Properties, yieldToEventLoop } from '@groupware/service-kit';
import { deriveUid, isSameStored, toStorableUid, type AccessedFolder, type OwnedObject } from '@groupware/folders';
import { buildParticipants } from '../domain/participants';
import { EMPTY_TASK, PARTICIPANT, STATUS, type Participant, type Task, type TaskContent } from '../domain/task';
import { requestZone } from '../domain/task-id';
import { toStoredText } from '../domain/task-input';
import { FolderAccess, isReadable, requireMayCreate, requireWritable } from '../folders/folder-access';
import { TaskRepository } from '../persistence/task.repository';
import { requirePrivacy, TaskEditor, type TaskChange } from '../tasks/task-editor';
import { TaskWriter } from '../tasks/task-writer';
import { fromTodo, toMail } from './from-todo';

/** A component of a file that is a task. */
export type ReadableItem = ImportedItem & { readonly todo: CalendarTodo };

/** An import under way. */
export interface ImportRun {
  readonly folderId: number;
  /** Every task gets a unique id that is made of this and its own. */
  readonly freshUids?: string;
  /** Most tasks of the context, below zero without limit. */
  readonly quota: number;
}

/** A stored task, or why it is not stored. */
export type ImportOutcome = { readonly id: number; readonly lastModified: number } | { readonly error: CatalogueError };

/** Facts of other services about the people of a batch. */
interface Surroundings {
  readonly people: People;
  readonly mostParticipants: number;
  readonly zone: string;
}

const deriveUidOf = (...texts: readonly string[]): string => deriveUid(JSON.stringify(texts));

/** Unique id of the task of a component: a changed occurrence of a series is a task of its own. */
function uidOf({ uid, recurrenceId }: CalendarTodo, { freshUids }: ImportRun): string {
  const stored = toStorableUid(uid);
  const own = recurrenceId ? deriveUidOf(stored, recurrenceId.kind, String(recurrenceId.localMs)) : stored;
  return freshUids === undefined ? own : deriveUidOf(freshUids, own);
}

const toRequests = (todo: CalendarTodo): TaskParticipant[] =>
  todo.attendees.flatMap(({ uri }) => {
    const mail = toMail(uri);
    return mail === undefined ? [] : [{ type: PARTICIPANT.external, mail }];
  });

/** Answers of participants by PARTSTAT. */
const CONFIRMED: Readonly<Record<string, number>> = { ACCEPTED: 1, DECLINED: 2, TENTATIVE: 3 };

/** Stores a batch of components of a file in one transaction. A task is known by its unique id within the folder. */
@Injectable()
export class ImportBatch {
  constructor(
    private readonly access: FolderAccess,
    private readonly tasks: TaskRepository,
    private readonly editor: TaskEditor,
    private readonly writer: TaskWriter,
    private readonly directory: Directory,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** Asks for the people of a batch. Use it before the transaction. */
  async prepare(user: UserPrincipal, batch: readonly ReadableItem[]): Promise<Surroundings> {
    const mostParticipants = await this.properties.get(MAX_TASK_PARTICIPANTS, { contextId: user.contextId });
    const requests = batch.flatMap(({ todo }) => (todo.attendees.length > mostParticipants ? [] : toRequests(todo)));
    const people = await loadPeople(this.directory, user, requests, []);
    return { people, mostParticipants, zone: requestZone(undefined, user.timeZone) };
  }

  /** Outcomes in the order of the batch. @throws TSK-0025, TSK-0059, FLD-0008; QUOTA-0003 where there is no room for all */
  async store(
    tx: Transaction,
    user: UserPrincipal,
    run: ImportRun,
    batch: readonly ReadableItem[],
    around: Surroundings,
  ): Promise<ImportOutcome[]> {
    const folder = (await this.access.lockFolders(tx, user, [run.folderId])).get(run.folderId)!;
    requireMayCreate(folder);
    await this.writer.lockContext(tx);
    const wanted = batch.map(({ todo }) => uidOf(todo, run));
    // A task with the id in another folder stays what it is, and so does one that the user does not read, of which nothing is told:
    // the new one gets an id that is the same for every import.
    const candidates = wanted.map((uid) => [
      uid,
      deriveUidOf(String(run.folderId), uid),
      deriveUidOf(String(run.folderId), String(user.userId), uid),
    ]);
    const found = await this.tasks.listByUids(tx, candidates.flat());
    const isKnown = (task: OwnedObject): boolean => isReadable(task, folder, user) || task.createdBy === user.userId;
    const visible = found.filter((task) => task.folders.includes(folder.id) && isKnown(task));
    const here = new Map(visible.map(({ uid, id }) => [uid, id]));
    const taken = new Set(found.filter(({ uid }) => !here.has(uid)).map(({ uid }) => uid));
    const uids = candidates.map((each) => each.find((uid) => !taken.has(uid)) ?? each.at(-1)!);
    const known = await this.tasks.lockByIds(tx, [...new Set(uids.flatMap((uid) => here.get(uid) ?? []))]);
    const stored = new Map(known.map((task) => [task.uid, task]));
    const created = new Map<string, TaskChange<TaskContent>>();
    const errors = new Map<number, CatalogueError>();
    for (const [at, { todo }] of batch.entries()) {
      if (isTurnOver()) await yieldToEventLoop();
      const uid = uids[at]!;
      try {
        const before = stored.get(uid);
        if (before) {
          requireWritable(before, folder, user);
          stored.set(uid, await this.update(tx, user, folder, before, todo, around));
        } else {
          const empty = { ...EMPTY_TASK, uid: toStoredText('uid', uid)!, timeZone: around.zone };
          const change = this.toChange(user, empty, [], todo, around);
          requirePrivacy({ ...change.content, participants: change.participants ?? [] }, folder, user);
          created.set(uid, change);
        }
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        errors.set(at, error);
      }
    }
    if (created.size > 0) {
      const tasks = await this.editor.createIn(tx, user, folder, [...created.values()], run.quota);
      for (const task of tasks) stored.set(task.uid, task);
    }
    return batch.map((_item, at): ImportOutcome => {
      const error = errors.get(at);
      if (error) return { error };
      // No more than is told: what a transaction returns is kept with it.
      const { id, lastModified } = stored.get(uids[at]!)!;
      return { id, lastModified };
    });
  }

  /** Brings a task up to date; one that says the same already stays as it is. */
  private async update(
    tx: Transaction,
    user: UserPrincipal,
    folder: AccessedFolder,
    before: Task,
    todo: CalendarTodo,
    around: Surroundings,
  ): Promise<Task> {
    const change = this.toChange(user, before, before.participants, todo, around);
    const { content, participants } = change;
    const isSame = (Object.keys(content) as (keyof Task)[]).every(
      (key) => key === 'participants' || isSameStored(before[key], content[key]),
    );
    if (isSame && (participants === undefined || isSameStored(before.participants, participants))) return before;
    return this.editor.change(tx, user, before, { folder, target: folder }, change);
  }

  /** Maps a component to a change of a task. @throws the errors of the fields */
  private toChange<T extends TaskContent>(
    user: UserPrincipal,
    before: T,
    participants: readonly Participant[],
    todo: CalendarTodo,
    { people, mostParticipants, zone }: Surroundings,
  ): TaskChange<T> {
    // Before anything is made of them: a file may name very many.
    if (todo.attendees.length > mostParticipants) throw TaskLimitErrors.tooManyParticipants(mostParticipants);
    const read = fromTodo(todo, before, zone);
    const mayDelegate = user.capabilities.includes('delegate_tasks') && read.participants.length > 0;
    const isOver = read.alarmMs !== null && read.alarmMs <= this.clock.now();
    return {
      // Fields of the task that the component does not have are those of before.
      content: { ...before, ...read.content },
      participants: mayDelegate
        ? buildParticipants(read.participants, participants, people, 0, mostParticipants).map((participant) =>
            withAnswer(participant, user, todo),
          )
        : undefined,
      // A user is not reminded of what is over.
      alarmMs: isOver || read.content.status === STATUS.done ? null : read.alarmMs,
      people,
    };
  }
}

/** The participant with the answer of the file; what other users answer is theirs to say. */
function withAnswer(participant: Participant, { userId }: UserPrincipal, todo: CalendarTodo): Participant {
  if (participant.removed || participant.mail === null) return participant;
  if (participant.type !== PARTICIPANT.external && participant.entity !== userId) return participant;
  const mail = participant.mail.toLowerCase();
  const partStat = todo.attendees.find(({ uri }) => toMail(uri)?.toLowerCase() === mail)?.partStat;
  return { ...participant, confirm: CONFIRMED[partStat ?? ''] ?? participant.confirm };
}
