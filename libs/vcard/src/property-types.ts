import type { CardProperty } from './card';
import { unescapeText } from './text-values';

/** Types of a property in lower case: those of TYPE, and the one that its label stands for (Apple). */
export function typesOf(property: CardProperty, labels: ReadonlyMap<string, string>): ReadonlySet<string> {
  const types = (property.parameters.type ?? [])
    .flatMap((type) => type.toLowerCase().split(','))
    .map((type) => type.trim());
  const label = property.group === undefined ? undefined : labels.get(property.group.toLowerCase());
  return new Set([...types, ...(label === undefined ? [] : [label])]);
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
