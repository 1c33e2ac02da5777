import { RequestErrors } from '../edge/edge.errors';
import { localText, type TextKey } from '../envelope/translations';
import { FindErrors } from './find.errors';
import type { FindBody, FindFacet, FindFacetValue, FindFilter, FindQueryBody } from './find.models';

/** Most facets of a request, and most queries and fields of one filter. */
const MAX_FACETS = 100;
const MAX_QUERIES = 50;
const MAX_CHARACTERS = 1024;
const DEFAULT_SIZE = 20;

/** The kinds of folders that a search may be limited to. */
export const FOLDER_TYPES = ['private', 'public', 'shared'] as const;
/** See {@link FOLDER_TYPES}. */
export type FindFolderType = (typeof FOLDER_TYPES)[number];

/** A facet of a module. */
export interface FacetDeclaration {
  readonly id: string;
  readonly style: FindFacet['style'];
  /** Field of its filter. */
  readonly field: string;
  /** Fields of its filters, where values have several filters to choose from. */
  readonly fields?: readonly string[];
  /** Further names of the field that clients may send. */
  readonly aliases?: readonly string[];
  /** Its name for users. */
  readonly text: TextKey;
  /** Names of its values, of an exclusive one. */
  readonly values?: Readonly<Record<string, TextKey>>;
}

/** Facets that several modules have: they are chosen elsewhere, and are values without filter. */
export type CommonFacet = 'account' | 'folder' | 'folder_type';

/** A value that is chosen. */
export interface ActiveFacet {
  readonly facet: string;
  readonly value: string;
  readonly filter: FindFilter;
}

/** A request, checked. */
export interface FindRequest {
  readonly active: readonly ActiveFacet[];
  /** Id of the only folder to search in. */
  readonly folder?: string;
  readonly folderType?: FindFolderType;
  /** Id of the only account to search in. */
  readonly account?: string;
  readonly timezone?: string;
  /** Whether the contact of the administrator is left out. */
  readonly withoutAdmin: boolean;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses the facets of a module that a client chose. Clients send back what they were told: everything is checked anew.
 * @throws SVL-0010, FIND-0003, FIND-0005 to FIND-0008, FIND-0015, FIND-0016
 */
export function parseFindRequest(
  body: FindBody,
  declared: readonly FacetDeclaration[],
  common: readonly CommonFacet[] = ['folder', 'folder_type'],
): FindRequest {
  const { facets = [], options } = body;
  if (!Array.isArray(facets) || facets.length > MAX_FACETS) throw bad('facets');
  const known = new Map(declared.map((facet) => [facet.id, facet]));
  const fields = new Set(
    declared.flatMap(({ field, fields: several = [field], aliases = [] }) => [...several, ...aliases]),
  );
  const active: ActiveFacet[] = [];
  const places: Partial<Record<CommonFacet, string>> = {};
  for (const each of facets as unknown[]) {
    if (!isRecord(each) || typeof each.facet !== 'string') throw bad('facets');
    const { facet: id, value } = each;
    if (value === undefined || value === null || value === '') continue;
    if (typeof value !== 'string' || value.length > MAX_CHARACTERS) throw bad('value');
    const place = common.find((name) => name === id);
    if (place) places[place] = value;
    else {
      const facet = known.get(id);
      if (!facet) throw FindErrors.unknownFacet(id.slice(0, 100));
      // There is at most one value of an exclusive facet: the last one.
      const before = facet.style === 'exclusive' ? active.findIndex((chosen) => chosen.facet === id) : -1;
      if (before >= 0) active.splice(before, 1);
      active.push({ facet: id, value, filter: parseFilter(each.filter, facet, value, fields) });
    }
  }
  const { account, folder, folder_type: folderType } = places;
  if (folder !== undefined && folderType !== undefined) throw FindErrors.conflict('folder', 'folder_type');
  const { timezone, admin, includeContextAdmin } = isRecord(options) ? options : {};
  return {
    active,
    ...(account !== undefined && { account }),
    ...(folder !== undefined && { folder }),
    ...(folderType !== undefined && { folderType: toFolderType(folderType) }),
    ...(typeof timezone === 'string' && timezone !== '' && { timezone: timezone.slice(0, 128) }),
    withoutAdmin: String(admin ?? includeContextAdmin) === 'false',
  };
}

const bad = (name: string) => RequestErrors.badParameter(name, 'unexpected form');

function toFolderType(value: string): FindFolderType {
  const found = FOLDER_TYPES.find((type) => type === value);
  if (!found) throw FindErrors.badFolderType(value.slice(0, 100));
  return found;
}

function parseFilter(
  filter: unknown,
  { id, style, field, fields: several }: FacetDeclaration,
  value: string,
  known: ReadonlySet<string>,
): FindFilter {
  if (filter === undefined || filter === null) {
    if (style === 'simple' || several) throw FindErrors.noFilter(id);
    return { fields: [field], queries: [value] };
  }
  const { fields, queries } = isRecord(filter) ? filter : {};
  for (const [name, list] of Object.entries({ fields, queries })) {
    if (!Array.isArray(list)) throw RequestErrors.badJson(`filter.${name}`);
    if (list.includes(null)) throw FindErrors.nullField(id);
  }
  if (!isTexts(fields) || !isTexts(queries)) throw bad('filter');
  if (fields.length === 0) throw FindErrors.noFields(id);
  if (queries.length === 0) throw FindErrors.noQueries(id);
  for (const name of fields) if (!known.has(name)) throw FindErrors.unknownField(name.slice(0, 100));
  return { fields, queries };
}

const isTexts = (list: unknown): list is string[] =>
  Array.isArray(list) &&
  list.length <= MAX_QUERIES &&
  list.every((each) => typeof each === 'string' && each.length <= MAX_CHARACTERS);

/** The words of what a user typed; quotes keep words together. Short ones go unless there are no others. */
export function splitTokens(prefix: string, minLength: number): string[] {
  const found = [...prefix.matchAll(/"([^"]*)"?|([^\s"]+)/g)]
    .map(([, quoted, plain]) => (quoted ?? plain ?? '').trim())
    .filter((token) => token !== '');
  const long = found.filter((token) => [...token].length >= minLength);
  return (long.length > 0 || prefix.trim() === '' ? long : [prefix.trim()]).slice(0, MAX_QUERIES);
}

