import { directory, DIRECTORY_CHANGED, type DirectoryChange, type Tenant } from '@groupware/contracts';
import type { Directory, DirectorySource } from './directory';
import type { Caller, EventBus } from '@groupware/messaging';

/** Asks the identity service over the bus, in the name of a service. */
export function createDirectorySource(caller: Pick<Caller, 'call'>, service: string): DirectorySource {
  const asService = ({ contextId }: Tenant) => ({ kind: 'internal', service, contextId }) as const;
  return {
    entities: (tenant, ids) =>
      caller.call(directory.entities, { principal: asService(tenant), query: { ids: [...ids] } }),
    byAddress: (tenant, addresses) =>
      caller.call(directory.byAddress, { principal: asService(tenant), query: { addresses: [...addresses] } }),
  };
}

/** Invalidates cached entries on changes in the identity service. */
export function invalidateOnChange(target: Directory, events: Pick<EventBus, 'onBroadcast'>): Directory {
  events.onBroadcast<DirectoryChange>(DIRECTORY_CHANGED, (change) => target.invalidate(change));
  return target;
}
