import type { CardProperty } from './card';
import { placeOf, readLabels, typesOf } from './property-types';
import { escapeLine, unescapeText } from './text-values';

/** Gives the properties of groups of people the names of version 4.0. */
export const renameGroupProperties = (properties: readonly CardProperty[]): CardProperty[] =>
  properties.map((property) => {
    const name = /^X-ADDRESSBOOKSERVER-(KIND|MEMBER)$/.exec(property.name)?.[1];
    return name === undefined ? property : { ...property, name };
  });

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
