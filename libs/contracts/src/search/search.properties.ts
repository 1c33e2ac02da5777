import { property } from '../kit';

/** Fewest characters of a search in any module. */
export const MIN_SEARCH_LENGTH = property({
  key: 'com.example.minimumSearchCharacters',
  default: 0,
  min: 0,
  scopes: ['user', 'context', 'server'],
  doc: 'Fewest characters, wildcards not counted, that a search in any module needs; fewer give APP-0094, CON-1000, FIND-0010, IFO-0602, MSG-0068 or TSK-0051. Files and tasks always allow an empty pattern.',
});
