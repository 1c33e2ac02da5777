import { createHash } from 'node:crypto';
import type { SiteAvailability, SiteAvailabilityUpdates } from '@groupware/contracts';

/** Availability of one site before and after. */
export interface SiteChange {
  readonly id: string;
  readonly before: number;
  readonly now: number;
}

const indexById = (sites: readonly SiteAvailability[]): ReadonlyMap<string, number> =>
  new Map(sites.map(({ id, availability }) => [id, availability]));

/** The sites whose availability differs, sorted by id. One that is in a single list has 0 in the other. */
export function diffAvailabilities({
  previousAvailabilities,
  newAvailabilities,
}: SiteAvailabilityUpdates): SiteChange[] {
  const [before, now] = [indexById(previousAvailabilities), indexById(newAvailabilities)];
  return [...new Set([...before.keys(), ...now.keys()])]
    .sort()
    .map((id) => ({ id, before: before.get(id) ?? 0, now: now.get(id) ?? 0 }))
    .filter((change) => change.before !== change.now);
}

/** Whether changes concern a site: its own, or another one that came or went, whose data may move. */
export const concernsSite = (changes: readonly SiteChange[], local: string): boolean =>
  changes.some(({ id, before, now }) => id === local || (before === 0) !== (now === 0));

/** Key of changes, equal for equal changes of any sender. */
export const toChangeKey = (changes: readonly SiteChange[]): string =>
  createHash('sha256').update(JSON.stringify(changes)).digest('base64url');
