import { findTasks, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { TaskFinder } from '../find/task-finder';

/** `find?action=query`: tasks by the facets chosen. */
@Handles(findTasks.queryTasks)
export class FindQueryTasksHandler implements Handler<typeof findTasks.queryTasks> {
  constructor(private readonly finder: TaskFinder) {}

  handle({ principal, query, body }: CallOf<typeof findTasks.queryTasks>) {
    return this.finder.listPage(principal, query, body);
  }
}
