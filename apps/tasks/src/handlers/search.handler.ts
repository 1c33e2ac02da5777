import { MIN_TASK_SEARCH, TaskErrors, tasks, type CallOf, type Handler } from '@groupware/contracts';
import { matchesText } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { parseTaskFolderId } from '../folders/folder-access';
import { FIRST_FILTER_PARAMETER } from '../persistence/task.columns';
import { TaskView } from '../views/task-view';

/** `search`: tasks by text anywhere in them, and by due time. */
@Handles(tasks.search)
export class SearchHandler implements Handler<typeof tasks.search> {
  constructor(
    private readonly view: TaskView,
    private readonly properties: Properties,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof tasks.search>) {
    const values: unknown[] = [];
    const bind = (value: unknown, type: string): string =>
      `$${FIRST_FILTER_PARAMETER - 1 + values.push(value)}::${type}`;
    const contains = (field: string, text: string): string => matchesText(`a.${field}`, `*${text}*`, bind);
    const pattern = (body.pattern ?? '').trim();
    const shortest = await this.properties.get(MIN_TASK_SEARCH, principal);
    if (pattern !== '' && [...pattern.replace(/[*?]/g, '')].length < shortest)
      throw TaskErrors.searchTooShort(shortest);
    const fields = ['title', 'categories', ...(body.searchinnote === false ? [] : ['note'])];
    const [start, end] = [query.start ?? body.start, query.end ?? body.end];
    const conditions = [
      ...(pattern === '' ? [] : [`(${fields.map((field) => contains(field, pattern)).join(' or ')})`]),
      ...(body.title ? [contains('title', body.title)] : []),
      ...(body.categories ? [contains('categories', body.categories)] : []),
      ...(body.status == null ? [] : [`a.status = ${bind(body.status, 'int')}`]),
      ...(start == null ? [] : [`a.end_ms >= ${bind(start, 'bigint')}`]),
      ...(end == null ? [] : [`a.end_ms < ${bind(end, 'bigint')}`]),
    ];
    const where = conditions.length === 0 ? 'true' : conditions.join(' and ');
    const folderId = body.folder ? parseTaskFolderId(body.folder) : undefined;
    return this.view.list(principal, query, folderId, { where, values });
  }
}
