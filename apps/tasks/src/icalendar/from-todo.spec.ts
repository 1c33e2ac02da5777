import { toMail } from './from-todo';

describe('addresses of people in files', () => {
  it.each([
    ['mailto:ann@x.example', 'ann@x.example'],
    ['MAILTO: ann@x.example', 'ann@x.example'],
    ['ann@x.example', 'ann@x.example'],
    ['urn:uuid:1', undefined],
    [`mailto:${'@'.repeat(1_000_000)} `, undefined],
  ])('are those of mails', (uri, mail) => {
    expect(toMail(uri)).toBe(mail);
  });
});
