import fc from 'fast-check';
import { truncate, parseFeedbackContent, parseFeedbackType } from './feedback-content';

const code = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('what a client sends', () => {
  it('is texts by lower-case name, without unknown keys, missing ones empty', () => {
    expect(
      parseFeedbackContent('star-rating-v1', { SCORE: 3, Comment: 'fine', app: null, browser: { a: 1 }, x: 'y' }),
    ).toEqual({
      score: '3',
      comment: 'fine',
      app: '',
      entry_point: '',
      operating_system: '',
      browser: '{"a":1}',
      browser_version: '',
      user_agent: '',
      screen_resolution: '',
      language: '',
      client_version: '',
    });
  });

  it('takes a score as number or text, and the question of nps only', () => {
    expect(parseFeedbackContent('nps-v1', { score: ' 0 ', questionId: 2 })).toMatchObject({
      score: '0',
      questionid: '2',
    });
    expect(parseFeedbackContent('nps-v1', { score: -3 })).toMatchObject({ score: '-3', questionid: '' });
    for (const score of [6, -1, '12'])
      expect(code(() => parseFeedbackContent('star-rating-v1', { score }))).toBe('SVL-0010');
    expect(parseFeedbackContent('star-rating-v1', { score: 1, questionid: 9 })).not.toHaveProperty('questionid');
  });

  it.each([
    ['star-rating-v1', {}],
    ['star-rating-v1', { score: '' }],
    ['star-rating-v1', { score: 0 }],
    ['star-rating-v1', { score: 2.5 }],
    ['star-rating-v1', { score: 'many' }],
    ['star-rating-v1', { score: [] }],
    ['nps-v1', { score: null }],
    ['nps-v1', { score: 1, questionid: 4 }],
    ['nps-v1', { score: 1, questionid: 'a' }],
  ] as const)('%s refuses %j', (type, body) => {
    expect(code(() => parseFeedbackContent(type, body))).toBe('FEEDBACK-0004');
  });

  it('must be an object of a known type', () => {
    for (const body of [[], 'text', 7, null]) expect(code(() => parseFeedbackContent('nps-v1', body))).toBe('SVL-0028');
    expect(parseFeedbackType('nps-v1')).toBe('nps-v1');
    for (const name of ['', 'nps', 'NPS-V1', 'constructor'])
      expect(code(() => parseFeedbackType(name))).toBe('FEEDBACK-0003');
  });

  it('is cut with a mark where there is room for one', () => {
    expect(truncate('x'.repeat(50), 50)).toHaveLength(50);
    expect(truncate('x'.repeat(51), 50)).toBe(`${'x'.repeat(46)} ...`);
    expect(truncate('12345678901', 10)).toBe('1234567890');
    expect(truncate('1234567890', 5)).toBe('12345');
    expect(truncate(`${'x'.repeat(45)}😀 and more`, 50)).toBe(`${'x'.repeat(45)} ...`);
  });

  it('never gets longer than its limit and never loses half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 5, max: 50 }), (text, limit) => {
        const short = truncate(text, limit);
        expect(short.length).toBeLessThanOrEqual(limit);
        expect(Buffer.from(short).toString()).toBe(short);
      }),
    );
  });
});
