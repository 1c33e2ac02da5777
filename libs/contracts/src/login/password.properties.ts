import { property } from '../kit';

const everywhere = ['user', 'context', 'server'] as const;

/** Shortest password. */
export const PASSWORD_MIN_LENGTH = property<number>({
  key: 'com.example.passwordchange.minLength',
  default: 8,
  min: 1,
  max: 256,
  scopes: everywhere,
  doc: 'Fewest characters of a password that a user chooses.',
});

/** Longest password. */
export const PASSWORD_MAX_LENGTH = property<number>({
  key: 'com.example.passwordchange.maxLength',
  default: 0,
  min: 0,
  max: 1024,
  scopes: everywhere,
  doc: 'Most characters of a password that a user chooses; 0 means 1024.',
});

/** Form of passwords. */
export const PASSWORD_PATTERN = property<string>({
  key: 'com.example.passwordchange.regexp',
  default: '',
  scopes: ['context', 'server'],
  doc: 'Regular expression that a password chosen by a user must match as a whole; empty: any.',
});

/** Form of passwords, in words. */
export const PASSWORD_HINT = property<string>({
  key: 'com.example.passwordchange.special',
  default: '',
  scopes: ['context', 'server'],
  doc: 'What passwords must look like, in words, for the refusal.',
});

/** Page on which expired passwords are changed. */
export const PASSWORD_CHANGE_URL = property<string>({
  key: 'com.example.passwordchange.url',
  default: 'passwordchange?action=renew',
  scopes: ['server'],
  doc: 'Page on which users choose another password when theirs has expired, named by LGI-0011; by default the call that such a page makes.',
});

/** Invitations. */
export const INVITATION_LIFETIME = property<number>({
  key: 'com.example.passwordchange.invitationLifetime',
  default: 604_800_000,
  min: 60_000,
  max: 31_536_000_000,
  scopes: ['context', 'server'],
  doc: 'How long a token that an import made for a new user sets a password, ms.',
});

/** Other sessions after a change. */
export const PASSWORD_CHANGE_CLOSES = property<boolean>({
  key: 'com.example.passwordchange.closeOtherSessions',
  default: true,
  scopes: everywhere,
  doc: 'A change of the own password ends the other sessions of the user.',
});

/** Application passwords after a change of the own password. */
export const PASSWORD_CHANGE_ENDS_APP_PASSWORDS = property<boolean>({
  key: 'com.example.passwordchange.endAppPasswords',
  default: true,
  scopes: everywhere,
  doc: 'A change of the own password, also of one that has expired, removes the application passwords of the user and ends their sessions: whoever knew the password may have made one.',
});

/** History of passwords. */
export const PASSWORD_HISTORY = property<boolean>({
  key: 'com.example.passwordchange.history.enabled',
  default: true,
  scopes: everywhere,
  doc: 'Changes of the password are noted (when and from where, never the password).',
});

/** Length of the history. */
export const PASSWORD_HISTORY_LIMIT = property<number>({
  key: 'com.example.passwordchange.history.limit',
  default: 10,
  min: 1,
  max: 1000,
  scopes: everywhere,
  doc: 'Most noted changes of the password of one user.',
});
