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

/** How clients call it. */
export const SHARE_NAME = property<string>({
  key: 'com.example.mail.compose.share.name',
  default: 'Drive Mail',
  scopes: ['user', 'context', 'server'],
  doc: 'What clients call it when files of a mail go as a link.',
});

/** From which size on they do so unasked. */
export const SHARE_THRESHOLD = property({
  key: 'com.example.mail.compose.share.threshold',
  default: 0,
  min: 0,
  scopes: ['user', 'context', 'server'],
  doc: 'Files of a mail that are more bytes together go as a link although its author did not ask for it, where he may send links; 0: never.',
});

/** Whether files go when their link ends. */
export const SHARE_ENDS_FILES = property<boolean>({
  key: 'com.example.mail.compose.share.forceAutoDelete',
  default: false,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether the folder with the files of a mail is deleted when its link ends, also where the author did not ask for it.',
});

/** Language of those who get a link. */
export const SHARE_LOCALE = property<string>({
  key: 'com.example.mail.compose.share.externalRecipientsLocale',
  default: 'user-defined',
  scopes: ['user', 'context', 'server'],
  doc: 'Language of the text beside a link to files, such as en_US, where the author chose none; user-defined: that of the author.',
});

/** Where the folders of mails are. */
export const SHARE_FOLDER = property<string>({
  key: 'com.example.mail.compose.share.folderName',
  default: 'i18n-defined',
  scopes: ['user', 'context', 'server'],
  doc: 'Name of the folder, within the one of the user, with a folder for the files of each mail that has a link; i18n-defined: a name in the language of the user; empty: none, the folders of mails are in that of the user.',
});

/** Whether such links must end. */
export const SHARE_NEEDS_EXPIRY = property<boolean>({
  key: 'com.example.mail.compose.share.requiredExpiration',
  default: false,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether links to files of mails must have an expiry date; without one the mail is refused with MSG-0107.',
});
