import { ProvisioningErrors } from '@groupware/contracts';
import { isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { IMAGE_FIELD, type FieldMapping, type ImportRow } from './import-fields';

/** Longest entry in characters: a file without empty lines must not fill the memory. Room for a picture. */
const MAX_ENTRY_CHARACTERS = 5_000_000;

/** Maximum length of a distinguished name, characters. */
const MAX_NAME_CHARACTERS = 8_192;

/** Attributes of inetOrgPerson, groupOfNames and posixGroup, in lower case, and the fields they stand for. */
const FIELDS: Readonly<Record<string, string>> = {
  givenname: 'givenName',
  sn: 'surname',
  surname: 'surname',
  preferredlanguage: 'locale',
  telephonenumber: 'phones.business',
  homephone: 'phones.home',
  mobile: 'phones.mobile',
  facsimiletelephonenumber: 'phones.fax',
  o: 'company',
  ou: 'department',
  title: 'title',
  description: 'description',
};
/** Attributes that name members, by name or DN. */
const MEMBERS: ReadonlySet<string> = new Set(['member', 'uniquemember', 'memberuid']);
/** The attribute with the picture of a person. */
const PICTURE = 'jpegphoto';
const GROUP_CLASSES: ReadonlySet<string> = new Set(['groupofnames', 'groupofuniquenames', 'posixgroup']);

/** Values by attribute in lower case, in their order. */
type Attributes = Map<string, string[]>;

/** One entry or change of a file. */
export interface LdifEntry {
  /** Number of the line with its name; the first line is 1. */
  readonly line: number;
  readonly dn: string;
  readonly attributes: Attributes;
}

/**
 * Reads LDIF (RFC 2849) as a stream: folded lines, base64 values, comments, change records. Values of URLs are refused.
 * @param pictures attributes in lower case whose bytes are no text: their base64 stays as it is
 * @throws PROV-0016 for a file that cannot be read so
 */
async function* parseLdifEntries(
  bytes: AsyncIterable<Uint8Array>,
  pictures: ReadonlySet<string>,
): AsyncGenerator<LdifEntry> {
  let entry: string[] = [];
  let start = 0;
  let size = 0;
  let number = 0;
  for await (const line of unfoldLines(bytes)) {
    number++;
    if (isTurnOver()) await yieldToEventLoop();
    if (line === '') {
      if (entry.length > 0) yield* parseRecord(entry, start, pictures);
      entry = [];
      size = 0;
      continue;
    }
    if (entry.length === 0) start = number;
    size += line.length;
    if (size > MAX_ENTRY_CHARACTERS) throw toUnreadableError(start, 'the entry is too long');
    if (line.startsWith(' ') && entry.length > 0) entry[entry.length - 1] += line.slice(1);
    else entry.push(line);
  }
  if (entry.length > 0) yield* parseRecord(entry, start, pictures);
}

/**
 * Rows of an LDIF file as fields of the REST API; `changetype` of an entry becomes the action of its row.
 * @param mapping fields by attribute, before the built-in table
 */
export async function* parseLdifRows(
  bytes: AsyncIterable<Uint8Array>,
  mapping: FieldMapping = {},
): AsyncGenerator<ImportRow> {
  let any = false;
  const mappedPictures = Object.keys(mapping).filter((attribute) => mapping[attribute] === IMAGE_FIELD);
  for await (const entry of parseLdifEntries(bytes, new Set([PICTURE, ...mappedPictures]))) {
    any = true;
    const row = await toImportRow(entry, mapping);
    if (row) yield row;
  }
  if (!any) throw ProvisioningErrors.unreadableImport('the file has no entry');
}

async function* unfoldLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  for await (const chunk of bytes) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    // Chunks without a line break are only collected: searching a long line again with each chunk is quadratic.
    lines[0] = rest + lines[0]!;
    rest = lines.pop()!;
    if (rest.length > MAX_ENTRY_CHARACTERS) throw ProvisioningErrors.unreadableImport('a line is too long');
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest.endsWith('\r') ? rest.slice(0, -1) : rest;
}

const toUnreadableError = (line: number, why: string) => ProvisioningErrors.unreadableImport(`line ${line}: ${why}`);

