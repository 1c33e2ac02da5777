import { errorCatalog } from '../kit';

/** Searches by facets (prefix FIND). */
export const FindErrors = errorCatalog('FIND', {
  unknownField: { number: 3, category: 'ERROR', message: 'The filter field %1 is not supported.', http: 400 },
  badQuery: { number: 4, category: 'ERROR', message: 'The filter query %1 is not supported.', http: 400 },
  noFilter: { number: 5, category: 'USER_INPUT', message: 'The facet %1 needs a filter.', http: 400 },
  noFields: { number: 6, category: 'USER_INPUT', message: 'The filter of the facet %1 has no fields.', http: 400 },
  noQueries: { number: 7, category: 'USER_INPUT', message: 'The filter of the facet %1 has no queries.', http: 400 },
  unknownFacet: { number: 8, category: 'ERROR', message: 'The facet %1 is not supported.', http: 400 },
  nullField: {
    number: 9,
    category: 'ERROR',
    message: 'The filter of the facet %1 has a field without value.',
    http: 400,
  },
  tooShort: {
    number: 10,
    category: 'USER_INPUT',
    message: 'The query is too short: it needs %1 characters.',
    http: 400,
  },
  noFacet: { number: 11, category: 'USER_INPUT', message: 'The facet %1 is missing.', http: 400 },
  badFolder: { number: 14, category: 'USER_INPUT', message: 'The folder id %1 is not valid.', http: 400 },
  badFolderType: { number: 15, category: 'USER_INPUT', message: 'The folder type %1 is not valid.', http: 400 },
  conflict: { number: 16, category: 'USER_INPUT', message: 'The facets %1 and %2 exclude each other.', http: 400 },
  moduleDisabled: {
    number: 17,
    category: 'PERMISSION_DENIED',
    message: 'The module %1 must not be searched.',
    http: 403,
  },
  badAccount: { number: 18, category: 'USER_INPUT', message: 'The account id %1 is not valid.', http: 400 },
  tooMany: { number: 19, category: 'USER_INPUT', message: 'No more than %1 results at a time.', http: 400 },
});
