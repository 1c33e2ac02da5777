import { RequestErrors } from '../edge/edge.errors';
import { FolderErrors } from '../folders/folder.errors';
import { action, defineModule, Field, json, jsonOneOrList, one, requireRights, rows, value } from '../kit';
import { ROW_LIMIT } from '../objects/row-range';
import { QuotaErrors } from '../quota/quota.errors';
import { TASK_RIGHTS } from './task.access';
import { TaskErrors, TaskLimitErrors } from './task.errors';
import { TaskData } from './task.model';

/** The zone of a request. */
export class TaskZoneQuery {
  @Field.text({ doc: 'Zone of times; default: the zone of the user', optional: true, maxLength: 128 })
  timezone?: string;
}

/** Columns of an answer. */
export class TaskColumnsQuery extends TaskZoneQuery {
  @Field.columns({ doc: 'Column numbers of the answer, or all, or list; unknown numbers are answered with null' })
  columns!: string[];
}

/** Columns, order and part of a list. */
export class TaskOrderQuery extends TaskColumnsQuery {
  @Field.text({ doc: 'Column to sort by; 316 and 317 as 201 and 202; default: by id', optional: true, maxLength: 64 })
  sort?: string;
  @Field.text({
    doc: 'asc (default), tasks without value first, or desc',
    optional: true,
    values: ['asc', 'desc', 'ASC', 'DESC'],
  })
  order?: string;
  @Field.int({ doc: 'First row wanted, from 0', optional: true, min: 0 }) left_hand_limit?: number;
  @Field.int({ doc: 'Row after the last one wanted', optional: true, min: 0 }) right_hand_limit?: number;
  @Field.text(ROW_LIMIT) limit?: string;
}

/** The tasks of a folder. */
export class TaskAllQuery extends TaskOrderQuery {
  @Field.id({ doc: 'Folder' }) folder!: string;
}

/** One task. */
export class TaskQuery extends TaskZoneQuery {
  @Field.id({ doc: 'Task' }) id!: string;
  @Field.id({ doc: 'Folder in which the user sees it' }) folder!: string;
}

/** Names a task. */
export class TaskReference {
  @Field.id({ doc: 'Task' }) id!: string;
  @Field.id({ doc: 'Folder in which the user sees it' }) folder!: string;
}

/** A request for the changes of a folder. */
export class TaskUpdatesQuery extends TaskColumnsQuery {
  @Field.id({ doc: 'Folder' }) folder!: string;
  @Field.timestamp({ doc: 'Stamp of the newest change that the client knows' }) timestamp!: number;
  @Field.text({
    doc: 'What is left out; default: deleted. Any value without deleted, such as none, adds the ids of tasks that are gone',
    optional: true,
    maxLength: 64,
  })
  ignore?: string;
  @Field.text({ doc: 'Column to sort by', optional: true, maxLength: 64 }) sort?: string;
  @Field.text({ doc: 'asc (default) or desc', optional: true, values: ['asc', 'desc', 'ASC', 'DESC'] }) order?: string;
}

/** Range of due times of a search. */
export class TaskSearchQuery extends TaskOrderQuery {
  @Field.timestamp({ doc: 'Due from then on, ms UTC', optional: true }) start?: number;
  @Field.timestamp({ doc: 'Due before then, ms UTC', optional: true }) end?: number;
}

/** A participant that is searched for. */
export class SoughtParticipant {
  @Field.int({ doc: '1 user, 2 group, 5 external' }) type!: number;
  @Field.int({ doc: 'Id of the user or group', optional: true, min: 0 }) id?: number;
  @Field.text({ doc: 'Mail address of an external one', optional: true, maxLength: 1024 }) mail?: string;
}

