import { parseContentLine } from './content-line';

describe('a content line', () => {
  it('holds all values of a list that is given twice', () => {
    expect(parseContentLine('ATTENDEE;DELEGATED-TO="a\\","b";DELEGATED-TO="c","d":mailto:x@y.z')).toEqual([
      'attendee',
      { 'delegated-to': ['a\\', 'b', 'c', 'd'] },
      'cal-address',
      'mailto:x@y.z',
    ]);
  });
});
