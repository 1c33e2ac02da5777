import { listLongQueries, parseFindRange, PAST_PERIODS, type ActiveFacet } from '@groupware/contracts';
import type { ImapToken } from '@groupware/mail-access';
import { compileRange, compileTerm, type ComparisonCompiler } from '../domain/search-term';

/** Context that criteria depend on. */
export interface CriteriaSurroundings {
  /** ms UTC. */
  readonly now: number;
  readonly minLength: number;
  /** Whether the folder is the one for sent mails. */
  readonly isSent: boolean;
  /** Whether texts of mails are searched where no field is named. */
  readonly searchesTexts: boolean;
  /** Whether the server compares times of reception by seconds (RFC 5032). */
  readonly hasWithin: boolean;
}

/** True for a facet whose criteria differ in the folder for sent mails. */
export const dependsOnFolder = ({ filter: { fields } }: ActiveFacet): boolean =>
  fields.some((field) => field === 'global' || field === 'date');

/** Criteria of mails that meet all facets. @throws FIND-0004, FIND-0010, MSG-0003 for too many queries */
export function compileFacets(
  active: readonly ActiveFacet[],
  surroundings: CriteriaSurroundings,
  compileExactly?: ComparisonCompiler,
): readonly ImapToken[] {
  const dates = active.filter(isAboutDates).flatMap(({ filter: { queries } }) => compileDates(queries, surroundings));
  const terms = active.filter((facet) => !isAboutDates(facet)).map((facet) => toTerm(facet, surroundings));
  // One term, so that its limits are those of the request.
  return [...dates, ...(terms.length > 0 ? compileTerm(['and', ...terms], { minCharacters: 0 }, compileExactly) : [])];
}

const isAboutDates = ({ filter: { fields } }: ActiveFacet): boolean => fields.includes('date');

const compileDates = (queries: readonly string[], { now, isSent, hasWithin }: CriteriaSurroundings) =>
  queries.flatMap((query) =>
    compileRange(parseFindRange(query, now, PAST_PERIODS), isSent ? 'sent' : 'received', { now, hasWithin }),
  );

/** Every word must be found in one of the fields; of the addresses of a person one. */
function toTerm({ facet, filter: { fields, queries } }: ActiveFacet, surroundings: CriteriaSurroundings): unknown[] {
  const searched = fields.flatMap((field) => (field === 'global' ? listGlobalFields(surroundings) : [field]));
  const isPerson = facet === 'contacts';
  const wanted = isPerson ? queries : listLongQueries(queries, surroundings.minLength);
  const terms = wanted.map((query) => ['or', ...searched.map((field) => ['=', { field }, query])]);
  return [isPerson ? 'or' : 'and', ...terms];
}

const listGlobalFields = ({ isSent, searchesTexts }: CriteriaSurroundings): string[] => [
  ...['subject', 'from', 'to', 'cc'],
  ...(isSent ? ['bcc'] : []),
  ...(searchesTexts ? ['body'] : []),
];
