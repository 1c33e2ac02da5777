import { property, type PropertyScope } from '../kit';

const everywhere: readonly PropertyScope[] = ['user', 'context', 'server'];

/** Fewest characters of a search. */
export const MIN_MAIL_SEARCH = property({
  key: 'com.example.mail.minimumSearchCharacters',
  default: 0,
  min: 0,
  scopes: everywhere,
  doc: 'Fewest characters, wild cards not counted, that a pattern of a search for mails needs; fewer give MSG-0068.',
});

/** Whether the date of a mail is the one it was sent. */
export const PREFER_SENT_DATE = property({
  key: 'com.example.mail.preferSentDate',
  default: false,
  scopes: everywhere,
  doc: 'Whether column 661 and sorting by it mean the header Date instead of the time the server received the mail.',
});

/** Most mails that are sorted here. */
export const MAX_SORTED_MAILS = property({
  key: 'com.example.mail.maxSortedMessages',
  default: 10_000,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most mails that are sorted or threaded here, where the mail server cannot do it; of larger folders the newest so many are, and the others follow by id.',
});

/** Most rows of one answer. */
export const MAX_MAIL_ROWS = property({
  key: 'com.example.mail.maxRows',
  default: 10_000,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most mails of one list; of more matches the first so many are told.',
});

/** So much of a text is shown. */
export const BODY_DISPLAY_LIMIT = property({
  key: 'com.example.mail.bodyDisplaySizeLimit',
  default: 10_485_760,
  min: 10_240,
  max: 10_485_760,
  scopes: everywhere,
  doc: 'So much of each text of a mail is read and shown, bytes; what is longer is cut, and told by truncated.',
});
