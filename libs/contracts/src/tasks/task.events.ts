import { event, eventCatalog } from '../kit';
import type { AddedParticipants } from '../objects/added-participants';
import type { ParticipantNotice } from '../outgoing-mail/participant-notice';
import type { DueAlarm } from '../reminder/reminder.events';

/** Which task changed. */
export interface TaskChange {
  readonly id: number;
  /** Folders in which it is seen, and those that it left. */
  readonly folders: readonly number[];
  /** Users who take part, or did, and the creator. */
  readonly users: readonly number[];
  readonly uid: string;
  /** The user who changed it. */
  readonly by: number;
  /** `last_modified` of the task after the change, ms UTC. */
  readonly stamp: number;
}

/** Which folder of tasks changed. */
export interface TaskFolderChange {
  readonly folderId: number;
}

/** A request to tell users and groups about a folder of tasks. */
export interface TaskFolderShared extends TaskFolderChange {
  /** The user who shares it. */
  readonly userId: number;
  /** Title of the folder. */
  readonly title?: string;
  readonly entities: readonly number[];
  /** Text for those who are told. */
  readonly message?: string;
}

/** Users and guests who lost the last right of their own on any folder of tasks. */
export interface TaskFoldersWithdrawn {
  readonly entities: readonly number[];
  /** ms UTC */
  readonly stamp: number;
}

/** Events of the tasks service. */
export const taskEvents = eventCatalog('tasks', {
  'task.created': event<TaskChange>('A task exists'),
  'task.changed': event<TaskChange>('A task, its participants or their answers changed, or it moved'),
  'task.deleted': event<TaskChange>('A task is gone'),
  'notice.requested': event<ParticipantNotice>(
    'Those who take part in a task are to be told by mail what became of it',
  ),
  'participants.added': event<AddedParticipants>('A user gave people a task'),
  'alarm.due': event<DueAlarm>(
    'The time of an alarm of a task has come: tell the user. Late after an outage, but once',
  ),
  'folder.created': event<TaskFolderChange>('A folder of tasks exists'),
  'folder.changed': event<TaskFolderChange>('Name, place or permissions of a folder of tasks changed'),
  'folder.shared': event<TaskFolderShared>('Users and groups are to be told about a folder of tasks'),
  'folders.withdrawn': event<TaskFoldersWithdrawn>(
    'A user or guest has no right of the own on any folder of tasks any more',
  ),
  'folder.deleted': event<TaskFolderChange>('A folder of tasks and what it held are gone'),
});
