import { FindErrors, isFileNameField, type FindFilter, type ObjectsByFileName } from '@groupware/contracts';
import { containsEach, type BindValue } from '@groupware/persistence';

/** Fields of texts by the names that filters have for them. */
const SEARCHED: Readonly<Record<string, readonly string[]>> = {
  global: ['a.title', 'a.note'],
  title: ['a.title'],
  description: ['a.note'],
};
const TYPES: Readonly<Record<string, string>> = {
  single_task: 'coalesce(a.recurrence_type, 0) = 0',
  series: 'a.recurrence_type > 0',
};

/** True for a field in which texts are looked for, whose queries may be too short. */
export const isTextField = (field: string): boolean => isFileNameField(field) || Object.hasOwn(SEARCHED, field);

/** Condition: a task meets a filter; `files` says which tasks have files of a name. @throws FIND-0004 */
export function filterCondition({ fields, queries }: FindFilter, files: ObjectsByFileName, bind: BindValue): string {
  const conditions = queries.map((query) => {
    const met = fields.map((field) => fieldCondition(field, query, files, bind));
    return `(${met.join(' or ')})`;
  });
  return conditions.join(' and ');
}

function fieldCondition(field: string, query: string, files: ObjectsByFileName, bind: BindValue): string {
  const hasFile = () => `a.id = any(${bind(files.get(query) ?? [], 'int[]')})`;
  if (isFileNameField(field)) return hasFile();
  if (field === 'participant') {
    const is = /^\d{1,9}$/.test(query)
      ? `p.type = 1 and p.entity = ${bind(Number(query), 'int')}`
      : containsEach(['p.mail', 'p.display_name'], [query], bind);
    return `exists (select from task_participant p
      where p.context_id = $1 and p.task_id = a.id and not p.removed and ${is})`;
  }
  if (field === 'status') {
    if (!/^[1-5]$/.test(query)) throw FindErrors.badQuery(query.slice(0, 100));
    return `a.status = ${bind(Number(query), 'int')}`;
  }
  if (field === 'type') {
    if (!Object.hasOwn(TYPES, query)) throw FindErrors.badQuery(query.slice(0, 100));
    return TYPES[query]!;
  }
  const found = containsEach(SEARCHED[field]!, [query], bind);
  return field === 'global' ? `(${found} or ${hasFile()})` : found;
}
