import { event, eventCatalog } from '../kit';

/** Events of the identity service. The context is part of every message. */
export const identityEvents = eventCatalog('identity', {
  'context.created': event<object>('A context exists and is ready for data of other modules'),
  'context.changed': event<object>('Data of a context changed, such as its name, limits or module access'),
  'context.disabled': event<object>('A context was disabled; its sessions are closed'),
  'context.enabled': event<object>('A context was enabled again'),
  'context.moved': event<object>('The data of the context lies at another place now'),
  'context.deleting': event<object>('All data of the context must go'),
  'context.deleted': event<object>('No module has data of the context any more'),
  'user.created': event<{ userId: number }>('A user exists; modules build the defaults of the user'),
  'user.changed': event<{ userId: number }>('Data of a user changed: caches drop it'),
  'user.deleting': event<{ userId: number; reassignTo?: number }>(
    'A user goes, or a guest with the user who shared; modules remove personal data and rights, and reassign shared data (or remove it too when absent)',
  ),
  'group.changed': event<{ groupId: number }>('A group was created, changed or deleted'),
  'resource.changed': event<{ resourceId: number }>('A resource was created, changed or deleted'),
  'property.changed': event<{ userId?: number }>('Values of the configuration cascade changed'),
});

/**
 * Topic of the broadcast about changed users, groups and resources, for caches; absent processes miss it, so caches need an
 * end of life of their own.
 */
export const DIRECTORY_CHANGED = 'directory-changed';

/** Payload of {@link DIRECTORY_CHANGED}; without ids everything of the context may have changed. */
export interface DirectoryChange {
  readonly contextId: number;
  readonly ids?: readonly number[];
}