async function* parseRecord(
  lines: readonly string[],
  start: number,
  pictures: ReadonlySet<string>,
): AsyncGenerator<LdifEntry> {
  const attributes: Attributes = new Map();
  let dn: string | undefined;
  for (const line of lines) {
    if (isTurnOver()) await yieldToEventLoop();
    if (line.startsWith('#')) continue;
    // Separator between two modifications of one entry; the attributes themselves name what changes.
    if (line === '-') continue;
    const match = /^([A-Za-z0-9][A-Za-z0-9.;-]*):(:|<)?(.*)$/s.exec(line);
    if (!match) throw toUnreadableError(start, 'not an attribute with its value');
    const [, written, kind, spaced] = match as unknown as [string, string, string | undefined, string];
    const text = spaced.replace(/^ +/, '');
    if (kind === '<') throw toUnreadableError(start, 'values of URLs are not read');
    const name = written.split(';')[0]!.toLowerCase();
    const isEncodedText = kind === ':' && !pictures.has(name);
    const value = isEncodedText ? Buffer.from(text, 'base64').toString('utf8') : text;
    if (name === 'version' && dn === undefined && attributes.size === 0) continue;
    if (name === 'dn') dn = value;
    else {
      const values = attributes.get(name);
      if (values) values.push(value);
      else attributes.set(name, [value]);
    }
  }
  if (dn === undefined) {
    if (attributes.size === 0) return;
    throw toUnreadableError(start, 'the entry has no name');
  }
  yield { line: start, dn, attributes };
}

/** Converts an entry to a row; undefined for entries that are neither people nor groups, such as tree nodes. */
async function toImportRow(
  { line, dn, attributes: all }: LdifEntry,
  mapping: FieldMapping,
): Promise<ImportRow | undefined> {
  const { chosen, attributes } = applyMapping(all, mapping);
  const first = (name: string): string | undefined => attributes.get(name)?.[0];
  const change = first('changetype')?.toLowerCase() ?? 'add';
  const classes = (attributes.get('objectclass') ?? []).map((name) => name.toLowerCase());
  const members = [...MEMBERS].flatMap((name) => attributes.get(name) ?? []);
  const isGroup = classes.some((name) => GROUP_CLASSES.has(name)) || (classes.length === 0 && members.length > 0);
  const uid = first('uid') ?? findRdnValue(dn, 'uid');
  const cn = first('cn') ?? findRdnValue(dn, 'cn');
  const name = chosen.name ?? (isGroup ? cn : (uid ?? (change === 'add' ? undefined : cn)));
  if (name === undefined && classes.length > 0 && !isGroup && !classes.includes('inetorgperson')) return undefined;
  const values: Record<string, string> = {};
  for (const [attribute, field] of Object.entries(FIELDS)) {
    const value = first(attribute)?.trim();
    if (value) values[field] = value;
  }
  if (name) values.name = name;
  if (!isGroup) {
    delete values.description;
    if (cn && (uid ?? chosen.name) !== undefined) values.displayName = cn;
    const mails = attributes.get('mail') ?? [];
    if (mails[0]) values.email = mails[0];
    if (mails.length > 1) values.aliases = mails.join(',');
    const picture = first(PICTURE);
    if (picture) values[IMAGE_FIELD] = picture;
    const password = first('userpassword');
    if (password) values[/^\{[A-Z0-9]+\}/i.test(password) ? 'passwordHash' : 'password'] = password;
    if (values.locale) values.locale = values.locale.split(/[,;]/)[0]!.trim().replace('-', '_');
  } else if (members.length > 0) {
    const names: string[] = [];
    for (const member of members) {
      if (isTurnOver()) await yieldToEventLoop();
      names.push(findRdnValue(member, 'uid') ?? findRdnValue(member, 'cn') ?? member);
    }
    values.members = names.join(',');
    if (values.description) values.displayName = values.description;
    delete values.description;
  }
  Object.assign(values, chosen);
  return { row: line, values, ...(change === 'add' ? {} : { action: change }) };
}

/** Applies a mapping; answers mapped values and the remaining attributes. Several values become a list. */
function applyMapping(
  all: Attributes,
  mapping: FieldMapping,
): { chosen: Record<string, string>; attributes: Attributes } {
  const chosen: Record<string, string> = {};
  for (const [attribute, field] of Object.entries(mapping)) {
    const text = (all.get(attribute) ?? []).map((value) => value.trim()).join(',');
    if (field !== null && text) chosen[field] = text;
  }
  const attributes = new Map([...all].filter(([attribute]) => !(attribute in mapping)));
  return { chosen, attributes };
}

/** Value of an attribute in the first part of the name of an entry (RFC 4514). */
function findRdnValue(dn: string, attribute: string): string | undefined {
  if (dn.length > MAX_NAME_CHARACTERS) return undefined;
  const parts = /^((?:\\.|[^,\\])*)/s.exec(dn)![1]!.split('+');
  for (const part of parts) {
    const at = part.indexOf('=');
    if (at < 0 || part.slice(0, at).trim().toLowerCase() !== attribute) continue;
    const raw = part.slice(at + 1).trim();
    return raw.replace(/\\([0-9a-fA-F]{2}|.)/gs, (_match, escaped: string) =>
      escaped.length === 2 ? String.fromCharCode(parseInt(escaped, 16)) : escaped,
    );
  }
  return undefined;
}
