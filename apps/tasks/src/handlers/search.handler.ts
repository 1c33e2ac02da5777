import {
  MIN_SEARCH_LENGTH,
  TaskErrors,
  tasks,
  type CallOf,
  type Handler,
  type SoughtParticipant,
} from '@groupware/contracts';
import { containsEach, foldCase, type BindValue } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { PARTICIPANT } from '../domain/task';
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
    const pattern = (body.pattern ?? '').trim();
    const shortest = await this.properties.get(MIN_SEARCH_LENGTH, principal);
    if (pattern !== '' && [...pattern.replace(/[*?]/g, '')].length < shortest)
      throw TaskErrors.searchTooShort(shortest);
    const fields = ['a.title', 'a.categories', ...(body.searchinnote === false ? [] : ['a.note'])];
    const [start, end] = [query.start ?? body.start, query.end ?? body.end];
    const conditions = [
      ...(pattern === '' ? [] : [containsEach(fields, [pattern], bind)]),
      ...(body.title ? [containsEach(['a.title'], [body.title], bind)] : []),
      ...(body.categories ? [containsEach(['a.categories'], [body.categories], bind)] : []),
      ...(body.status == null ? [] : [`a.status = ${bind(body.status, 'int')}`]),
      ...(body.participants ?? []).map((participant) => takesPart(participant, bind)),
      ...(start == null ? [] : [`a.end_ms >= ${bind(start, 'bigint')}`]),
      ...(end == null ? [] : [`a.end_ms < ${bind(end, 'bigint')}`]),
    ];
    const where = conditions.length === 0 ? 'true' : conditions.join(' and ');
    const folderId = body.folder ? parseTaskFolderId(body.folder) : undefined;
    return this.view.list(principal, query, folderId, { where, values });
  }
}

/** Condition: a user, a group, or the owner of an address takes part in a task. @throws TSK-0044, TSK-0049 */
function takesPart({ type, id, mail }: SoughtParticipant, bind: BindValue): string {
  const isEntity = type === PARTICIPANT.user || type === PARTICIPANT.group;
  if (!isEntity && type !== PARTICIPANT.external) throw TaskErrors.badParticipantType(type);
  const address = mail?.replaceAll('\u0000', '').trim();
  if (!isEntity && !address) throw TaskErrors.externalWithoutAddress();
  const is = isEntity
    ? `p.type = ${bind(type, 'int')} and p.entity = ${bind(id ?? null, 'int')}`
    : `${foldCase('p.mail')} = ${foldCase(bind(address, 'text'))}`;
  return `exists (select from task_participant p
    where p.context_id = $1 and p.task_id = a.id and not p.removed and ${is})`;
}
