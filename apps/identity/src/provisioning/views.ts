import type { ContextData, ProvisionedGroup, ProvisionedResource, ProvisionedUser } from '@groupware/contracts';
import { mailServersView } from '../domain/mail-server';
import { accessView } from '../domain/module-access';
import type { ContextRow } from '../persistence/context.repository';
import type { GroupRow } from '../persistence/group.repository';
import type { ResourceRow } from '../persistence/resource.repository';
import type { UserRow } from '../persistence/user.repository';

const MEGABYTE = 1024 * 1024;

/** Drops what is null: optional fields of the REST API are absent, not null. */
function present<T extends object>(value: { [K in keyof T]: T[K] | null }): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== undefined)) as T;
}

/** A context as operators see it. */
export const contextView = (row: ContextRow): ContextData =>
  present<ContextData>({
    id: row.id,
    name: row.name,
    enabled: row.enabled,
    reason: row.reason as string,
    loginMappings: row.loginMappings,
    adminUserId: row.adminUserId,
    schema: row.schema,
    filestoreId: row.filestoreId as number,
    quotaMb: row.quotaMb,
    usedMb: row.usedBytes / MEGABYTE,
    reseller: row.reseller as string,
    taxonomyTypes: row.taxonomyTypes,
    contextGroup: row.contextGroup,
    moduleAccess: accessView(row),
    createdAt: row.createdAt,
    state: row.state,
    version: row.version,
  });

const text = (row: UserRow, field: string): string => row.person[field] as string;

/** A user as operators see it. */
export const userView = (row: UserRow): ProvisionedUser =>
  present<ProvisionedUser>({
    id: row.id,
    name: row.name,
    enabled: row.enabled,
    displayName: row.displayName,
    givenName: row.givenName as string,
    surname: row.surname,
    primaryEmail: row.primaryEmail,
    aliases: row.aliases,
    locale: row.locale,
    timezone: row.timeZone,
    title: text(row, 'title'),
    department: text(row, 'department'),
    company: text(row, 'company'),
    position: text(row, 'position'),
    phones: present({
      business: text(row, 'telephone_business1'),
      home: text(row, 'telephone_home1'),
      mobile: text(row, 'cellular_telephone1'),
      fax: text(row, 'fax_business'),
    }),
    image: row.image ? { contentType: row.image.contentType, sizeBytes: row.image.sizeBytes } : undefined,
    guest: false,
    isAdmin: row.isAdmin,
    groups: row.groups,
    ...mailServersView(row),
    quotaMb: row.quotaMb as number,
    moduleAccess: accessView(row),
    capabilities: { add: row.capabilitiesAdded, remove: row.capabilitiesRemoved },
    lastLogin: row.lastLogin as number,
    createdAt: row.createdAt,
    version: row.version,
  });

/** A group as operators see it. */
export const groupView = (row: GroupRow): ProvisionedGroup => ({
  id: row.id,
  name: row.name,
  displayName: row.displayName,
  members: row.members,
  version: row.version,
});

/** A resource as operators see it. */
export const resourceView = (row: ResourceRow): ProvisionedResource =>
  present<ProvisionedResource>({
    id: row.id,
    name: row.name,
    displayName: row.displayName,
    email: row.email,
    description: row.description as string,
    available: row.available,
    type: row.room ? 'ROOM' : 'RESOURCE',
    capacity: row.capacity as number,
    privileges: row.privileges,
    version: row.version,
  });
