import type { OwnedPermission, ShareKey, Tenant } from '@groupware/contracts';
import type { Directory } from '@groupware/directory';

/** Lists the local grantees of a share: for a user of another context the guests with one of his addresses. */
export async function listGrantees(
  directory: Directory,
  tenant: Tenant,
  permissions: readonly OwnedPermission[],
  share: ShareKey,
): Promise<number[]> {
  if (share.granteeContext === tenant.contextId) return [share.entity];
  const elsewhere = { contextId: share.granteeContext };
  const user = (await directory.getEntities(elsewhere, [share.entity])).get(share.entity);
  if (user?.kind !== 'user') return [];
  const addresses = new Set([user.email, ...user.aliases].map((address) => address.toLowerCase()));
  const listed = permissions.flatMap(({ entity, group }) => (group ? [] : [entity]));
  const known = await directory.getEntities(tenant, listed);
  return [...known.values()].flatMap((entity) =>
    entity.kind === 'guest' && entity.email && addresses.has(entity.email.toLowerCase()) ? [entity.id] : [],
  );
}
