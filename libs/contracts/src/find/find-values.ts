import { ContactErrors } from '../contacts/contact.errors';
import type { ContactAutocompleteQuery } from '../contacts/contacts.contract';
import { isCatalogueError, type UserPrincipal } from '../kit';
import type { FindItem } from './find.models';

/** Values of a facet, unless a request says how many. */
export const DEFAULT_FIND_VALUES = 10;

/** Contacts beyond the ones wanted that are read, as lists among them are no values. */
const SPARE = 20;
const COLUMNS = ['1', '500', '501', '502', '569', '555', '556', '557', '602', '606', '524'];

/** A contact as a value of facets of other modules. */
export interface FindContact {
  /** Id of the value. */
  readonly id: string;
  readonly item: FindItem;
  /** At least one. */
  readonly addresses: readonly string[];
  /** User whose contact it is, for contacts of users. */
  readonly userId?: number;
}

/** Texts of a contact that may name it, as rows have them. */
export interface ContactNames {
  readonly displayName: unknown;
  readonly firstName: unknown;
  readonly lastName: unknown;
  readonly company: unknown;
  readonly mail: unknown;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The name by which a value shows a contact: the first that it has, empty without any. */
export function toContactName({ displayName, firstName, lastName, company, mail }: ContactNames): string {
  const fullName = [firstName, lastName].filter(isText).join(' ');
  return [displayName, fullName, company, mail].find(isText) ?? '';
}

/** The contact that a value stands for. */
export const toContactValueId = (contextId: number, id: string): string => `contact/${contextId}/${id}`;

/**
 * Contacts with an address for what was typed, the most used first; lists are left out. None where the user may not read contacts,
 * or what was typed is too short for them.
 * @param autocomplete calls the operation of that name for the user
 */
export async function listFindContacts(
  user: UserPrincipal,
  prefix: string,
  most: number,
  autocomplete: (query: ContactAutocompleteQuery) => Promise<readonly (readonly unknown[])[]>,
): Promise<FindContact[]> {
  const { capabilities, appScopes, contextId } = user;
  if (!capabilities.includes('contacts') || (appScopes && !appScopes.includes('read_contacts'))) return [];
  const rows = await autocomplete({ query: prefix, columns: COLUMNS, right_hand_limit: most + SPARE }).catch(
    (error: unknown) => {
      if (isCatalogueError(error, ContactErrors.searchTooShort)) return [];
      throw error;
    },
  );
  return rows
    .flatMap(([id, displayName, firstName, lastName, company, ...others]): FindContact[] => {
      const [first, second, third, isList, image, userId] = others;
      const addresses = [first, second, third].filter(isText);
      if (isList === true || addresses.length === 0) return [];
      return [
        {
          id: toContactValueId(contextId, String(id)),
          item: {
            name: toContactName({ displayName, firstName, lastName, company, mail: addresses[0] }),
            detail: addresses[0]!,
            ...(typeof image === 'string' && { image_url: image }),
          },
          addresses,
          ...(typeof userId === 'number' && userId > 0 && { userId }),
        },
      ];
    })
    .slice(0, most);
}
