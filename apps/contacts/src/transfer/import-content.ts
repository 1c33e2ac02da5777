import {
  CatalogueError,
  isCatalogueError,
  ContactErrors,
  ImportExportErrors,
  MAX_LIST_MEMBERS,
} from '@groupware/contracts';
import { MAIL_FIELDS, type StoredMember } from '../domain/contact';
import {
  parseContent,
  toBareAddress,
  toStoredText,
  type ContactContent,
  type ContentRules,
} from '../domain/contact-input';

/** Fields of an entry by their name in the API. */
export type ImportedFields = Record<string, unknown>;

/** Problems of an entry that is stored nevertheless. */
export interface EntryProblems {
  readonly warnings: CatalogueError[];
  /** Names of the fields that were left out. */
  readonly fields: string[];
}

/**
 * The content of an entry; addresses that are none are left out with a warning.
 * @throws CON-0154, CON-0168
 */
export function toImportedContent(
  fields: ImportedFields,
  rules: ContentRules,
  problems: EntryProblems,
): ContactContent {
  const body = { ...fields };
  for (const name of MAIL_FIELDS) {
    if (isAcceptable(body[name], name, rules)) continue;
    problems.warnings.push(ImportExportErrors.invalidValue(name, String(body[name])));
    problems.fields.push(name);
    body[name] = null;
  }
  return parseContent(body, rules);
}

function isAcceptable(text: unknown, name: string, rules: ContentRules): boolean {
  if (typeof text !== 'string') return true;
  try {
    parseContent({ [name]: text }, rules);
    return true;
  } catch (error) {
    if (isCatalogueError(error, ContactErrors.badAddress)) return false;
    throw error;
  }
}

/**
 * Members of an imported list: addresses alone. Those that are none are left out with a warning.
 * @throws I_E-1310 for more members than a list may have, CON-0154, CON-0168
 */
export function toImportedMembers(
  members: readonly { readonly mail: string; readonly displayName?: string }[],
  rules: ContentRules,
  problems: EntryProblems,
): StoredMember[] {
  if (members.length > MAX_LIST_MEMBERS) throw ImportExportErrors.refused(`more than ${MAX_LIST_MEMBERS} members`);
  const refused = new Set(members.filter(({ mail }) => !isAcceptable(mail, 'email1', rules)));
  if (refused.size > 0) {
    problems.warnings.push(ImportExportErrors.invalidValue('distribution_list', [...refused][0]!.mail));
    problems.fields.push('distribution_list');
  }
  return members
    .filter((member) => !refused.has(member))
    .map(({ mail, displayName }) => ({
      mailField: 0,
      contactId: null,
      mail: toBareAddress(mail),
      displayName: toStoredText('display_name', displayName),
      firstName: null,
      lastName: null,
    }));
}
