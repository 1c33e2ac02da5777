import { ConversionErrors } from '@groupware/contracts';
import { toShortIdentifier } from './conversion-arguments';

/** Kinds of data that parts of mails may hold. */
export type PartKind = 'ical' | 'vcard';

/** Kinds of data that sources give; what any part of a mail holds is up to who takes it. */
const SOURCES: ReadonlyMap<string, PartKind | undefined> = new Map([
  ['mail.ical', 'ical'],
  ['mail.vcard', 'vcard'],
  ['contact', 'vcard'],
  ['url.mail.attachment', undefined],
]);
const KINDS: Readonly<Record<PartKind, { readonly types: RegExp; readonly names: RegExp }>> = {
  ical: { types: /^(text\/calendar|application\/ics)$/i, names: /\.(ics|ical|ifb)$/i },
  vcard: { types: /^(text\/(x-)?vcard|text\/directory|application\/vcard)$/i, names: /\.vcf$/i },
};

/** The short name of a source, and the kind of data that it gives; undefined: any. @throws CNV-0003 */
export function parseSource(identifier: string): { readonly source: string; readonly kind: PartKind | undefined } {
  const source = toShortIdentifier(identifier);
  if (!SOURCES.has(source)) throw ConversionErrors.unknownSource(identifier);
  return { source, kind: SOURCES.get(source) };
}

/** Whether a file holds data of a kind, by its type or its name. */
export const isOfKind = ({ type, name }: { readonly type: string; readonly name: string }, kind: PartKind): boolean =>
  KINDS[kind].types.test(type) || KINDS[kind].names.test(name);
