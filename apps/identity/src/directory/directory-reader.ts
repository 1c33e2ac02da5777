import { Injectable } from '@nestjs/common';
import type { DirectoryEntity, DirectoryGuest, DirectoryResource } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { toMailServers } from '../domain/mail-server';
import { GuestRepository, type Guest } from '../persistence/guest.repository';
import { PrincipalBuilder } from './principal-builder';
import { GroupRepository } from '../persistence/group.repository';
import { PropertyRepository } from '../configuration/property.repository';
import { ResourceRepository } from '../persistence/resource.repository';
import { UserRepository, type UserRow } from '../persistence/user.repository';

/** Directory entities for other services. */
@Injectable()
export class DirectoryReader {
  constructor(
    private readonly users: UserRepository,
    private readonly groups: GroupRepository,
    private readonly resources: ResourceRepository,
    private readonly properties: PropertyRepository,
    private readonly principals: PrincipalBuilder,
    private readonly guests: GuestRepository,
  ) {}

  /** Entities by id; unknown ids are left out. */
  async listEntities(db: Reader, ids: readonly number[]): Promise<DirectoryEntity[]> {
    if (ids.length === 0) return [];
    const users = await this.users.listByIds(db, ids);
    const groups = await this.groups.listByIds(db, ids);
    const resources = await this.resources.listByIds(db, ids);
    const guests = await this.guests.listByIds(db, ids);
    return [
      ...(await this.describeUsers(db, users)),
      ...groups.map(({ id, displayName, members }) => ({ kind: 'group' as const, id, displayName, members })),
      ...resources.map(({ id, displayName, email, room, available, privileges }) => ({
        kind: 'resource' as const,
        id,
        displayName,
        email,
        room,
        available,
        privileges: privileges as DirectoryResource['privileges'],
      })),
      ...guests.map(toGuest),
    ];
  }

  private async describeUsers(db: Reader, users: readonly UserRow[]): Promise<DirectoryEntity[]> {
    const scoped = await this.properties.getEffectiveOfUsers(
      db,
      users.map(({ id }) => id),
    );
    return users.map((user) => ({
      kind: 'user',
      id: user.id,
      name: user.name,
      displayName: user.displayName,
      email: user.primaryEmail,
      aliases: user.aliases,
      locale: user.locale,
      timeZone: user.timeZone,
      groups: user.groups,
      enabled: user.enabled,
      isAdmin: user.isAdmin,
      capabilities: this.principals.toCapabilities(user, scoped.get(user.id) ?? {}),
      ...(user.imap || user.smtp ? { mailServers: toMailServers(user) } : {}),
    }));
  }
}

/** Describes a guest. */
function toGuest({ id, email, displayName, createdBy, ...guest }: Guest): DirectoryGuest {
  const { module, folder, item, includesBelow, expiresAt, contactId, contactFolder } = guest;
  const { title, first_name: givenName, last_name: surname } = guest.person as Readonly<Record<string, string>>;
  return {
    kind: 'guest',
    id,
    anonymous: email === null,
    displayName,
    createdBy,
    ...(email === null ? {} : { email, title, givenName, surname }),
    ...(module === null
      ? {}
      : {
          target: {
            ...{ module, ...(folder !== null && { folder }), ...(item !== null && { item }) },
            ...(includesBelow && { includesBelow }),
          },
        }),
    ...(expiresAt === null ? {} : { expires: expiresAt }),
    ...(contactId !== null && contactFolder !== null && { contact: { id: contactId, folder: contactFolder } }),
  };
}
