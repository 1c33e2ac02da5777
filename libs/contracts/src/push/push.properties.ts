import { property } from '../kit';

/** Most stored subscriptions of one user. */
export const MAX_SUBSCRIPTIONS = property<number>({
  key: 'com.example.pns.maxSubscriptions',
  default: 100,
  min: 1,
  max: 1000,
  doc: 'Most push subscriptions of one user',
  scopes: ['user', 'context', 'server'],
});

/** Whether browsers may be told by Web Push. */
export const WEB_PUSH_ENABLED = property<boolean>({
  key: 'com.example.pns.transport.webpush.enabled',
  default: true,
  doc: 'Whether users may subscribe browsers by Web Push (RFC 8030)',
  scopes: ['user', 'context', 'server'],
});

/** Whether users may name webhooks. */
export const WEBHOOK_ENABLED = property<boolean>({
  key: 'com.example.pns.transport.webhook.enabled',
  default: true,
  doc: 'Whether users may subscribe signed webhooks',
  scopes: ['user', 'context', 'server'],
});

/** Largest pushed mail. */
export const PUSHED_MAIL_MAX_BYTES = property<number>({
  key: 'com.example.push.maxMailSize',
  default: 50 * 1024 * 1024,
  min: 1024,
  doc: 'Largest body of a pushed mail (`/chronos/v1/itip/pushmail`), bytes',
});

/** How the user of a pushed mail is found. */
export const PUSHED_MAIL_RESOLVE_MODE = property<string>({
  key: 'com.example.calendar.pushedIMipResolveMode',
  default: 'recipientOnly',
  values: ['recipientOnly', 'synthetic', 'mailLogin', 'loginInfo'],
  doc: 'How the user of a pushed scheduling mail is found: by the recipients of the mail (recipientOnly), else by the field user: `<user id>@<context id>` (synthetic), a mail login (mailLogin), `<name>@<login mapping>` (loginInfo). Other forms are not guessed',
});

/** Whether scheduling mails change calendars without being looked at. */
export const AUTO_PROCESS_SCHEDULING = property<string>({
  key: 'com.example.calendar.autoProcessIMip',
  default: 'known',
  values: ['always', 'known', 'never'],
  doc: 'Whether pushed scheduling mails change calendars by themselves: always, never, or from senders who take part already and, for new appointments, with whom the user has others (known)',
  scopes: ['user', 'context', 'server'],
});

/** How old a scheduling mail may be. */
export const AUTO_PROCESS_TIMEFRAME_DAYS = property<number>({
  key: 'com.example.calendar.autoProcessIMipTimeframe',
  default: 28,
  min: 0,
  max: 3650,
  doc: 'Scheduling mails older than so many days change nothing by themselves; 0: no limit',
  scopes: ['user', 'context', 'server'],
});
