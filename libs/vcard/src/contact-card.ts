import type { Card, CardProperty, CardWarning } from './card';
import type { CardContact, CardMember } from './card-contact';
import { formatDay, parseDay } from './card-dates';
import { assignSlots, FIELD_SLOTS, markSurplus, type FieldTexts } from './card-fields';
import { isGroup, isMailMember, readMembers, toMember } from './members';
import { readPhoto } from './photo';
import { readLabels } from './property-types';

const DATES = {
  birthday: { name: 'BDAY', pattern: /^BDAY$/ },
  anniversary: { name: 'ANNIVERSARY', pattern: /^(?:X-(?:MS-|EVOLUTION-|KADDRESSBOOK-X-|SVC-)?)?ANNIVERSARY$/ },
} as const;
const PRIVATE = /^(?:private|confidential)$/i;

/** Whether a card says who may see its contact. */
export const hasClass = ({ properties }: Card): boolean => properties.some(({ name }) => name === 'CLASS');

/** Reads the contact that a card describes; values that cannot be read give warnings. */
export function readContact(card: Card): { readonly contact: CardContact; readonly warnings: readonly CardWarning[] } {
  const { properties } = card;
  const warnings: CardWarning[] = [];
  const assigned = assignSlots(properties);
  const texts = Object.assign(
    {},
    ...FIELD_SLOTS.flatMap((slot) => {
      const at = assigned.get(slot.id);
      return at === undefined ? [] : [slot.read(properties[at]!)];
    }),
  ) as Record<string, string>;
  const { color_label: color, ...others } = texts;
  const labels = readLabels(properties);
  const dates = Object.entries(DATES).flatMap(([field, { pattern }]) => {
    const property = properties.find((each) => pattern.test(dateNameOf(each, labels)));
    if (!property || property.value.trim() === '') return [];
    const day = parseDay(property.value, property.parameters['x-apple-omit-year']?.[0]);
    if (day === undefined)
      warnings.push({ code: 'invalid-date', message: `no day: ${property.value.slice(0, 64)}`, field });
    return day === undefined ? [] : [[field, day] as const];
  });
  const photo = properties.find(({ name }) => name === 'PHOTO');
  const bytes = photo && readPhoto(photo);
  return {
    contact: {
      texts: others,
      ...Object.fromEntries(dates),
      ...(color !== undefined && /^(?:\d|10)$/.test(color) && { color: Number(color) }),
      isPrivate: properties.some(({ name, value }) => name === 'CLASS' && PRIVATE.test(value.trim())),
      ...(isGroup(properties) && { members: readMembers(properties) }),
      ...(bytes && { photo: { bytes } }),
    },
    warnings,
  };
}

/** Name of the property that a date is: Apple has one for all but birthdays, and labels tell them apart. */
const dateNameOf = ({ name, group }: CardProperty, labels: ReadonlyMap<string, string>): string =>
  name === 'X-ABDATE' ? (labels.get(group?.toLowerCase() ?? '') ?? '').toUpperCase() : name;

const EMPTY: Card = { version: '3.0', properties: [] };

/**
 * The card of a contact: that which was stored with its present fields. A property of a field that changed changes in place and
 * keeps its parameters, one of a field that is empty goes, and whatever the model does not know stays.
 */
export function overlayContact(stored: Card | undefined, contact: CardContact): Card {
  const card = stored ?? EMPTY;
  const texts: FieldTexts = {
    ...contact.texts,
    ...(contact.color !== undefined && { color_label: String(contact.color) }),
  };
  const properties: (CardProperty | undefined)[] = [...card.properties];
  const assigned = assignSlots(card.properties);
  const placed = new Map<string, number>();
  for (const slot of FIELD_SLOTS) {
    const wanted = Object.fromEntries(slot.fields.flatMap((field) => (texts[field] ? [[field, texts[field]]] : [])));
    const at = assigned.get(slot.id);
    const isEmpty = Object.keys(wanted).length === 0;
    if (at === undefined) {
      if (isEmpty) continue;
      placed.set(slot.id, properties.push(slot.write(slot.template, wanted)) - 1);
      continue;
    }
    const before = card.properties[at]!;
    if (isEmpty) properties[at] = undefined;
    else {
      placed.set(slot.id, at);
      if (!hasSameTexts(slot.read(before), wanted)) properties[at] = slot.write(before, wanted);
    }
  }
  overlayDates(properties, contact);
  overlayClass(properties, contact.isPrivate);
  overlayMembers(properties, contact.members);
  overlayPhoto(properties, contact.photo);
  return { version: card.version, properties: nameTypes(properties, placed) };
}

const hasSameTexts = (before: FieldTexts, after: FieldTexts): boolean =>
  Object.keys({ ...before, ...after }).every((field) => before[field] === after[field]);

