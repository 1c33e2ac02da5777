import { ContactData, limitOfContactText } from '../contacts/contact.model';
import { ContactErrors } from '../contacts/contact.errors';
import { listLongTexts, toLongTextsError } from './long-texts';

const list = (values: object) => listLongTexts(ContactData, values, limitOfContactText);

describe('texts that are too long', () => {
  it('are told with the limits of their fields, and counted in characters', () => {
    expect(list({ company: 'x'.repeat(600), display_name: '𝒳'.repeat(321), title: '𝒳'.repeat(512) })).toEqual([
      { name: 'display_name', column: 500, length: 321, limit: 320 },
      { name: 'company', column: 569, length: 600, limit: 512 },
    ]);
  });

  it('are none where accents are composed, or nothing but blanks is there', () => {
    expect(list({ company: 'e\u0301'.repeat(512), title: ' '.repeat(600), note: null })).toEqual([]);
  });

  it('make one error that names all columns', () => {
    const error = toLongTextsError(ContactErrors.tooLong, [
      { name: 'company', column: 569, length: 600, limit: 512 },
      { name: 'note', column: 518, length: 70_000, limit: 65_535 },
    ]);
    expect(error.params).toEqual(['company', '512', '600']);
    expect(error.details).toMatchObject({
      truncated: [569, 518],
      problematic: [
        { id: 569, length: 600, max_size: 512 },
        { id: 518, length: 70_000, max_size: 65_535 },
      ],
    });
  });
});
