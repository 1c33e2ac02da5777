import type { AccessedFolder } from '@groupware/folders';
import { listUsers, PARTICIPANT, type Participant, type Task, type TaskLink } from '../domain/task';

/** Users who need their default folder to see a task that is made in, or moved to, a folder. */
export function listUsersWithoutFolder(
  folder: Pick<AccessedFolder, 'isPublic' | 'owner'>,
  participants: readonly Participant[],
  links: readonly TaskLink[],
): number[] {
  if (folder.isPublic) return [];
  const seen = new Set([folder.owner, ...links.map(({ userId }) => userId)]);
  return listUsers(participants).filter((id) => !seen.has(id));
}

/**
 * Folders of a task: where it was made, and of a private one the folder of each participant.
 * @param before folders in which it is seen already; those of participants stay where they are
 * @param defaults default folders of users who have none yet
 */
export function assignFolders(
  origin: TaskLink,
  participants: readonly Participant[],
  before: readonly TaskLink[],
  defaults: ReadonlyMap<number, number>,
): TaskLink[] {
  if (origin.userId === null) return [origin];
  const known = new Map(before.flatMap((link) => (link.isOrigin || link.userId === null ? [] : [[link.userId, link]])));
  const others = listUsers(participants).flatMap((userId): TaskLink[] => {
    if (userId === origin.userId) return [];
    const folderId = known.get(userId)?.folderId ?? defaults.get(userId);
    return folderId === undefined ? [] : [{ folderId, userId, isOrigin: false }];
  });
  return [origin, ...others];
}

/** The link of a task to the folder in which it was made. */
export const originOf = ({ links }: Pick<Task, 'links'>): TaskLink =>
  links.find(({ isOrigin }) => isOrigin) ?? links[0]!;

/** The task without a participant, and not seen in that user's folder any more unless it was made there. */
export const leaveTask = (task: Task, userId: number): Task => ({
  ...task,
  participants: task.participants.map((participant) =>
    participant.type === PARTICIPANT.user && participant.entity === userId
      ? { ...participant, removed: true }
      : participant,
  ),
  links: task.links.filter((link) => link.isOrigin || link.userId !== userId),
});

/** The task without the participants who see it in some folders. */
export const withoutFolders = (task: Task, folders: ReadonlySet<number>): Task =>
  task.links
    .filter(({ folderId, isOrigin }) => !isOrigin && folders.has(folderId))
    .reduce((left, { userId }) => (userId === null ? left : leaveTask(left, userId)), task);
