import { hasShape, misfits, referenceOperations } from './rest-models';

describe('the models of the reference', () => {
  it('have a shape, all but the text formats', () => {
    const models = referenceOperations().flatMap(({ success, body }) => [success.model, body?.model ?? null]);
    const without = models.filter((model) => model !== null && !hasShape(model));
    expect([...new Set(without)].sort()).toEqual([
      'CSV',
      'PushMail',
      'PushMessage',
      'VCALENDAR with one VFREEBUSY',
      'text exposition format',
    ]);
  });

  it('find what is missing, too much or of another type', () => {
    expect(misfits('Logger[]', [{ name: 'a', level: 'WARN' }])).toEqual([]);
    expect(misfits('Logger[]', [{ level: 'LOUD', more: 1 }])).toEqual([
      'body[].name is missing',
      'body[].level is no LogLevel',
      'body[].more is not declared',
    ]);
    expect(misfits('Logger[]', {})).toEqual(['body is no list']);
    expect(misfits('ConfigProperties', { a: '', b: 3 })).toEqual(['body.* is no string']);
    expect(misfits('int|null', null)).toEqual([]);
  });
});
