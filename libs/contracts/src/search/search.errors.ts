import { errorCatalog } from '../kit';

/** Search terms of clients (prefix SEARCH). */
export const SearchErrors = errorCatalog('SEARCH', {
  noOperator: { number: 2, category: 'ERROR', message: 'The search term has no operator.', http: 400 },
  tooFewOperands: { number: 3, category: 'ERROR', message: 'The search operator %1 has too few operands.', http: 400 },
  badTerm: { number: 4, category: 'ERROR', message: 'The search term is not valid: %1.', http: 400 },
  badOperand: { number: 5, category: 'ERROR', message: 'The operand %1 of a search term is not valid.', http: 400 },
  unknownOperator: { number: 6, category: 'ERROR', message: 'The search operator %1 is unknown.', http: 400 },
});
