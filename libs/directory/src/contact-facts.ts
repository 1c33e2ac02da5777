import {
  directory,
  type DirectoryContact,
  type DirectoryGuest,
  type DirectoryUser,
  type Tenant,
} from '@groupware/contracts';
import type { Caller } from '@groupware/messaging';

/** Contact data of a user beside the name, as the API shows them where users are named. */
export interface ContactFacts {
  readonly title?: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email1?: string;
  readonly image1_url?: string;
}

/** Asks for the contact data of users, by id; unknown ids are left out. */
export async function listContacts(
  caller: Pick<Caller, 'call'>,
  service: string,
  { contextId }: Tenant,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, DirectoryContact>> {
  const principal = { kind: 'internal', service, contextId } as const;
  const found = await caller.call(directory.contacts, { principal, query: { ids: [...ids] } });
  return new Map(found.map((contact) => [contact.id, contact]));
}

/**
 * Converts the contact data of a user.
 * @param basePath base of the addresses of this server; undefined where the picture cannot be loaded
 */
export function toContactFacts(
  { id, email }: Pick<DirectoryUser, 'id' | 'email'>,
  contact: Partial<DirectoryContact> | undefined,
  basePath: string | undefined,
): ContactFacts {
  const { title, givenName, surname, imageChanged } = contact ?? {};
  return {
    ...(title && { title }),
    ...(givenName && { first_name: givenName }),
    ...(surname && { last_name: surname }),
    email1: email,
    ...(basePath !== undefined &&
      imageChanged && { image1_url: `${basePath}/image/user/picture?id=${id}&timestamp=${imageChanged}` }),
  };
}

/** Converts the contact data of a guest; undefined for the guest of a link. */
export const toGuestContactFacts = ({ id, email, ...names }: DirectoryGuest): ContactFacts | undefined =>
  email === undefined ? undefined : toContactFacts({ id, email }, names, undefined);
