import { listSeenValues, noteRows, noteTyped } from './answer-values';

const models = { TestThing: { id: 'string', parts: 'array<TestPart>', note: 'string' }, TestPart: { size: 'integer' } };
/** Values of other tests that run in the same process are there, too. */
const listTestValues = () =>
  Object.fromEntries(Object.entries(listSeenValues()).filter(([field]) => /^Test/.test(field)));

describe('values that answers had', () => {
  it('are kept by field, those of inner models too, until two tell that they differ', () => {
    noteTyped(models, 'array<TestThing>', [
      { id: '1', parts: [{ size: 1 }, { size: 1 }] },
      { id: '2', note: null },
      { id: '3', parts: [] },
    ]);
    noteRows('TestThingData', ['id', undefined, 'title'], [['1', 'x', 'a'], ['2', 'y', 'a'], 'deleted']);
    expect(listTestValues()).toEqual({
      'TestThing.id': ['"1"', '"2"'],
      'TestThing.parts': ['[{"size":1},{"size":1}]', 'null'],
      // A field that is left out is as good as null.
      'TestThing.note': ['null'],
      'TestPart.size': ['1'],
      'TestThingData.id': ['"1"', '"2"'],
      'TestThingData.title': ['"a"'],
    });
  });
});
