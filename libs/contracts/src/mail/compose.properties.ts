import { property } from '../kit';

/** Most mails that a user writes at once. */
export const MAX_COMPOSE_SPACES = property({
  key: 'com.example.mail.compose.maxSpacesPerUser',
  default: 20,
  min: -1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most composition spaces that a user has open; one more gives MSGCS-0011. 0 or less: any number.',
});

/** How long a mail that no user goes on writing is kept. */
export const COMPOSE_IDLE_TIME = property<string>({
  key: 'com.example.mail.compose.maxIdleTimeMillis',
  default: '1W',
  doc: 'Time after which a composition space goes in which nobody wrote: ms, or a number with W, D, H or M for weeks, days, hours or minutes; 0 or less: never.',
});

/** Whether files may go as links. */
export const SHARE_COMPOSED_FILES = property<boolean>({
  key: 'com.example.mail.compose.share.enabled',
  default: true,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether users who have files and may make links may send files of a mail as a link to a folder of theirs; otherwise MSG-0106.',
});

/** Whether such links must end. */
export const SHARE_NEEDS_EXPIRY = property<boolean>({
  key: 'com.example.mail.compose.share.requiredExpiration',
  default: false,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether links to files of mails must have an expiry date; without one the mail is refused with MSG-0107.',
});