/** Conditions of a search. All given fields must match; `*` stands for any text, `?` for one character. */
export class TaskSearchBody {
  @Field.text({ doc: 'Anywhere in title, note or categories; empty: all', optional: true, maxLength: 1024 })
  pattern?: string;
  @Field.id({ doc: 'Folder; default: all in which the user may read', optional: true }) folder?: string;
  @Field.timestamp({ doc: 'As in the query', optional: true }) start?: number;
  @Field.timestamp({ doc: 'As in the query', optional: true }) end?: number;
  @Field.text({ doc: 'Anywhere in the title', optional: true, maxLength: 1024 }) title?: string;
  @Field.text({ doc: 'Anywhere in the categories', optional: true, maxLength: 1024 }) categories?: string;
  @Field.int({ doc: 'Status', optional: true }) status?: number;
  @Field.boolean({ doc: 'false: the pattern is not looked for in notes', optional: true }) searchinnote?: boolean;
  @Field.list(() => SoughtParticipant, {
    doc: 'All of them take part: users and groups by id, others by mail',
    optional: true,
    maxItems: 100,
  })
  participants?: SoughtParticipant[];
}

/** Which task to change. */
export class TaskUpdateQuery extends TaskQuery {
  @Field.timestamp({ doc: 'Timestamp of the task as the client knows it' }) timestamp!: number;
}

/** The state in which the client knows the tasks to delete. */
export class TaskDeletionQuery {
  @Field.timestamp({ doc: 'Tasks changed later are not deleted' }) timestamp!: number;
}

/** Which task is answered. */
export class TaskConfirmQuery {
  @Field.id({ doc: 'Task; may stand in the body instead', optional: true }) id?: string;
  @Field.id({ doc: 'Folder; not looked at', optional: true }) folder?: string;
  @Field.timestamp({ doc: 'Not looked at', optional: true }) timestamp?: number;
}

/** The answer of a participant. */
export class TaskConfirmation {
  @Field.id({ doc: 'Task, unless the query names it', optional: true }) id?: string;
  @Field.int({ doc: '0 none, 1 accepted, 2 declined, 3 tentative', min: 0, max: 3 }) confirmation!: number;
  @Field.text({ doc: 'Message beside the answer; absent: as it was', optional: true, maxLength: 8192 })
  confirmmessage?: string;
}

/** The outcome of an answer: nothing. */
export class TaskConfirmed {}

/** The task that was written. */
export class TaskId {
  @Field.id({ doc: 'Task' }) id!: string;
}

const inFolder = [
  TaskErrors.notTasks,
  TaskErrors.notReadable,
  TaskErrors.folderNotVisible,
  FolderErrors.notFound,
  FolderErrors.badId,
];
const ofList = [RequestErrors.badParameter, TaskLimitErrors.tooMany];
const ofContent = [
  RequestErrors.badParameter,
  TaskErrors.privateNotHere,
  TaskErrors.noDelegation,
  TaskErrors.privateNotDelegated,
  TaskErrors.badPercent,
  TaskErrors.percentNotStarted,
  TaskErrors.badRecurrenceType,
  TaskErrors.recurrenceValueMissing,
  TaskErrors.badStatus,
  TaskErrors.startAfterEnd,
  TaskErrors.tooLong,
  TaskErrors.externalWithoutAddress,
  TaskErrors.badData,
  TaskErrors.badParticipantType,
  TaskErrors.emptyGroup,
  TaskErrors.noNumber,
  TaskErrors.badPriority,
  TaskErrors.badCharacter,
  TaskErrors.mustNotCreate,
  TaskErrors.participantNotFound,
  TaskLimitErrors.tooManyParticipants,
];
const common = { auth: 'session', capability: 'tasks' } as const;
const reading = { access: requireRights(TASK_RIGHTS.read), appScopes: ['read_tasks'], ...common } as const;

