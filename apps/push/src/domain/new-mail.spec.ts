import { newMailOf, shorten } from './new-mail';

describe('what is told about a mail', () => {
  it('is folder, id, sender, subject, counter and first words', () => {
    expect(
      newMailOf({
        event: 'messageNew',
        user: '3@1',
        folder: 'INBOX',
        imapUid: 17,
        from: '=?utf-8?q?J=C3=B6rg?= <joerg@example.org>',
        subject: '=?utf-8?q?Gr=C3=BC=C3=9Fe?=',
        unseen: 4,
        snippet: 'Hello\r\n  there',
      }),
    ).toEqual({
      folder: 'default0/INBOX',
      id: '17',
      email: 'joerg@example.org',
      displayname: 'Jörg',
      subject: 'Grüße',
      unread: 4,
      teaser: 'Hello there',
    });
  });

  it('leaves out what is absent or senseless, and keeps a sender that is no address', () => {
    expect(newMailOf({ folder: 'A/B', imapUid: '5', from: 'nobody at all', unseen: -1, subject: ' ' })).toEqual({
      folder: 'default0/A/B',
      id: '5',
      email: 'nobody at all',
    });
    expect(newMailOf({ folder: 'INBOX', imapUid: 5, from: ['x'], subject: 5, snippet: {}, unseen: '4' })).toEqual({
      folder: 'default0/INBOX',
      id: '5',
      unread: 4,
    });
    for (const message of [
      { folder: 5, imapUid: 5 },
      {},
      { folder: 'INBOX' },
      { imapUid: 5 },
      { folder: 'INBOX', imapUid: {} },
    ])
      expect(newMailOf(message)).toBeUndefined();
    expect(newMailOf({ folder: 'INBOX', imapUid: 1, subject: 'x'.repeat(9000) })!.subject).toHaveLength(500);
  });

  it('is not longer than what is passed on, wherever it comes from', () => {
    const text = `a\n${'x'.repeat(9_000)}`;
    const { subject, teaser, displayname } = shorten({
      ...{ folder: 'default0/INBOX', id: '1' },
      ...{ subject: text, teaser: text, displayname: text },
    });
    for (const short of [subject, teaser, displayname]) expect(short).toBe(`a ${'x'.repeat(498)}`);
    expect(shorten({ folder: 'f', id: '1', subject: '' })).toEqual({ folder: 'f', id: '1', subject: '' });
  });
});
