import type { UserPrincipal } from '@groupware/contracts';
import { fakeDirectory, person as anybody, runTestServices, type TestServices } from '@groupware/test-kit';
import { service } from '../index';

/** The contacts service over the bus, with a fake directory and a database of its own. */
export type RunningContacts = TestServices;

/** A user of the fake directory who may use contacts, as principal. */
export const person = (id: number, options: Partial<UserPrincipal> = {}): UserPrincipal =>
  anybody(id, { capabilities: ['contacts', 'edit_public_folders', 'read_create_shared_folders'], ...options });

/** Starts the service. */
export const runContacts = (environment: Record<string, string> = {}): Promise<RunningContacts> =>
  runTestServices({ services: [service, fakeDirectory], environment });
