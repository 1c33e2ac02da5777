import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  MAX_TASK_PARTICIPANTS,
  TASK_RIGHTS,
  recordCheck,
  TaskErrors,
  type DirectoryUser,
  type TaskData,
  type TaskUpdateQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory, loadPeople, type People } from '@groupware/directory';
import { DefaultFolder, FolderRepository, isOwnFolder, ObjectReminders, type AccessedFolder } from '@groupware/folders';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { buildParticipants } from '../domain/participants';
import { applyRecurrence, nextInstance } from '../domain/recurrence';
import {
  EMPTY_TASK,
  isDelegated,
  STATUS,
  type NewTask,
  type Task,
  type TaskContent,
  type TaskLink,
} from '../domain/task';
import { parseTaskId, requestZone } from '../domain/task-id';
import { applyContent, toInstant, toStoredText } from '../domain/task-input';
import {
  FolderAccess,
  parseTaskFolderId,
  requireDeletable,
  requireMayCreate,
  requireWritable,
} from '../folders/folder-access';
import { TaskRepository } from '../persistence/task.repository';
import { assignFolders, listUsersWithoutFolder, originOf } from './task-folders';
import { tellAdded, tellChange } from './task-notices';
import { TaskQuota } from './task-quota';
import { TaskWriter } from './task-writer';

/** A request, and what other services know about it: loaded before the transaction. */
interface TaskRequest {
  readonly body: TaskData;
  readonly zone: string;
  readonly people: People;
  readonly mostParticipants: number;
  /** Most tasks of the context. */
  readonly limit: number;
}

/** State that a task is to get, from whatever source. */
export interface TaskChange<T extends TaskContent = Task> {
  readonly content: T;
  /** Undefined leaves them as they are. */
  readonly participants?: Task['participants'] | undefined;
  /** Alarm of the acting user, ms UTC; null removes it, undefined leaves it as it is. */
  readonly alarmMs?: number | null | undefined;
  /** Entries of the directory for the participants. */
  readonly people: People;
}

/** Fields of a body, where null clears. */
type Nullable = { readonly [K in keyof TaskData]?: TaskData[K] | null };

