import { findTasks, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { TaskFinder } from '../find/task-finder';

/** `find?action=autocomplete`: the facets by which tasks may be searched. */
@Handles(findTasks.autocompleteTasks)
export class FindAutocompleteTasksHandler implements Handler<typeof findTasks.autocompleteTasks> {
  constructor(private readonly finder: TaskFinder) {}

  handle({ principal, query, body }: CallOf<typeof findTasks.autocompleteTasks>) {
    return this.finder.listFacets(principal, query, body);
  }
}
