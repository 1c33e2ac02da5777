import '../index'; // every catalogue of errors
import { errorCatalog } from '../kit';
import { SessionErrors } from '../edge/edge.errors';
import { errorObject } from './error-object';
import { localText, setTranslations, translatableTexts } from './translations';
import de from '../locales/de.json';

const TestErrors = errorCatalog('TST', {
  hidden: { number: 1, category: 'ERROR', message: 'Host %1 refused' },
  long: { number: 12345, category: 'USER_INPUT', message: 'Bad %1 and %2' },
});

describe('errorObject', () => {
  it('shows the text in the language of the user and English in error_desc', () => {
    const error = SessionErrors.unknown('x');
    expect(errorObject(error, 'de_DE', {}).error).toBe(de['SES.unknown']);
    expect(errorObject(error, 'de_DE', {}).error_desc).toContain('has expired');
    expect(errorObject(error, 'xx_YY', {}).error).toContain('Please log in again');
  });

  it('shows a general text for internal errors', () => {
    const object = errorObject(TestErrors.hidden('db7'), 'en_US');
    expect(object).toMatchObject({
      error: localText('generic', 'en'),
      code: 'TST-0001',
      categories: 'ERROR',
      category: 8,
    });
  });

  it('keeps five digits, cuts long parameters and flattens control characters', () => {
    const object = errorObject(TestErrors.long('a\nb', 'x'.repeat(500)), 'en');
    expect(object.code).toBe('TST-12345');
    expect(object.error_params[0]).toBe('a b');
    expect(object.error_params[1]).toHaveLength(201);
  });

  it('has a stack only when asked for', () => {
    expect(errorObject(TestErrors.long(), 'en')).not.toHaveProperty('error_stack');
    expect(errorObject(TestErrors.long(), 'en', { stack: true }).error_stack).not.toHaveLength(0);
  });

  it('has a German text for every text a user sees', () => {
    const missing = Object.keys(translatableTexts()).filter((key) => !(key in de) && !key.startsWith('TST'));
    expect(missing).toEqual([]);
  });

  it('speaks languages that were added, English where they have no text, German never by mistake', () => {
    setTranslations(new Map([['fr', { 'SES.unknown': 'Session inconnue.' }]]));
    expect(errorObject(SessionErrors.unknown('x'), 'fr_CA').error).toBe('Session inconnue.');
    expect(errorObject(TestErrors.hidden('db7'), 'fr_FR').error).toBe(localText('generic', 'en'));
    expect(errorObject(SessionErrors.unknown('x'), 'de').error).toBe(de['SES.unknown']);
    setTranslations(new Map());
    expect(errorObject(SessionErrors.unknown('x'), 'fr_CA').error).toContain('Please log in again');
  });
});
