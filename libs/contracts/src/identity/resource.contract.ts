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
import {
  EntityChangeQuery,
  EntityCreated,
  EntityElement,
  EntityQuery,
  EntitySearchBody,
  EntityStampQuery,
  type EntityUpdates,
} from './group.contract';
import { ResourceErrors } from './identity.errors';
import { DIRECTORY_RIGHTS } from './directory.access';

const FOR_ALL = allowCallers('resources are public within their context');

/** A resource as clients see it. */
export class ResourceData {
  @Field.int({ doc: 'Resource id', optional: true }) id?: number;
  @Field.text({ doc: 'Name, unique in the context', optional: true, maxLength: 128 }) name?: string;
  @Field.text({ doc: 'Name for people', optional: true, maxLength: 320 }) display_name?: string;
  @Field.text({ doc: 'Mail address', optional: true, maxLength: 320 }) mailaddress?: string;
  @Field.boolean({ doc: 'Can be booked', optional: true }) availability?: boolean;
  @Field.text({ doc: 'Description', optional: true, maxLength: 4096 }) description?: string;
  @Field.text({ doc: 'Last change, ms UTC as text', optional: true, readOnly: true }) last_modified?: string;
  @Field.text({ doc: 'The same', optional: true, readOnly: true }) last_modified_utc?: string;
}

/** Changes of a resource. The parameter says which one. */
export class ResourceChanges extends ResourceData {
  @Field.int({ doc: 'Resource id', optional: true, readOnly: true }) override id?: number;
}

const stale = ResourceErrors.changedInTheMeantime;

/** Resources of the context. */
export const resource = defineModule(
  'resource',
  {
    all: action({
      access: FOR_ALL,
      appScopes: ['read_contacts', 'read_calendar', 'read_tasks'],
      http: 'GET',
      auth: 'session',
      doc: 'Ids of all resources',
      reply: value<number[]>('ids'),
    }),
    get: action({
      access: FOR_ALL,
      appScopes: ['read_contacts', 'read_calendar', 'read_tasks'],
      http: 'GET',
      auth: 'session',
      doc: 'Reads a resource',
      query: EntityQuery,
      reply: one(ResourceData),
      errors: [ResourceErrors.notFound],
    }),
    list: action({
      access: FOR_ALL,
      appScopes: ['read_contacts', 'read_calendar', 'read_tasks'],
      http: 'PUT',
      auth: 'session',
      reads: true,
      doc: 'Reads resources by id, in the order of the ids',
      body: jsonList(EntityElement, { maxItems: 1000 }),
      reply: many(ResourceData),
      errors: [ResourceErrors.notFound],
    }),
    search: action({
      access: FOR_ALL,
      appScopes: ['read_contacts', 'read_calendar', 'read_tasks'],
      http: 'PUT',
      auth: 'session',
      reads: true,
      doc: 'Finds resources by name',
      body: json(EntitySearchBody),
      reply: many(ResourceData),
    }),
    updates: action({
      access: FOR_ALL,
      appScopes: ['read_contacts', 'read_calendar', 'read_tasks'],
      http: 'GET',
      auth: 'session',
      doc: 'What changed since a stamp',
      query: EntityStampQuery,
      reply: value<EntityUpdates<ResourceData>>('{new, modified, deleted}'),
    }),
    new: action({
      access: requireRights(DIRECTORY_RIGHTS.editResources),
      http: 'PUT',
      auth: 'session',
      doc: 'Creates a resource',
      body: json(ResourceData),
      reply: one(EntityCreated),
      errors: [
        ResourceErrors.mustNotChange,
        ResourceErrors.mandatoryMissing,
        ResourceErrors.nameTaken,
        ResourceErrors.addressTaken,
        ResourceErrors.badName,
        ResourceErrors.badAddress,
      ],
    }),
    update: action({
      access: requireRights(DIRECTORY_RIGHTS.editResources),
      http: 'PUT',
      auth: 'session',
      doc: 'Changes a resource',
      query: EntityChangeQuery,
      body: json(ResourceChanges),
      reply: none(),
      errors: [
        ResourceErrors.mustNotChange,
        ResourceErrors.notFound,
        ResourceErrors.mandatoryMissing,
        ResourceErrors.badName,
        ResourceErrors.badAddress,
        ResourceErrors.nameTaken,
        ResourceErrors.addressTaken,
        stale,
      ],
    }),
    delete: action({
      access: requireRights(DIRECTORY_RIGHTS.editResources),
      http: 'PUT',
      auth: 'session',
      doc: 'Deletes resources; answers those that stayed because they were changed in the meantime',
      query: EntityStampQuery,
      body: jsonOneOrList(EntityElement, { maxItems: 1000 }),
      reply: many(ResourceData),
      errors: [ResourceErrors.mustNotChange, ResourceErrors.notFound],
    }),
  },
  { service: 'identity' },
);
