import { listSeenValues, noteRows, noteTyped } from './answer-values';

const models = { Thing: { id: 'string', parts: 'array<Part>', note: 'string' }, Part: { size: 'integer' } };

describe('values that answers had', () => {
  it('are kept by field, those of inner models too, until two tell that they differ', () => {
    noteTyped(models, 'array<Thing>', [
      { id: '1', parts: [{ size: 1 }, { size: 1 }] },
      { id: '2', note: null },
      { id: '3', parts: [] },
    ]);
    noteRows('ThingData', ['id', undefined, 'title'], [['1', 'x', 'a'], ['2', 'y', 'a'], 'deleted']);
    expect(listSeenValues()).toEqual({
      'Thing.id': ['"1"', '"2"'],
      'Thing.parts': ['[{"size":1},{"size":1}]', 'null'],
      // A field that is left out is as good as null.
      'Thing.note': ['null'],
      'Part.size': ['1'],
      'ThingData.id': ['"1"', '"2"'],
      'ThingData.title': ['"a"'],
    });
  });
});
