import { expectAnswersKept, watchAnswer } from './answer-models';

const call = (method: string, module: string, action: string) => ({ method, module, action });
const ERROR = { error: 'text', error_params: [], error_id: '1', error_desc: 't', categories: 'ERROR' };
const problemsOf = (...parameters: Parameters<typeof watchAnswer>): string[] => {
  watchAnswer(...parameters);
  try {
    expectAnswersKept();
  } catch (error) {
    return String(error).split('\n').slice(1);
  }
  return [];
};

describe('answers of module calls', () => {
  it.each<[string, Parameters<typeof watchAnswer>, string[]]>([
    [
      'wrong types, by the contract and by the reference',
      [call('GET', 'resource', 'get'), {}, { data: { id: 1, last_modified: 5 } }],
      [
        'GET /resource?action=get: data.last_modified is no text (1)',
        'GET /resource?action=get: data.last_modified is no string (1)',
      ],
    ],
    [
      'fields that nobody declared',
      [call('GET', 'group', 'get'), {}, { data: { id: 1, colour: 'red' } }],
      ['GET /group?action=get: data.colour is not declared (1)'],
    ],
    [
      'fields that are missing',
      [call('GET', 'freebusy', 'get'), {}, { data: [{ start_date: 1, end_date: 2 }] }],
      ['GET /freebusy?action=get: data[].shown_as is missing (1)'],
    ],
    [
      'rows of another length, and cells of another type',
      [call('GET', 'calendar', 'all'), { columns: '1,200' }, { data: [['1'], ['1', 2], ['1', null]] }],
      [
        'GET /calendar?action=all: row has 1 cells, not 2 (1)',
        'GET /calendar?action=all: row.title is no text (1)',
        'GET /calendar?action=all: row.title is no string (1)',
      ],
    ],
    [
      'errors',
      [call('GET', 'calendar', 'get'), {}, { ...ERROR, error_params: 'one', category: '1', code: undefined }],
      [
        'GET /calendar?action=get: error.error_params is no list (1)',
        'GET /calendar?action=get: error.code is no string (1)',
        'GET /calendar?action=get: error.category is no integer (1)',
      ],
    ],
    ['nothing in a good one', [call('GET', 'group', 'get'), {}, { data: { id: 1, name: 'a', members: [1] } }], []],
  ])('%s', (_, parameters, expected) => {
    expect(problemsOf(...parameters)).toEqual(expected);
  });
});