/** Creates and changes tasks for users. */
@Injectable()
export class TaskEditor {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly properties: Properties,
    private readonly directory: Directory,
    private readonly access: FolderAccess,
    private readonly folders: FolderRepository,
    private readonly defaultFolder: DefaultFolder,
    private readonly tasks: TaskRepository,
    private readonly quota: TaskQuota,
    private readonly writer: TaskWriter,
    private readonly reminders: ObjectReminders,
  ) {}

  /** Creates a task. @throws the errors of `tasks?action=new` */
  async create(user: UserPrincipal, timezone: string | undefined, body: TaskData): Promise<Task> {
    if (!body.folder_id) throw TaskErrors.folderMissing();
    const folderId = parseTaskFolderId(body.folder_id);
    const request = await this.prepare(user, timezone, body);
    const principal = await this.findPrincipal(user, folderId, body);
    return this.database.transact(user, async (tx) => {
      const folder = (await this.access.lockFolders(tx, user, [folderId])).get(folderId)!;
      requireMayCreate(folder);
      const uid = toStoredText('uid', body.uid) ?? randomUUID();
      const change = this.toChange(user, { ...EMPTY_TASK, uid, timeZone: request.zone }, 0, request);
      const content = toOrganized(change.content, change.participants ?? [], user, principal);
      const [task] = await this.createIn(tx, user, folder, [{ ...change, content }], request.limit);
      await tellAdded(tx, user.userId, { after: task! });
      if (body.notification !== false) await tellChange(tx, user.userId, { after: task! });
      return task!;
    });
  }

  /** Creates tasks in a folder in which the user may create. @throws TSK-0008, TSK-0028, QUOTA-0003 */
  async createIn(
    tx: Transaction,
    user: UserPrincipal,
    folder: AccessedFolder,
    changes: readonly TaskChange<TaskContent>[],
    limit: number,
  ): Promise<Task[]> {
    const created: NewTask[] = [];
    for (const { content, participants = [], people } of changes) {
      requirePrivacy({ ...content, participants }, folder, user);
      const links = await this.findFolders(tx, toOrigin(folder), folder, { participants }, people);
      created.push({ ...content, participants, links });
    }
    const tasks = await this.writer.create(tx, user.userId, created, limit);
    for (const [at, { alarmMs }] of changes.entries()) this.reminders.setAlarm(tx, tasks[at]!.id, user.userId, alarmMs);
    return tasks;
  }

  /** Changes a task, and moves it where the body names another folder. @throws the errors of `tasks?action=update` */
  async update(user: UserPrincipal, query: TaskUpdateQuery, body: TaskData): Promise<Task> {
    const folderId = parseTaskFolderId(query.folder);
    const targetId = body.folder_id ? parseTaskFolderId(body.folder_id) : folderId;
    const id = parseTaskId(query.id, user.contextId);
    const request = await this.prepare(user, query.timezone, body);
    return this.database.transact(user, async (tx) => {
      const folders = await this.access.lockFolders(tx, user, [folderId, targetId]);
      await this.writer.lockContext(tx);
      const [before] = await this.tasks.lockByIds(tx, [id]);
      if (!before) throw TaskErrors.notFound(id, user.contextId);
      const folder = folders.get(folderId)!;
      requireWritable(before, folder, user);
      if (before.lastModified > query.timestamp)
        throw TaskErrors.changedInTheMeantime(id, query.timestamp, before.lastModified);
      if (body.uid != null && body.uid !== '' && body.uid !== before.uid) throw TaskErrors.uidStays();
      const change = this.toRevision(
        user,
        before,
        this.toChange(user, before, before.id, request, before.participants),
      );
      const after = await this.change(tx, user, before, { folder, target: folders.get(targetId)! }, change);
      await tellAdded(tx, user.userId, { before, after });
      if (body.notification !== false) await tellChange(tx, user.userId, { before, after });
      return after;
    });
  }

  /**
   * Changes a task that the user may write in a folder; a series that gets done gets its next instance.
   * @throws TSK-0008, TSK-0028, TSK-0034, TSK-0042, TSK-0043
   */
  async change(
    tx: Transaction,
    user: UserPrincipal,
    before: Task,
    { folder, target }: { readonly folder: AccessedFolder; readonly target: AccessedFolder },
    { content, participants: named, alarmMs, people }: TaskChange,
  ): Promise<Task> {
    if (content.isPrivate && !before.isPrivate && before.createdBy !== user.userId) throw TaskErrors.notTheCreator();
    const participants = named ?? before.participants;
    if (target !== folder) requireMovable(before, folder, target, user);
    if (content.isPrivate && target.isPublic && target !== folder) throw TaskErrors.privateNotPublic();
    if (content.isPrivate) requirePrivacy({ ...content, participants }, target, user);
    const moved = { ...content, participants };
    const stays = target === folder && named === undefined;
    const links = stays ? before.links : await this.moveLinks(tx, before, moved, folder, target, people);
    const isCompleted = moved.status === STATUS.done && before.status !== STATUS.done && moved.rule !== null;
    const completes = isCompleted && !before.isSucceeded;
    const after = await this.writer.update(tx, user.userId, {
      before,
      after: { ...moved, links, isSucceeded: before.isSucceeded || completes },
    });
    const next = completes ? nextInstance(after, randomUUID()) : undefined;
    // A completion is never refused for want of room.
    if (next) await this.writer.create(tx, user.userId, [next], -1);
    this.reminders.setAlarm(tx, after.id, user.userId, alarmMs);
    return after;
  }

  /** The owner of a folder in which another user makes a task for participants. */
  private async findPrincipal(
    user: UserPrincipal,
    folderId: number,
    { participants }: Nullable,
  ): Promise<DirectoryUser | undefined> {
    if (!participants?.length) return undefined;
    const folder = await this.database.read(user, async (db) =>
      (await this.access.findFolders(db, user, [folderId])).get(folderId),
    );
    if (!folder || folder.isPublic || folder.owner === user.userId) return undefined;
    const entity = (await this.directory.getEntities(user, [folder.owner])).get(folder.owner);
    return entity?.kind === 'user' ? entity : undefined;
  }

  private toRevision(user: UserPrincipal, before: Task, change: TaskChange): TaskChange {
    const { content, participants = before.participants } = change;
    const organized = before.createdBy === user.userId ? toOrganized(content, participants, user) : content;
    return { ...change, content: { ...organized, sequence: content.sequence + (isRevised(before, content) ? 1 : 0) } };
  }

  /** Maps a body to a change of a task. @throws the errors of the fields, TSK-0026 */
  private toChange<T extends TaskContent>(
    user: UserPrincipal,
    before: T,
    taskId: number,
    request: TaskRequest,
    participants: Task['participants'] = [],
  ): TaskChange<T> {
    const { body, zone, people } = request;
    const { alarm }: Nullable = body;
    return {
      content: applyRecurrence(before, applyContent(before, body, zone), body),
      participants: this.readParticipants(user, request, participants, taskId),
      alarmMs: alarm == null ? alarm : toInstant('alarm', alarm, zone),
      people,
    };
  }

  /** Loads what other services know about the participants of a body. Use it before a transaction. */
  private async prepare(user: UserPrincipal, timezone: string | undefined, body: TaskData): Promise<TaskRequest> {
    const requests = (body as Nullable).participants ?? [];
    const [people, mostParticipants, limit] = await Promise.all([
      loadPeople(this.directory, user, requests, []),
      this.properties.get(MAX_TASK_PARTICIPANTS, { contextId: user.contextId }),
      this.quota.getLimit(user),
    ]);
    return { body, zone: requestZone(timezone, user.timeZone), people, mostParticipants, limit };
  }

  /** The participants of a body; undefined when it does not say. @throws TSK-0026 */
  private readParticipants(
    user: UserPrincipal,
    { body, people, mostParticipants }: TaskRequest,
    before: Task['participants'],
    taskId: number,
  ): Task['participants'] | undefined {
    const requests = (body as Nullable).participants;
    if (requests === undefined) return undefined;
    if (requests?.length && !user.capabilities.includes('delegate_tasks')) throw TaskErrors.noDelegation();
    return buildParticipants(requests ?? [], before, people, taskId, mostParticipants);
  }

  private async moveLinks(
    tx: Transaction,
    before: Task,
    after: Task,
    folder: AccessedFolder,
    target: AccessedFolder,
    people: People,
  ): Promise<TaskLink[]> {
    const moved = before.links.find(({ folderId }) => folderId === folder.id)!;
    const origin = originOf(before);
    const isPrivateMove = target !== folder && !target.isPublic && !folder.isPublic;
    // A public folder is the only one of its tasks; between private ones the own link moves.
    if (target !== folder && !isPrivateMove) return this.findFolders(tx, toOrigin(target), target, after, people);
    const place = (link: TaskLink): TaskLink => (link === moved ? { ...link, folderId: target.id } : link);
    const home = place(origin);
    const owner = { isPublic: home.userId === null, owner: home.userId ?? 0 };
    return this.findFolders(tx, home, owner, after, people, before.links.map(place));
  }

  /** Folders in which a task is seen; default folders that are missing are made. */
  private async findFolders(
    tx: Transaction,
    origin: TaskLink,
    { isPublic, owner }: Pick<AccessedFolder, 'isPublic' | 'owner'>,
    { participants }: Pick<Task, 'participants'>,
    people: People,
    before: readonly TaskLink[] = [],
  ): Promise<TaskLink[]> {
    const users = listUsersWithoutFolder({ isPublic, owner }, participants, before);
    const defaults = users.length > 0 ? await this.folders.findDefaults(tx, users) : new Map<number, number>();
    for (const id of [...users].sort((a, b) => a - b)) {
      if (defaults.has(id)) continue;
      const entity = people.entities.get(id);
      const locale = entity?.kind === 'user' ? entity.locale : 'en_US';
      defaults.set(id, await this.defaultFolder.ensureDefaultFolder(tx, id, locale));
    }
    return assignFolders(origin, participants, before, defaults);
  }
}

