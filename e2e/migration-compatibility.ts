/** Statements that processes of the version before may not survive, or that keep them from writing, each with the way out. */
const RULES: readonly { readonly pattern: RegExp; readonly problem: string }[] = [
  { pattern: /\bdrop table\b/, problem: 'drops a table' },
  { pattern: /\bdrop column\b/, problem: 'drops a column' },
  { pattern: /\brename\b/, problem: 'renames' },
  { pattern: /\balter column \S+ (set data )?type\b/, problem: 'changes the type of a column' },
  { pattern: /\balter column \S+ set not null\b/, problem: 'requires a value' },
  { pattern: /\balter column \S+ drop default\b/, problem: 'takes a default away' },
];

/** A part of a statement: `add column` ends at the next comma or the end. */
const NEW_COLUMN = /\badd column (?:if not exists )?(\S+) ([^,;]*)/g;
const NEW_INDEX = /\bcreate (unique )?index (?!concurrently)(\S+)\s+on (\S+)/g;
const NEW_TABLE = /\bcreate table (?:if not exists )?(\S+)/g;

/**
 * Finds what two adjacent versions cannot share: while a version is rolled out, processes of the one before read and write the
 * same tables. What is removed goes a release after the last one that uses it; indexes of tables that exist are built
 * concurrently.
 */
export function incompatibleParts(statements: readonly string[]): string[] {
  const sql = statements.join(';\n').replace(/--.*$/gm, '').replace(/\s+/g, ' ').toLowerCase();
  const made = new Set([...sql.matchAll(NEW_TABLE)].map(([, table]) => table));
  const problems = RULES.flatMap(({ pattern, problem }) => (pattern.test(sql) ? [problem] : []));
  for (const [, column, definition] of sql.matchAll(NEW_COLUMN))
    if (/\bnot null\b/.test(definition!) && !/\b(default|generated)\b/.test(definition!))
      problems.push(`requires a value of the new column ${column}`);
  for (const [, unique, index, table] of sql.matchAll(NEW_INDEX)) {
    if (made.has(table)) continue;
    problems.push(`keeps writers out while ${index} is built`);
    if (unique) problems.push(`refuses rows by ${index}`);
  }
  return problems;
}

/** Migrations of the time before the first release, when no older version could run beside. Nothing is added here. */
export const INCOMPATIBLE_BEFORE_FIRST_RELEASE: ReadonlySet<string> = new Set([
  'BirthdayCalendars1795455000000',
  'CreateFactors1763740000000',
  'CreateInstallation1763820000000',
  'CreateResellers1763805000000',
  'FindBusyTimes1763701300000',
  'FindGroups1763700400000',
  'FindParts1764100000000',
  'FindSeries1764000000000',
  'FollowFolders1763700300000',
  'ForgetTombstones1763700100000',
  'IdentifyMailboxes1764200000000',
  'NameGuests1763956000000',
  'NoteCancellations1763928000000',
  'OpenFilestores1763841700000',
  'QuotasAreProperties1763951000000',
]);

/** Modules that came after the last release: no older process has their tables. Emptied by each release. */
export const NEW_MODULES: ReadonlySet<string> = new Set([
  'contacts',
  'files',
  'mail',
  'mail-filter',
  'outgoing-mail',
  'sso',
  'tasks',
]);
