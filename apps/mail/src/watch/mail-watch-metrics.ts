import { Counter, Gauge } from 'prom-client';

/** Numbers of listening for new mails. */
export const mailWatchMetrics = {
  listeners: new Gauge({
    name: 'groupware_mail_watch_listeners',
    help: 'Mailboxes that this process listens to for new mails',
  }),
  mails: new Counter({ name: 'groupware_mail_watch_mails_total', help: 'New mails that users were told about' }),
  failures: new Counter({
    name: 'groupware_mail_watch_failures_total',
    help: 'Connections for new mails that failed, by what went wrong',
    labelNames: ['kind'],
  }),
} as const;
