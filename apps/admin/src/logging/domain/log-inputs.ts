import { CATEGORIES, LOG_LEVELS, RequestErrors, type LoggerLevel, type LogLevel } from '@groupware/contracts';

/** A level as operators write it, in any case. @throws SVL-0031 */
export function parseLevel(body: unknown): LogLevel {
  const level = typeof body === 'string' ? LOG_LEVELS.find((name) => name === body.trim().toUpperCase()) : undefined;
  if (!level) throw RequestErrors.badBodyData(`no level, one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

/** Levels by name; of a name that comes twice the last one counts. @throws SVL-0031 */
export const parseLevels = (body: readonly LoggerLevel[]): Record<string, LogLevel> =>
  Object.fromEntries(body.map(({ name, level }) => [name, parseLevel(level)]));

/** Names of categories from a list, a single name or `{categories}`; sorted, each once. @throws SVL-0031 */
export function parseCategories(body: unknown): string[] {
  const inner =
    typeof body === 'object' && body !== null && !Array.isArray(body) && 'categories' in body ? body.categories : body;
  const names = Array.isArray(inner) ? (inner as unknown[]) : [inner];
  const known = names.map((name) => (typeof name === 'string' ? name.trim().toUpperCase() : ''));
  const bad = known.findIndex((name) => !Object.hasOwn(CATEGORIES, name));
  if (bad >= 0) throw RequestErrors.badBodyData(`no category: ${JSON.stringify(names[bad]) ?? 'nothing'}`);
  return [...new Set(known)].sort();
}

/** Loggers with their levels, sorted by name. */
export const toLoggers = (levels: Readonly<Record<string, LogLevel>>): LoggerLevel[] =>
  Object.entries(levels)
    .map(([name, level]) => ({ name, level }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Whether a name is in a comma list of names, or below one of them. An empty list has all names. */
export function isAllowed(name: string, whitelist: string): boolean {
  const allowed = whitelist
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return allowed.length === 0 || allowed.some((prefix) => name === prefix || name.startsWith(`${prefix}.`));
}
