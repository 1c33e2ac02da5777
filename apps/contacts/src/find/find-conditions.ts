import { FindErrors, type FindFilter } from '@groupware/contracts';
import { containsEach, type BindValue } from '@groupware/persistence';
import type { TextField } from '../domain/contact';
import { hasMember, textSql } from '../search/contact-conditions';

type Field = TextField | 'categories';

const NAMES: readonly Field[] = [
  ...(['display_name', 'last_name', 'first_name', 'second_name', 'title', 'suffix'] as const),
  ...(['yomiLastName', 'yomiFirstName'] as const),
];
const EMAILS: readonly Field[] = ['email1', 'email2', 'email3'];
const PHONES: readonly Field[] = [
  ...(['telephone_business1', 'telephone_business2', 'telephone_callback', 'telephone_car'] as const),
  ...(['telephone_company', 'telephone_home1', 'telephone_home2', 'telephone_other', 'telephone_isdn'] as const),
  ...(['telephone_pager', 'telephone_primary', 'telephone_radio', 'telephone_telex', 'telephone_ttytdd'] as const),
  ...(['telephone_ip', 'telephone_assistant', 'cellular_telephone1', 'cellular_telephone2'] as const),
];
const ADDRESSES: readonly Field[] = [
  ...(['street_home', 'postal_code_home', 'city_home', 'state_home', 'country_home'] as const),
  ...(['street_business', 'postal_code_business', 'city_business', 'state_business', 'country_business'] as const),
  ...(['street_other', 'postal_code_other', 'city_other', 'state_other', 'country_other'] as const),
];
/** Fields by the names that the configuration has for them. */
const CONFIGURED: Readonly<Record<string, readonly Field[]>> = {
  ADDRESS_FIELDS: ADDRESSES,
  EMAIL_FIELDS: EMAILS,
  NAME_FIELDS: NAMES,
  PHONE_FIELDS: PHONES,
  CATEGORIES: ['categories'],
  COMPANY: ['company'],
  DEPARTMENT: ['department'],
  COMMERCIAL_REGISTER: ['commercial_register'],
  POSITION: ['position'],
};
/** Fields of texts by the names that filters have for them. */
const SEARCHED: Readonly<Record<string, readonly Field[]>> = {
  name: NAMES,
  email: EMAILS,
  phone: PHONES,
  department: ['department'],
  address: ADDRESSES,
};
const TYPES: Readonly<Record<string, string>> = { contact: 'not a.is_list', 'distribution list': 'a.is_list' };

/** The fields that a property names for searches without one; unknown names are left out. */
export const parseGlobalFields = (names: string): readonly Field[] =>
  names.split(',').flatMap((name) => {
    const known = name.trim().toUpperCase();
    return Object.hasOwn(CONFIGURED, known) ? CONFIGURED[known]! : [];
  });

const isGlobalField = (field: string): boolean => field === 'global' || field === 'address_book';

/** True for a field in which texts are looked for, whose queries may be too short. */
export const isTextField = (field: string): boolean => isGlobalField(field) || Object.hasOwn(SEARCHED, field);

/** Condition: a contact meets a filter. @throws FIND-0004 */
export function filterCondition({ fields, queries }: FindFilter, global: readonly Field[], bind: BindValue): string {
  const conditions = queries.map((query) => {
    const met = fields.map((field) => fieldCondition(field, query, global, bind));
    return `(${met.join(' or ')})`;
  });
  return conditions.join(' and ');
}

function fieldCondition(field: string, query: string, global: readonly Field[], bind: BindValue): string {
  if (field === 'contact') return `a.id = ${bind(toContactNumber(query), 'int')}`;
  if (field === 'contact_type') {
    if (!Object.hasOwn(TYPES, query)) throw FindErrors.badQuery(query.slice(0, 100));
    return TYPES[query]!;
  }
  const searched = isGlobalField(field) ? global : SEARCHED[field]!;
  const found = containsEach(searched.map(textSql), [query], bind);
  return field === 'email' ? `(${found} or ${hasMember((names) => containsEach(names, [query], bind))})` : found;
}

/** The number in a value such as `contact/1/15`; the context in it says nothing. @throws FIND-0004 */
function toContactNumber(value: string): number {
  const number = /^(?:contact\/\d{1,9}\/)?(\d{1,9})$/.exec(value)?.[1];
  if (number === undefined) throw FindErrors.badQuery(value.slice(0, 100));
  return Number(number);
}
