import type { TextField } from '../domain/contact';

/** Fields by the names that the configuration has for them. */
const FIELDS: Readonly<Record<string, TextField>> = {
  GIVEN_NAME: 'first_name',
  SUR_NAME: 'last_name',
  DISPLAY_NAME: 'display_name',
  EMAIL1: 'email1',
  EMAIL2: 'email2',
  EMAIL3: 'email3',
  TITLE: 'title',
  SUFFIX: 'suffix',
  MIDDLE_NAME: 'second_name',
  COMPANY: 'company',
  NICKNAME: 'nickname',
};

/** The fields that a property names, separated by commas; unknown names are left out. */
export const parseFieldNames = (names: string): TextField[] =>
  names.split(',').flatMap((name) => {
    const known = name.trim().toUpperCase();
    return Object.hasOwn(FIELDS, known) ? [FIELDS[known]!] : [];
  });
