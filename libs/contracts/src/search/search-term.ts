import { SearchErrors } from './search.errors';

/** Deepest nesting of a search term. */
export const MAX_TERM_DEPTH = 64;
/** Most operators of a search term. */
export const MAX_TERMS = 1_000;

/** Operators that compare a field with a value. */
export const COMPARISONS = ['=', '<>', '<', '>', '<=', '>='] as const;
/** See {@link COMPARISONS}. */
export type Comparison = (typeof COMPARISONS)[number];

/** A value that a field is compared with. */
export type SearchValue = string | number | boolean;

/** A search term of a client, checked. */
export type SearchTerm =
  | { readonly operator: 'and' | 'or'; readonly terms: readonly SearchTerm[] }
  | { readonly operator: 'not'; readonly term: SearchTerm }
  | { readonly operator: 'isNull'; readonly field: string }
  | { readonly operator: Comparison; readonly field: string; readonly value: SearchValue };

/** The comparison with its sides exchanged: `5 < x` says `x > 5`. */
const EXCHANGED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
};

/**
 * Parses a search term: `["and" | "or", term …]`, `["not", term]`, `["isNull", field]`, `[comparison, operand, operand]` with
 * `{"field": name}` on one side. Names of operators ignore case.
 * @throws SEARCH-0002, SEARCH-0003, SEARCH-0004, SEARCH-0005, SEARCH-0006
 */
export function parseSearchTerm(json: unknown): SearchTerm {
  let count = 0;

  const parse = (term: unknown, depth: number): SearchTerm => {
    if (!Array.isArray(term)) throw SearchErrors.badTerm('not a list');
    if (depth > MAX_TERM_DEPTH) throw SearchErrors.badTerm(`nested deeper than ${MAX_TERM_DEPTH} levels`);
    if ((count += 1) > MAX_TERMS) throw SearchErrors.badTerm(`more than ${MAX_TERMS} operators`);
    const [name, ...operands] = term as unknown[];
    if (typeof name !== 'string') throw SearchErrors.noOperator();
    const operator = name.toLowerCase();
    if (operator === 'and' || operator === 'or') {
      if (operands.length === 0) throw SearchErrors.tooFewOperands(name);
      return { operator, terms: operands.map((operand) => parse(operand, depth + 1)) };
    }
    if (operator === 'not') {
      if (operands.length === 0) throw SearchErrors.tooFewOperands(name);
      return { operator, term: parse(operands[0], depth + 1) };
    }
    if (operator === 'isnull') {
      if (operands.length === 0) throw SearchErrors.tooFewOperands(name);
      return { operator: 'isNull', field: parseField(operands[0], true) };
    }
    const comparison = operator === 'equals' ? '=' : COMPARISONS.find((known) => known === operator);
    if (!comparison) throw SearchErrors.unknownOperator(name);
    return parseComparison(comparison, operands);
  };

  return parse(json, 1);
}

function parseComparison(operator: Comparison, operands: readonly unknown[]): SearchTerm {
  if (operands.length < 2) throw SearchErrors.tooFewOperands(operator);
  const [left, right] = operands;
  const isReversed = !isObject(left);
  const [field, value] = isReversed ? [right, left] : [left, right];
  if (!isValue(value)) throw SearchErrors.badOperand(JSON.stringify(value));
  return { operator: isReversed ? EXCHANGED[operator] : operator, field: parseField(field, false), value };
}

const isObject = (operand: unknown): operand is object =>
  typeof operand === 'object' && operand !== null && !Array.isArray(operand);
const isValue = (operand: unknown): operand is SearchValue => ['string', 'number', 'boolean'].includes(typeof operand);

function parseField(operand: unknown, mayBeName: boolean): string {
  const name = isObject(operand) ? (operand as { readonly field?: unknown }).field : mayBeName ? operand : undefined;
  if (typeof name !== 'string' || name === '') throw SearchErrors.badOperand(JSON.stringify(operand));
  return name;
}

/** The values with which a field is compared for equality, wherever in the term. */
export function listEqualValues(term: SearchTerm, field: string): SearchValue[] {
  if ('terms' in term) return term.terms.flatMap((each) => listEqualValues(each, field));
  if ('term' in term) return [];
  return term.operator === '=' && term.field === field ? [term.value] : [];
}
