import { LRUCache } from 'lru-cache';

/** Most orders kept in memory. */
const MAX_COLLATORS = 200;

const collators = new LRUCache<string, Intl.Collator>({
  max: MAX_COLLATORS,
  memoMethod: (locale) => new Intl.Collator(locale.replace('_', '-')),
});

/** The order of texts in a locale such as `sv_SE`. Kept, as making one costs more than sorting a list. */
export const collatorOf = (locale: string): Intl.Collator => collators.memo(locale);
