import type { CardProperty } from './card';
import { unescapeText } from './text-values';

/** Types of a property that count. */
const MAX_TYPES = 64;

/** Types of a property in lower case: those of TYPE, and the one that its label stands for (Apple). */
export function typesOf(property: CardProperty, labels: ReadonlyMap<string, string>): ReadonlySet<string> {
  const types = new Set<string>();
  for (const value of property.parameters.type ?? [])
    for (const type of value.split(',', MAX_TYPES)) if (types.size < MAX_TYPES) types.add(type.trim().toLowerCase());
  const label = property.group === undefined ? undefined : labels.get(property.group.toLowerCase());
  if (label !== undefined) types.add(label);
  return types;
}

/** Types that labels of groups stand for, by group in lower case: `_$!<Other>!$_` is other. */
export function readLabels(properties: readonly CardProperty[]): ReadonlyMap<string, string> {
  return new Map(
    properties.flatMap(({ group, name, value }) => {
      if (group === undefined || name !== 'X-ABLABEL') return [];
      const known = /^_\$!<(.*)>!\$_$/.exec(unescapeText(value))?.[1]?.toLowerCase();
      return known === undefined ? [] : [[group.toLowerCase(), known] as const];
    }),
  );
}

/** The place that a postal address or a fax number belongs to. */
export function placeOf(types: ReadonlySet<string>): 'business' | 'home' | 'other' {
  if (types.has('work')) return 'business';
  return types.has('home') ? 'home' : 'other';
}
