import {
  ALL_FOLDERS_FOR_AUTOCOMPLETE,
  ContactErrors,
  contacts,
  FIRST_LETTER_FIELD,
  MIN_SEARCH_LENGTH,
  RequestErrors,
  UNSUPPORTED_CRITERIA,
  type CallOf,
  type ContactSearchBody,
  type Handler,
} from '@groupware/contracts';
import { ConditionValues, matchesWildcards, type BindValue } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import type { TextField } from '../domain/contact';
import { parseContactFolderId } from '../folders/folder-access';
import { FIRST_FILTER_PARAMETER } from '../persistence/contact-view.repository';
import { AddressFolders } from '../search/address-folders';
import { anyFieldBeginsWith, HAS_ADDRESS, textSql } from '../search/contact-conditions';
import { ContactView, inFolders } from '../views/contact-view';

/** Fields that the body may name. */
const FIELDS = [
  ...(['last_name', 'first_name', 'display_name', 'email1', 'email2', 'email3', 'company', 'categories'] as const),
  ...(['department', 'street_business', 'city_business', 'yomiFirstName', 'yomiLastName', 'yomiCompany'] as const),
];

/** `search`: contacts by fields or by the beginning of their name. */
@Handles(contacts.search)
export class SearchHandler implements Handler<typeof contacts.search> {
  constructor(
    private readonly view: ContactView,
    private readonly properties: Properties,
    private readonly folders: AddressFolders,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof contacts.search>) {
    for (const name of UNSUPPORTED_CRITERIA)
      if (body[name] != null) throw RequestErrors.badParameter(name, JSON.stringify(body[name]));
    const [shortest, everywhere, letterField] = await Promise.all([
      this.properties.get(MIN_SEARCH_LENGTH, principal),
      this.properties.get(ALL_FOLDERS_FOR_AUTOCOMPLETE, principal),
      this.properties.get(FIRST_LETTER_FIELD, principal),
    ]);
    const { values, bind } = new ConditionValues(FIRST_FILTER_PARAMETER);
    const conditions = [
      ...patternConditions(body, letterField, shortest, bind),
      ...fieldConditions(body, shortest, bind),
      ...(body.emailAutoComplete ? [HAS_ADDRESS] : []),
    ];
    if (body.exclude_folders?.length)
      conditions.push(`not a.folder_id = any(${bind(body.exclude_folders.map(parseContactFolderId), 'int[]')})`);
    const filter = { where: conditions.length === 0 ? 'true' : conditions.join(' and '), values };
    const folderIds = listFolderIds(body.folder);
    const isLimited = body.emailAutoComplete && !everywhere;
    const places = folderIds ?? (isLimited ? await this.folders.listIds(principal) : undefined);
    return this.view.search(principal, query, { folderIds, filter: places ? inFolders(places, filter) : filter });
  }
}

function listFolderIds(folder: unknown): number[] | undefined {
  if (folder === undefined || folder === null) return undefined;
  const ids = Array.isArray(folder) ? (folder as unknown[]) : [folder];
  return [
    ...new Set(
      ids.map((id) => {
        if (typeof id !== 'string' && typeof id !== 'number') throw RequestErrors.badBodyData('folder: no id');
        return parseContactFolderId(String(id));
      }),
    ),
  ];
}

/** Refuses a text with fewer characters than a search needs (CON-1000). */
function requireLength(text: string, shortest: number): void {
  if ([...text.replace(/[*?]/g, '')].length < shortest) throw ContactErrors.searchTooShort(shortest);
}

function patternConditions(
  { pattern, startletter }: ContactSearchBody,
  letterField: TextField,
  shortest: number,
  bind: BindValue,
): string[] {
  if (pattern == null) return [];
  if (startletter && pattern !== 'all') {
    const letter = `coalesce(${textSql(letterField)}, a.display_name)`;
    if (pattern === '.' || pattern === '#') return [`${letter} collate "und-x-icu" !~ '^[[:alnum:]]'`];
    if (/^\d$/.test(pattern)) return [`${letter} ~ '^[0-9]'`];
    return [matchesWildcards(letter, `${pattern}*`, bind)];
  }
  if (pattern === '*' || (startletter && pattern === 'all')) return ['a.display_name is not null'];
  requireLength(pattern, shortest);
  return /[*?]/.test(pattern)
    ? [matchesWildcards('a.display_name', `${pattern}*`, bind)]
    : [anyFieldBeginsWith(['display_name'], pattern, bind)];
}

function fieldConditions(body: ContactSearchBody, shortest: number, bind: BindValue): string[] {
  const conditions = FIELDS.flatMap((field) => {
    const text = body[field];
    if (text == null) return [];
    requireLength(text, shortest);
    if (body.exactMatch) return [`${textSql(field)} collate "C" = ${bind(text.replaceAll('\u0000', ''), 'text')}`];
    return [matchesWildcards(textSql(field), body.emailAutoComplete ? `${text}*` : text, bind)];
  });
  if (conditions.length === 0) return [];
  return [`(${conditions.join(body.orSearch || body.emailAutoComplete ? ' or ' : ' and ')})`];
}
