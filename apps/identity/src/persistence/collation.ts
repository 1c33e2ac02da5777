/**
 * Collation of texts that people read. Named in each statement, because that of the database is often C, for which Ä and ä are
 * different letters and sort behind Z.
 */
export const COLLATION = 'collate "und-x-icu"';
