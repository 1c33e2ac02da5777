import type { CardProperty } from './card';
import { toMember } from './members';
import { placeOf, readLabels, typesOf } from './property-types';
import { escapeLine, unescapeText } from './text-values';

const LIST_MARK = /^X-(?:[A-Z]+|OPEN-XCHANGE)-CTYPE$/;
const isListMark = ({ name, value }: CardProperty): boolean =>
  LIST_MARK.test(name) && value.trim().toLowerCase() === 'dlist';

/** Gives groups of people the properties of version 4.0. Before those, the members of a list were its addresses. */
export function renameGroupProperties(properties: readonly CardProperty[]): CardProperty[] {
  const isList = properties.some(isListMark);
  return properties.map((property) => {
    const name = /^X-ADDRESSBOOKSERVER-(KIND|MEMBER)$/.exec(property.name)?.[1];
    if (name !== undefined) return { ...property, name };
    if (!isList) return property;
    if (isListMark(property)) return { name: 'KIND', parameters: {}, value: 'group' };
    return property.name === 'EMAIL' ? toMember({ mail: unescapeText(property.value) }) : property;
  });
}

/** Makes each LABEL of the older versions the parameter of its address, as version 4.0 has it. */
export function mergeLabels(properties: readonly CardProperty[]): CardProperty[] {
  if (!properties.some(({ name }) => name === 'LABEL')) return [...properties];
  const labels = readLabels(properties);
  const result: (CardProperty | undefined)[] = [...properties];
  const addresses: Record<ReturnType<typeof placeOf>, number[]> = { business: [], home: [], other: [] };
  for (const [index, property] of properties.entries())
    if (property.name === 'ADR' && !property.parameters.label)
      addresses[placeOf(typesOf(property, labels))].push(index);
  // The first address is taken first.
  for (const places of Object.values(addresses)) places.reverse();
  for (const [index, property] of properties.entries()) {
    if (property.name !== 'LABEL') continue;
    const label = [escapeLine(unescapeText(property.value))];
    const at = addresses[placeOf(typesOf(property, labels))].pop();
    if (at === undefined) {
      result[index] = { ...property, name: 'ADR', parameters: { ...property.parameters, label }, value: ';;;;;;' };
      continue;
    }
    const address = properties[at]!;
    result[at] = { ...address, parameters: { ...address.parameters, label } };
    result[index] = undefined;
  }
  return result.filter((property) => property !== undefined);
}

/** A number that version 4.0 has as an address (`tel:`, RFC 3966) as the text that the older versions have. */
export function toPlainNumber(property: CardProperty): CardProperty {
  const { value: kind, ...parameters } = property.parameters;
  if (property.name !== 'TEL' || kind?.[0]?.toLowerCase() !== 'uri') return property;
  return { ...property, parameters, value: property.value.replace(/^tel:/i, '') };
}
