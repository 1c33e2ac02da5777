import { property } from '../kit';

/** Client id of guest sessions. */
export const SHARE_CLIENT = property<string>({
  key: 'com.example.share.client',
  default: 'svc-share',
  doc: 'Client id of the sessions of guests, whatever client a login names.',
});

/** Life of guests' cookies. */
export const SHARE_COOKIE_LIFETIME = property<number>({
  key: 'com.example.share.cookieTTL',
  default: 0,
  min: 0,
  doc: 'Life in ms of the cookies of guests whose sessions are not transient; 0 means until the browser closes.',
});

/** Whether guest sessions are transient. */
export const SHARE_TRANSIENT_SESSIONS = property<boolean>({
  key: 'com.example.share.transientSessions',
  default: true,
  doc: 'Sessions of guests end after the idle time of ordinary sessions and with the browser. When false they live as long as sessions with staySignedIn, their cookies as com.example.share.cookieTTL says.',
});

/** Logins of named guests without password. */
export const SHARE_EMPTY_PASSWORDS = property<number>({
  key: 'com.example.share.emptyGuestPasswords',
  default: -1,
  min: -1,
  scopes: ['user', 'context', 'server'],
  doc: 'How often a named guest who chose no password may log in without one: after that LGI-0022 until the guest chooses one; 0 means never (LGI-0023), -1 always.',
});

/** Host in the addresses of guests. */
export const SHARE_GUEST_HOST = property<string>({
  key: 'com.example.share.guestHostname',
  default: '',
  doc: 'Host, with a port where needed, in all addresses by which guests come: guest.example.com. Empty: that of the request. Guests who forgot their password get a mail only where it is set, since anyone may ask for one and name a host of his own.',
});

/** Most orders of mails for one share. */
export const SHARE_RESETS_PER_SHARE = property<number>({
  key: 'com.example.share.passwordReset.perShare',
  default: 3,
  min: 1,
  doc: 'Mails for guests who forgot their password that may be ordered within an hour for one share, from all addresses together; further orders get SVL-0019.',
});

/** Most orders of mails from one address. */
export const SHARE_RESETS_PER_ADDRESS = property<number>({
  key: 'com.example.share.passwordReset.perAddress',
  default: 20,
  min: 1,
  doc: 'Mails for guests who forgot their password that may be ordered within an hour from one address, for whatever share; further orders get SVL-0019. All addresses of an IPv6 /64 network are one.',
});

/** Life of the address in a mail for a new password. */
export const SHARE_RESET_LIFE = property<number>({
  key: 'com.example.share.passwordReset.lifetime',
  default: 3_600_000,
  min: 60_000,
  max: 604_800_000,
  doc: 'Life in ms of the address by which a guest who forgot the password chooses another one. The mail tells it.',
});

/** Whether programs that collect pages are kept away from shares. */
export const SHARE_AGENTS_REFUSED = property<boolean>({
  key: 'com.example.share.userAgentBlacklist.enabled',
  default: true,
  doc: 'Programs that collect pages, which com.example.share.userAgentBlacklist.values names, find no share: 404 before anything is made.',
});

/** Programs that collect pages. */
export const SHARE_REFUSED_AGENTS = property<string>({
  key: 'com.example.share.userAgentBlacklist.values',
  default:
    '*googlebot*, *bingbot*, *yandex*bot*, *baiduspider*, *duckduckgo*, *duckduckbot*, *msnbot*, *slurp*, *teoma*, *ahrefsbot*, *gptbot*, *ccbot*',
  doc: 'User agents that find no share, separated by commas; * stands for any characters, case is ignored.',
});

/** Time for which named guests are kept with whom nothing is shared any more. */
export const SHARE_GUEST_EXPIRY = property<string>({
  key: 'com.example.share.cleanup.guestExpiry',
  default: '2W',
  doc: 'How long a named guest with whom nothing is shared any more is kept: invited again meanwhile, the guest has the same password and address. A number with a unit (m, h, D, W), at least 1D; 0: not at all.',
});

/** Time between two runs of the cleaner of former guests. */
export const SHARE_CLEANER_INTERVAL = property<string>({
  key: 'com.example.share.cleanup.periodicCleanerInterval',
  default: '1D',
  doc: 'Time between two runs of the cleaner of former guests: a number with a unit (m, h, D, W), at least 1h; 0: none.',
});

/** Most guests of one user. */
export const SHARE_GUEST_QUOTA = property<number>({
  key: 'com.example.quota.invite_guests',
  default: 100,
  min: -1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most named guests that one user may have invited; more give QUOTA-0003. -1 means no limit.',
});

/** Most links of one user. */
export const SHARE_LINK_QUOTA = property<number>({
  key: 'com.example.quota.share_links',
  default: 100,
  min: -1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most links to shares that one user may have; more give QUOTA-0003. -1 means no limit.',
});

/** Whether users are told by mail. */
export const SHARE_NOTIFY_INTERNAL = property<boolean>({
  key: 'com.example.share.notifyInternal',
  default: true,
  scopes: ['user', 'context', 'server'],
  doc: 'Users are told by mail of folders shared with them, when who shares asks for it. Guests always are.',
});

/** Most recipients of a link. */
export const SHARE_MAX_RECIPIENTS = property<number>({
  key: 'com.example.share.maxRecipients',
  default: 100,
  min: 1,
  max: 1000,
  doc: 'Most recipients of one sendLink.',
});

/** Lengths of time around now. */
const INTERVALS = ['two_weeks', 'one_month', 'six_months', 'one_year', 'all'] as const;
/** A length of time around now; `all`: no limit. */
export type ShareInterval = (typeof INTERVALS)[number];

/** How far back a link answers calendars as files. */
export const SHARE_ICAL_PAST = property<ShareInterval>({
  key: 'com.example.share.handler.iCal.pastInterval',
  default: 'two_weeks',
  values: INTERVALS,
  doc: 'How far back the iCalendar file reaches that calendar programs get by the link to a calendar or a folder of tasks.',
});

/** How far ahead a link answers calendars as files. */
export const SHARE_ICAL_FUTURE = property<ShareInterval>({
  key: 'com.example.share.handler.iCal.futureInterval',
  default: 'one_year',
  values: INTERVALS,
  doc: 'How far ahead the iCalendar file reaches that calendar programs get by the link to a calendar or a folder of tasks.',
});
