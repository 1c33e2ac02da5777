import { findFormJson } from './form-json';

describe('the JSON of a form', () => {
  it('has a number or none', () => {
    expect(findFormJson({ json: '{}' })).toBe('{}');
    expect(findFormJson({ json_0: '[]' })).toBe('[]');
    expect(findFormJson({ json: '{}', json_0: '[]' })).toBe('{}');
    expect(findFormJson({})).toBeUndefined();
  });
});