/** Tasks. */
export const tasks = defineModule('tasks', {
  all: action({
    ...reading,
    guests: true,
    http: 'GET',
    doc: 'Lists the tasks of a folder; of a series its present instance',
    query: TaskAllQuery,
    reply: rows(TaskData),
    errors: [...inFolder, ...ofList],
  }),
  list: action({
    ...reading,
    guests: true,
    http: 'PUT',
    doc: 'Reads tasks by id; rows in the order asked for, missing and unreadable ones left out',
    query: TaskColumnsQuery,
    body: jsonOneOrList(TaskReference),
    reply: rows(TaskData),
    reads: true,
    errors: [RequestErrors.badParameter],
  }),
  get: action({
    ...reading,
    guests: true,
    http: 'GET',
    doc: 'Reads one task',
    query: TaskQuery,
    reply: one(TaskData),
    errors: [...inFolder, RequestErrors.badParameter, TaskErrors.notFound, TaskErrors.notVisible],
  }),
  updates: action({
    ...reading,
    guests: true,
    http: 'GET',
    doc: 'Tells what changed in a folder since a timestamp: rows, and with `ignore=none` the ids of tasks that are gone',
    query: TaskUpdatesQuery,
    reply: value<unknown[]>('rows by columns, then ids of tasks that are gone'),
    errors: [...inFolder, ...ofList, TaskLimitErrors.resyncNeeded],
  }),
  search: action({
    ...reading,
    guests: true,
    http: 'PUT',
    doc: 'Finds tasks by text and due time',
    query: TaskSearchQuery,
    body: json(TaskSearchBody),
    reply: rows(TaskData),
    reads: true,
    errors: [
      ...[...inFolder, ...ofList, TaskErrors.searchTooShort],
      ...[TaskErrors.badParticipantType, TaskErrors.externalWithoutAddress],
    ],
  }),
  new: action({
    ...common,
    access: requireRights(TASK_RIGHTS.create),
    appScopes: ['write_tasks'],
    http: 'PUT',
    doc: 'Creates a task',
    query: TaskZoneQuery,
    body: json(TaskData, { tooLong: TaskErrors.tooLong }),
    reply: one(TaskId),
    errors: [
      ...ofContent,
      TaskErrors.folderMissing,
      TaskErrors.notTasks,
      TaskErrors.folderNotVisible,
      FolderErrors.notFound,
      FolderErrors.badId,
      QuotaErrors.exceeded,
    ],
  }),
  update: action({
    ...common,
    access: requireRights(TASK_RIGHTS.write),
    appScopes: ['write_tasks'],
    http: 'PUT',
    doc: 'Changes a task; another folder_id in the body moves it, status 3 on a series makes the next instance',
    query: TaskUpdateQuery,
    body: json(TaskData, { tooLong: TaskErrors.tooLong }),
    reply: one(TaskId),
    errors: [
      ...ofContent,
      TaskErrors.notTasks,
      TaskErrors.folderNotVisible,
      TaskErrors.notFound,
      TaskErrors.wrongFolder,
      TaskErrors.changedInTheMeantime,
      TaskErrors.mustNotWrite,
      TaskErrors.mustNotDelete,
      TaskErrors.notMovable,
      TaskErrors.privateNotPublic,
      TaskErrors.notTheCreator,
      TaskErrors.uidStays,
      FolderErrors.notFound,
      FolderErrors.badId,
    ],
  }),
  delete: action({
    ...common,
    access: requireRights(TASK_RIGHTS.remove),
    appScopes: ['write_tasks'],
    http: 'PUT',
    doc: 'Deletes tasks one after the other; the first error ends it, and what was deleted before stays so',
    query: TaskDeletionQuery,
    body: jsonOneOrList(TaskReference),
    reply: value<string[]>('an empty list'),
    errors: [
      TaskErrors.notTasks,
      TaskErrors.folderNotVisible,
      TaskErrors.notFound,
      TaskErrors.wrongFolder,
      TaskErrors.changedInTheMeantime,
      TaskErrors.mustNotDelete,
      FolderErrors.notFound,
      FolderErrors.badId,
    ],
  }),
  confirm: action({
    ...common,
    access: requireRights(TASK_RIGHTS.confirm),
    appScopes: ['write_tasks'],
    http: 'PUT',
    doc: 'Answers whether the user of the session takes part',
    query: TaskConfirmQuery,
    body: json(TaskConfirmation),
    reply: one(TaskConfirmed),
    errors: [
      RequestErrors.missingParameter,
      TaskErrors.notFound,
      TaskErrors.participantNotFound,
      TaskErrors.badCharacter,
    ],
  }),
});
