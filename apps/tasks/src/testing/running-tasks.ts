import { taskFolders, tasks, type UserPrincipal } from '@groupware/contracts';
import { fakeDirectory, person as anybody, runTestServices, type TestServices } from '@groupware/test-kit';
import { service } from '../index';

/** The tasks service over the bus, with a fake directory and a database of its own. */
export type RunningTasks = TestServices;

/** Later than any timestamp. */
const FAR = Number.MAX_SAFE_INTEGER;

/** A user of the fake directory who may use and delegate tasks, as principal. */
export const person = (id: number, options: Partial<UserPrincipal> = {}): UserPrincipal =>
  anybody(id, {
    capabilities: ['tasks', 'delegate_tasks', 'edit_public_folders', 'read_create_shared_folders'],
    ...options,
  });

/** Starts the service. */
export const runTasks = (environment: Record<string, string> = {}): Promise<RunningTasks> =>
  runTestServices({ services: [service, fakeDirectory], environment });

/** Another service that asks on behalf of a user. */
export const as = (user: UserPrincipal, asking = 'folders') =>
  ({ kind: 'internal', service: asking, contextId: user.contextId, user }) as const;

/** A new folder of a user. */
export async function createFolder(running: RunningTasks, user: UserPrincipal, query: object = {}): Promise<number> {
  const call = { principal: as(user), query: { title: `F${Math.random()}`, parent: 1, ...query } };
  return (await running.call(taskFolders.create, call)).id;
}

/** A new task. */
export async function createTask(
  running: RunningTasks,
  user: UserPrincipal,
  folder: number,
  body: object = {},
): Promise<string> {
  const content = { folder_id: String(folder), title: 'T', ...body };
  return (await running.call(tasks.new, { principal: user, query: {}, body: content })).id;
}

/** Changes a task, whatever its timestamp. */
export const changeTask = (running: RunningTasks, user: UserPrincipal, folder: number, id: string, body: object) =>
  running.call(tasks.update, {
    principal: user,
    query: { id, folder: String(folder), timestamp: FAR },
    body,
  });

/** Deletes a task. */
export const removeTask = (running: RunningTasks, user: UserPrincipal, folder: number, id: string) =>
  running.call(tasks.delete, {
    principal: user,
    query: { timestamp: FAR },
    body: [{ id, folder: String(folder) }],
  });

/** Ids of a folder. */
export const listIds = async (running: RunningTasks, user: UserPrincipal, folder: number): Promise<string[]> =>
  (await running.call(tasks.all, { principal: user, query: { folder: String(folder), columns: ['1'] } })).flat();
