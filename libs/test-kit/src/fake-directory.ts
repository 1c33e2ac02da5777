import path from 'node:path';
import {
  directory,
  operationsOf,
  type CallOf,
  type DirectoryEntity,
  type DirectoryUser,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { defineService, Handles, findOperation } from '@groupware/service-kit';

/** The people of all contexts. */
const people = new Map<number, DirectoryEntity>();
/** Contexts of users; those of no one are known in all. */
const contexts = new Map<number, number>();

/** Values of the configuration cascade, for all owners. */
export const propertyValues: Record<string, string> = {};

/** A user of the fake directory, as principal. */
export function person(id: number, options: Partial<UserPrincipal> = {}): UserPrincipal {
  const principal: UserPrincipal = {
    kind: 'user',
    contextId: 1,
    userId: id,
    groups: [0],
    locale: 'en_US',
    timeZone: 'UTC',
    capabilities: ['edit_public_folders', 'read_create_shared_folders'],
    login: `u${id}`,
    displayName: `User ${id}`,
    email: `u${id}@example.com`,
    sessionId: `session ${id}`,
    ...options,
  };
  const { login: name, displayName, email, locale, timeZone, groups, capabilities } = principal;
  const user: DirectoryUser = {
    ...{ kind: 'user', id, name, displayName, email, locale, timeZone, groups, capabilities },
    ...{ aliases: [email], enabled: true, isAdmin: false },
  };
  people.set(id, user);
  contexts.set(id, principal.contextId);
  return principal;
}

/** Adds a group or resource to the fake directory. */
export const entity = (added: DirectoryEntity): number => {
  people.set(added.id, added);
  return added.id;
};

/** Removes an entity from the fake directory, like a deleted one that other services still know. */
export const removeEntity = (id: number): void => void people.delete(id);

@Handles(directory.entities)
class EntitiesHandler implements Handler<typeof directory.entities> {
  async handle({ query }: CallOf<typeof directory.entities>) {
    return query.ids.flatMap((id) => people.get(id) ?? []);
  }
}
@Handles(directory.byAddress)
class ByAddressHandler implements Handler<typeof directory.byAddress> {
  async handle({ principal, query }: CallOf<typeof directory.byAddress>) {
    return query.addresses.flatMap((address) => {
      const found = [...people.values()].find(
        (candidate) =>
          'email' in candidate &&
          candidate.email === address &&
          (contexts.get(candidate.id) ?? principal.contextId) === principal.contextId,
      );
      return found?.kind === 'user' || found?.kind === 'resource' ? [{ address, entity: found }] : [];
    });
  }
}
@Handles(directory.properties)
class PropertiesHandler implements Handler<typeof directory.properties> {
  async handle() {
    return propertyValues;
  }
}
@Handles(directory.contacts)
class ContactsHandler implements Handler<typeof directory.contacts> {
  async handle({ query }: CallOf<typeof directory.contacts>) {
    return query.ids.flatMap((id) => {
      const known = people.get(id);
      if (known?.kind !== 'user') return [];
      const { displayName: surname, email } = known;
      return [{ id, title: null, givenName: null, surname, email, imageChanged: null }];
    });
  }
}
@Handles(directory.propertyOfUsers)
class PropertyOfUsersHandler implements Handler<typeof directory.propertyOfUsers> {
  async handle({ query }: CallOf<typeof directory.propertyOfUsers>) {
    const value = propertyValues[query.key];
    return Object.fromEntries(
      query.ids.flatMap((id): [number, string | null][] =>
        people.get(id)?.kind !== 'user' ? [[id, null]] : value === undefined ? [] : [[id, value]],
      ),
    );
  }
}

const known = [EntitiesHandler, ByAddressHandler, ContactsHandler, PropertiesHandler, PropertyOfUsersHandler];

/** Handlers that refuse what the fake directory cannot tell. */
const refusing = operationsOf(directory)
  .filter((operation) => !known.some((type) => findOperation(type) === operation))
  .map((operation) => {
    class RefusingHandler {
      async handle(): Promise<never> {
        throw new Error(`the fake directory does not know ${operation.module}.${operation.name}`);
      }
    }
    Handles(operation)(RefusingHandler);
    return RefusingHandler;
  });

/** Stands for the service identity where another service is tested alone: what the directory tells, nothing else. */
export const fakeDirectory = defineService({
  name: 'identity',
  contracts: [directory],
  directory: path.join(__dirname, 'nothing'),
  handlers: [...known, ...refusing],
});
