import { Injectable } from '@nestjs/common';
import {
  attachedFiles,
  DEFAULT_FIND_VALUES,
  listFacets,
  listFolderTypes,
  listLongQueries,
  listObjectsByFileName,
  MAX_FIND_RESULTS,
  MIN_SEARCH_LENGTH,
  parseFindPage,
  parseFindRequest,
  splitTokens,
  toFindPage,
  toFindResults,
  toFolderChoice,
  type FindAutocompleteBody,
  type FindAutocompleteQuery,
  type FindFacets,
  type FindFacetValue,
  type FindPage,
  type FindQuery,
  type FindQueryBody,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase, type BindValue } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { FolderAccess, parseTaskFolderId } from '../folders/folder-access';
import { TaskViewRepository } from '../persistence/task-view.repository';
import { expandColumns, FIRST_FILTER_PARAMETER, IN_FIRST_FOLDER, taskColumns } from '../persistence/task.columns';
import { TaskView } from '../views/task-view';
import { TASK_FILES } from '../tasks/task-attachments';
import { filterCondition, isTextField } from './find-conditions';
import { TASK_FACETS } from './task-facets';

/** Searches tasks by facets. */
@Injectable()
export class TaskFinder {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly properties: Properties,
    private readonly access: FolderAccess,
    private readonly tasks: TaskView,
    private readonly view: TaskViewRepository,
    private readonly caller: Caller,
  ) {}

  /** The facets that are left to choose. @throws FIND-0003, FIND-0005 to FIND-0008, FIND-0015, FIND-0016 */
  async listFacets(
    user: UserPrincipal,
    { limit = DEFAULT_FIND_VALUES }: FindAutocompleteQuery,
    body: FindAutocompleteBody,
  ): Promise<FindFacets> {
    const request = parseFindRequest(body, TASK_FACETS);
    const minLength = await this.properties.get(MIN_SEARCH_LENGTH, user);
    const tokens = splitTokens(body.prefix, minLength);
    const chosen = new Set(
      request.active.filter(({ facet }) => facet === 'task_participants').map(({ value }) => value),
    );
    const found = await this.database.read(user, async (db) => {
      const folders = await this.access.listReadable(db, user);
      return this.view.listParticipants(db, this.tasks.toReader(user, folders, undefined), tokens, limit + chosen.size);
    });
    const known = found
      .map(({ key, name }) => toValue(key, name))
      .filter(({ id }) => !chosen.has(id))
      .slice(0, limit);
    const typed = body.prefix.trim();
    const facets = listFacets(TASK_FACETS, {
      request,
      prefix: body.prefix,
      minLength,
      locale: user.locale,
      values: { task_participants: typed === '' ? known : [...known, toValue(typed, typed)] },
      folderTypes: listFolderTypes(user),
    });
    return { facets };
  }

  /** A page of tasks by title. @throws FIND-0003 to FIND-0008, FIND-0010, FIND-0014 to FIND-0016, FIND-0019 */
  async listPage(user: UserPrincipal, { columns = ['list'] }: FindQuery, body: FindQueryBody): Promise<FindPage> {
    const request = parseFindRequest(body, TASK_FACETS);
    const [minLength, most] = await Promise.all([
      this.properties.get(MIN_SEARCH_LENGTH, user),
      this.properties.get(MAX_FIND_RESULTS, user),
    ]);
    const { start, size } = parseFindPage(body, most);
    const shown = [...new Set(['1', '20', ...expandColumns(columns)])];
    const values: unknown[] = [];
    const bind: BindValue = (value, type) => `$${FIRST_FILTER_PARAMETER - 1 + values.push(value)}::${type}`;
    const filters = request.active.map(({ filter: { fields, queries } }) => ({
      fields,
      queries: fields.some(isTextField) ? listLongQueries(queries, minLength) : queries,
    }));
    const files = await listObjectsByFileName(filters, (names) =>
      this.caller.call(attachedFiles.findObjects, {
        principal: { kind: 'internal', service: 'tasks', contextId: user.contextId },
        query: { module: TASK_FILES, names },
      }),
    );
    const conditions = filters.map((filter) => filterCondition(filter, files, bind));
    const chooses = toFolderChoice(request, user, parseTaskFolderId);
    const found = await this.database.read(user, async (db) => {
      const folders = (await this.access.listReadable(db, user)).filter(chooses);
      return this.view.listRows(db, this.tasks.toReader(user, folders, request.timezone), {
        columns: shown,
        sort: '200',
        order: 'asc',
        filter: { where: [IN_FIRST_FOLDER, ...conditions].join(' and '), values },
        from: start,
        maxRows: size,
      });
    });
    const names = shown.map((column) => taskColumns.field(column).wireName);
    return toFindPage(start, toFindResults(names, JSON.parse(found.rows) as unknown[][]));
  }
}

const toValue = (id: string, name: string): FindFacetValue => ({
  id,
  item: { name },
  filter: { fields: ['participant'], queries: [id] },
});