/** The queries of a text that are long enough, wildcards not counted. @throws FIND-0010 when none is */
export function listLongQueries(queries: readonly string[], minLength: number): string[] {
  const long = queries.filter((query) => [...query.replace(/[*?]/g, '')].length >= minLength);
  if (long.length === 0) throw FindErrors.tooShort(minLength);
  return long;
}

/** The page that is wanted: the first one of 20 unless both numbers are there. @throws FIND-0019 */
export function parseFindPage({ start, size }: FindQueryBody, most: number): { start: number; size: number } {
  if (start === undefined || size === undefined || start < 0 || size < 0) return { start: 0, size: DEFAULT_SIZE };
  if (size > most) throw FindErrors.tooMany(most);
  return { start, size };
}

/** Input from which facets are made. */
export interface FacetQuestion {
  readonly request: FindRequest;
  /** Typed text. */
  readonly prefix: string;
  readonly minLength: number;
  readonly locale: string;
  /** Values of default facets by id. */
  readonly values: Readonly<Record<string, readonly FindFacetValue[]>>;
  /** None where the module has no such facet. */
  readonly folderTypes: readonly FindFolderType[];
}

/** The facets of a module that are left to choose. */
export function listFacets(declared: readonly FacetDeclaration[], question: FacetQuestion): FindFacet[] {
  const { request, prefix, minLength, locale, values, folderTypes } = question;
  const typed = prefix.trim();
  const tokens = splitTokens(typed, minLength);
  const hasText = typed !== '' && [...typed].length >= minLength;
  const chosen = new Set(request.active.map(({ facet, value }) => `${facet} ${value}`));
  const active = new Set(request.active.map(({ facet }) => facet));
  const facets = declared.flatMap(({ id, style, field, text, values: options = {} }): FindFacet[] => {
    const name = localText(text, locale);
    const flags: string[] = [];
    if (style === 'simple') {
      if (!hasText) return [];
      return [{ id, style, item: { name: typed, detail: name }, filter: { fields: [field], queries: tokens }, flags }];
    }
    if (style === 'default') {
      const left = (values[id] ?? []).filter((value) => !chosen.has(`${id} ${value.id}`));
      return left.length === 0 ? [] : [{ id, style, name, values: left, flags }];
    }
    if (active.has(id)) return [];
    const left = Object.entries(options).map(([value, valueText]) => ({
      id: value,
      name: localText(valueText, locale),
      filter: { fields: [field], queries: [value] },
    }));
    return [{ id, style, name, options: left, flags }];
  });
  if (folderTypes.length === 0 || request.folder !== undefined || request.folderType !== undefined) return facets;
  const types = folderTypes.map((id) => ({
    id,
    name: localText(`find.folder_type.${id}` as const, locale),
    filter: { fields: ['folder_type'], queries: [id] },
  }));
  const name = localText('find.folder_type', locale);
  return [...facets, { id: 'folder_type', style: 'exclusive', name, options: types, flags: ['conflicts:folder'] }];
}

/** Whether a folder is of a kind, as its reader sees it. */
export function isOfFolderType(
  { isPublic, owner }: { readonly isPublic: boolean; readonly owner: number },
  type: FindFolderType,
  userId: number,
): boolean {
  if (isPublic) return type === 'public';
  return type === (owner === userId ? 'private' : 'shared');
}
