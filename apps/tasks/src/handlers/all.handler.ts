import { tasks, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseTaskFolderId } from '../folders/folder-access';
import { TaskView } from '../views/task-view';

/** `all`: the tasks of a folder. */
@Handles(tasks.all)
export class AllHandler implements Handler<typeof tasks.all> {
  constructor(private readonly view: TaskView) {}

  handle({ principal, query }: CallOf<typeof tasks.all>) {
    return this.view.list(principal, query, parseTaskFolderId(query.folder));
  }
}