/**
 * Makes a card say what its fields are: those properties that would be read into another field since others went or came get the
 * types of theirs, and those that would fill a field without being one of it are marked as surplus.
 */
function nameTypes(
  properties: readonly (CardProperty | undefined)[],
  placed: ReadonlyMap<string, number>,
): CardProperty[] {
  const kept = properties.flatMap((property, at) => (property ? [{ property, at }] : []));
  const result = kept.map(({ property }) => property);
  const positions = new Map(kept.map(({ at }, index) => [at, index]));
  const templates = new Map(
    FIELD_SLOTS.flatMap(({ id, template }) => {
      const at = placed.get(id);
      return at === undefined ? [] : [[positions.get(at)!, { id, type: template.parameters.type }] as const];
    }),
  );
  const unnamed = new Set(templates.keys());
  // Each change may lead others to another field.
  for (let isChanged = true; isChanged;) {
    const assigned = assignSlots(result);
    const strangers = [...assigned.values()].filter((index) => !templates.has(index));
    for (const index of strangers) result[index] = markSurplus(result[index]!);
    const lost = [...unnamed].filter((index) => assigned.get(templates.get(index)!.id) !== index);
    for (const index of lost) {
      unnamed.delete(index);
      const { type: _type, ...parameters } = result[index]!.parameters;
      const { type } = templates.get(index)!;
      result[index] = { ...result[index]!, parameters: { ...parameters, ...(type && { type }) } };
    }
    isChanged = strangers.length > 0 || lost.length > 0;
  }
  return result;
}

function overlayDates(properties: (CardProperty | undefined)[], contact: CardContact): void {
  const labels = readLabels(properties.filter((property) => property !== undefined));
  for (const [field, { name, pattern }] of Object.entries(DATES)) {
    const at = properties.findIndex((property) => property && pattern.test(dateNameOf(property, labels)));
    const before = at < 0 ? undefined : properties[at]!;
    const wanted = contact[field as keyof typeof DATES];
    const known = before && parseDay(before.value, before.parameters['x-apple-omit-year']?.[0]);
    if (wanted === known) continue;
    const value = wanted === undefined ? undefined : formatDay(wanted);
    if (value === undefined) {
      if (before) properties[at] = undefined;
      continue;
    }
    if (!before) properties.push({ name, parameters: {}, value });
    else {
      const { value: _kind, 'x-apple-omit-year': _omitted, ...parameters } = before.parameters;
      properties[at] = { ...before, parameters, value };
    }
  }
}

function overlayClass(properties: (CardProperty | undefined)[], isPrivate: boolean): void {
  const at = properties.findIndex((property) => property?.name === 'CLASS');
  const before = at < 0 ? undefined : properties[at]!;
  const known = before !== undefined && PRIVATE.test(before.value.trim());
  if (known === isPrivate) return;
  if (!isPrivate) properties[at] = undefined;
  else if (before) properties[at] = { ...before, value: 'PRIVATE' };
  else properties.push({ name: 'CLASS', parameters: {}, value: 'PRIVATE' });
}

function overlayMembers(properties: (CardProperty | undefined)[], members: readonly CardMember[] | undefined): void {
  const present = properties.filter((property) => property !== undefined);
  const known = isGroup(present) ? readMembers(present) : undefined;
  if (JSON.stringify(known) === JSON.stringify(members)) return;
  for (const [at, property] of properties.entries())
    if (property && (isMailMember(property) || (!members && property.name === 'KIND'))) properties[at] = undefined;
  if (!members) return;
  if (!known) properties.push({ name: 'KIND', parameters: {}, value: 'group' });
  properties.push(...members.map(toMember));
}

function overlayPhoto(properties: (CardProperty | undefined)[], photo: CardContact['photo']): void {
  if (photo === undefined) return;
  const at = properties.findIndex((property) => property?.name === 'PHOTO');
  const before = at < 0 ? undefined : properties[at]!;
  const known = before && readPhoto(before);
  if (photo && known && Buffer.compare(known, photo.bytes) === 0) return;
  // A picture that lies elsewhere is not one of the contact.
  if (!photo) {
    if (known) properties[at] = undefined;
    return;
  }
  const value = Buffer.from(photo.bytes).toString('base64');
  const property = { name: 'PHOTO', parameters: { encoding: ['b'], type: [photoType(photo.bytes)] }, value };
  if (before) properties[at] = { ...(before.group !== undefined && { group: before.group }), ...property };
  else properties.push(property);
}

const photoType = (bytes: Uint8Array): string =>
  bytes[0] === 0xff ? 'JPEG' : bytes[0] === 0x89 ? 'PNG' : bytes[0] === 0x47 ? 'GIF' : 'WEBP';
