import type { ContextData, ProvisionedGroup, ProvisionedResource, ProvisionedUser } from '@groupware/contracts';
import { toMailServers } from '../domain/mail-server';
import { toAccessView } from '../domain/module-access';
import type { ContextRow } from '../persistence/context.repository';
import type { GroupRow } from '../persistence/group.repository';
import type { ResourceRow } from '../persistence/resource.repository';
import { toEffectiveAccess, type UserRow } from '../persistence/user.repository';

const MEGABYTE = 1024 * 1024;

/** Drops what is null: optional fields of the REST API are absent, not null. */
function omitNulls<T extends object>(value: { [K in keyof T]: T[K] | null }): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== undefined)) as T;
}

/** A context as operators see it. */
export const toContextView = (row: ContextRow): ContextData =>
  omitNulls<ContextData>({
    id: row.id,
    name: row.name,
    enabled: row.enabled,
    reason: row.reason,
    loginMappings: row.loginMappings,
    adminUserId: row.adminUserId,
    schema: row.schema,
    filestoreId: row.filestoreId,
    quotaMb: row.quotaMb,
    usedMb: row.usedBytes / MEGABYTE,
    reseller: row.reseller,
    taxonomyTypes: row.taxonomyTypes,
    contextGroup: row.contextGroup,
    moduleAccess: toAccessView(row),
    createdAt: row.createdAt,
    state: row.state,
    version: row.version,
  });

const readText = (row: UserRow, field: string): string => row.person[field] as string;

/** A user as operators see it. */
export const toUserView = (row: UserRow): ProvisionedUser =>
  omitNulls<ProvisionedUser>({
    id: row.id,
    name: row.name,
    enabled: row.enabled,
    displayName: row.displayName,
    givenName: row.givenName,
    surname: row.surname,
    primaryEmail: row.primaryEmail,
    aliases: row.aliases,
    locale: row.locale,
    timezone: row.timeZone,
    title: readText(row, 'title'),
    department: readText(row, 'department'),
    company: readText(row, 'company'),
    position: readText(row, 'position'),
    phones: omitNulls({
      business: readText(row, 'telephone_business1'),
      home: readText(row, 'telephone_home1'),
      mobile: readText(row, 'cellular_telephone1'),
      fax: readText(row, 'fax_business'),
    }),
    image: row.image ? { contentType: row.image.contentType, sizeBytes: row.image.sizeBytes } : undefined,
    guest: false,
    isAdmin: row.isAdmin,
    groups: row.groups,
    ...toMailServers(row),
    quotaMb: row.quotaMb,
    moduleAccess: toAccessView(toEffectiveAccess(row)),
    capabilities: { add: row.capabilitiesAdded, remove: row.capabilitiesRemoved },
    lastLogin: row.lastLogin,
    createdAt: row.createdAt,
    version: row.version,
  });

/** A group as operators see it. */
export const toGroupView = (row: GroupRow): ProvisionedGroup => ({
  id: row.id,
  name: row.name,
  displayName: row.displayName,
  members: row.members,
  version: row.version,
});

/** A resource as operators see it. */
export const toResourceView = (row: ResourceRow): ProvisionedResource =>
  omitNulls<ProvisionedResource>({
    id: row.id,
    name: row.name,
    displayName: row.displayName,
    email: row.email,
    description: row.description,
    available: row.available,
    type: row.room ? 'ROOM' : 'RESOURCE',
    capacity: row.capacity,
    privileges: row.privileges,
    version: row.version,
  });
