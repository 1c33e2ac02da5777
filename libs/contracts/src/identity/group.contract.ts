import {
  action,
  allowCallers,
  defineModule,
  Field,
  json,
  jsonList,
  jsonOneOrList,
  many,
  none,
  one,
  requireRights,
  value,
} from '../kit';
import { GroupErrors } from './identity.errors';
import { DIRECTORY_RIGHTS, PEOPLE_SCOPES } from './directory.access';

const FOR_ALL = allowCallers('groups are public within their context');

/** A group as clients see it. */
export class GroupData {
  @Field.int({ doc: 'Group id', optional: true }) id?: number;
  @Field.text({ doc: 'Name, unique in the context', optional: true, maxLength: 128 }) name?: string;
  @Field.text({ doc: 'Name for people', optional: true, maxLength: 320 }) display_name?: string;
  @Field.listOf('int', { doc: 'User ids of the members', optional: true }) members?: number[];
  @Field.timestamp({ doc: 'Last change, ms UTC', optional: true, readOnly: true }) last_modified_utc?: number;
}

/** Which fields of groups are wanted. */
export class GroupAllQuery {
  @Field.columns({
    doc: 'Names of the fields wanted besides the id, or numbers: 700 and 701 the names, 702 the members; others are passed over',
  })
  columns!: string[];
}

/** One group or resource. */
export class EntityQuery {
  @Field.int({ doc: 'Id', min: 0 }) id!: number;
}

/** One element of a list. */
export class EntityElement {
  @Field.int({ doc: 'Id', min: 0 }) id!: number;
}

/** Pattern of a search. */
export class EntitySearchBody {
  @Field.text({ doc: 'Beginning of the name; * stands for any text, ? for one character', maxLength: 1024 })
  pattern!: string;
}

/** Changes since when. */
export class EntityStampQuery {
  @Field.timestamp({ doc: 'Stamp of the newest known change, ms UTC' }) timestamp!: number;
}

/** The object to change, as the client knows it. */
export class EntityChangeQuery extends EntityStampQuery {
  @Field.int({ doc: 'Id', min: 0 }) id!: number;
}

/** Id of what was created. */
export class EntityCreated {
  @Field.int({ doc: 'Id' }) id!: number;
}

/** Changes since a stamp. */
export interface EntityUpdates<T> {
  readonly new: readonly T[];
  readonly modified: readonly T[];
  /** Only ids. */
  readonly deleted: readonly T[];
}

const stale = GroupErrors.changedInTheMeantime;

/** Groups of the context. */
export const group = defineModule(
  'group',
  {
    all: action({
      access: FOR_ALL,
      appScopes: PEOPLE_SCOPES,
      http: 'PUT',
      auth: 'session',
      reads: true,
      doc: 'Lists all groups',
      query: GroupAllQuery,
      reply: many(GroupData),
    }),
    get: action({
      access: FOR_ALL,
      appScopes: PEOPLE_SCOPES,
      http: 'GET',
      auth: 'session',
      doc: 'Reads a group',
      query: EntityQuery,
      reply: one(GroupData),
      errors: [GroupErrors.notFound],
    }),
    list: action({
      access: FOR_ALL,
      appScopes: PEOPLE_SCOPES,
      http: 'PUT',
      auth: 'session',
      reads: true,
      doc: 'Reads groups by id, in the order of the ids',
      body: jsonList(EntityElement, { maxItems: 1000 }),
      reply: many(GroupData),
      errors: [GroupErrors.notFound],
    }),
    search: action({
      access: FOR_ALL,
      appScopes: PEOPLE_SCOPES,
      http: 'PUT',
      auth: 'session',
      reads: true,
      doc: 'Finds groups by name; those that the user invited most often come first',
      body: json(EntitySearchBody),
      reply: many(GroupData),
    }),
    updates: action({
      access: FOR_ALL,
      appScopes: PEOPLE_SCOPES,
      http: 'GET',
      auth: 'session',
      doc: 'What changed since a stamp',
      query: EntityStampQuery,
      reply: value<EntityUpdates<GroupData>>('{new, modified, deleted}'),
    }),
    new: action({
      access: requireRights(DIRECTORY_RIGHTS.editGroups),
      http: 'PUT',
      auth: 'session',
      doc: 'Creates a group',
      body: json(GroupData),
      reply: one(EntityCreated),
      errors: [
        GroupErrors.mustNotCreate,
        GroupErrors.mandatoryMissing,
        GroupErrors.nameTaken,
        GroupErrors.displayNameReserved,
        GroupErrors.memberUnknown,
        GroupErrors.guestMember,
        GroupErrors.badName,
      ],
    }),
    update: action({
      access: requireRights(DIRECTORY_RIGHTS.editGroups),
      http: 'PUT',
      auth: 'session',
      doc: 'Changes a group',
      query: EntityChangeQuery,
      body: json(GroupData),
      reply: none(),
      errors: [
        GroupErrors.mustNotChange,
        GroupErrors.notFound,
        GroupErrors.notChangeable,
        GroupErrors.mandatoryMissing,
        GroupErrors.badName,
        GroupErrors.nameTaken,
        GroupErrors.displayNameReserved,
        GroupErrors.memberUnknown,
        GroupErrors.guestMember,
        stale,
      ],
    }),
    delete: action({
      access: requireRights(DIRECTORY_RIGHTS.editGroups),
      http: 'PUT',
      auth: 'session',
      doc: 'Deletes a group; answers what stayed because it was changed in the meantime',
      query: EntityStampQuery,
      body: jsonOneOrList(EntityElement, { maxItems: 1000 }),
      reply: many(GroupData),
      errors: [GroupErrors.mustNotDelete, GroupErrors.notFound, GroupErrors.notDeletable],
    }),
  },
  { service: 'identity' },
);