const toOrigin = ({ id, isPublic, owner }: AccessedFolder): TaskLink => ({
  folderId: id,
  userId: isPublic ? null : owner,
  isOrigin: true,
});

/** Fields that tell participants what is asked of them. */
const REVISED = ['title', 'note', 'startMs', 'endMs', 'fullTime', 'rule', 'priority'] as const;
const isRevised = (before: Task, after: Task): boolean => REVISED.some((name) => before[name] !== after[name]);

/** A task with participants names who organizes it, and for whom, unless a client said so. */
function toOrganized<T extends TaskContent>(
  content: T,
  participants: Task['participants'],
  { userId, email }: UserPrincipal,
  principal?: DirectoryUser,
): T {
  const { organizer } = content;
  if (!isDelegated(participants) || (organizer !== null && organizer.toLowerCase() !== email.toLowerCase()))
    return content;
  return {
    ...content,
    organizer: organizer ?? email,
    organizerId: userId,
    ...(principal && { principal: content.principal ?? principal.email, principalId: principal.id }),
  };
}

/** Refuses a private task in a public or shared folder (TSK-0008), or with participants (TSK-0028). */
export function requirePrivacy(
  { isPrivate, participants }: Pick<Task, 'isPrivate' | 'participants'>,
  folder: AccessedFolder,
  { userId }: UserPrincipal,
): void {
  if (!isPrivate) return;
  if (!isOwnFolder(folder, userId)) throw TaskErrors.privateNotHere();
  if (isDelegated(participants)) throw TaskErrors.privateNotDelegated();
}

/** Refuses a move without the rights to it, or from or to a folder that another user shares (TSK-0034). */
function requireMovable(task: Task, folder: AccessedFolder, target: AccessedFolder, user: UserPrincipal): void {
  recordCheck(TASK_RIGHTS.remove);
  const isShared = (place: AccessedFolder): boolean => !place.isPublic && place.owner !== user.userId;
  if (isShared(folder) || isShared(target)) throw TaskErrors.notMovable();
  requireDeletable(task, folder, user);
  requireMayCreate(target);
  if (task.links.some(({ folderId }) => folderId === target.id)) throw TaskErrors.notMovable();
}
