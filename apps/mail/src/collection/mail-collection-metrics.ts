import { Counter } from 'prom-client';

/** Numbers of collecting mails of POP3 accounts. */
export const mailCollectionMetrics = {
  mails: new Counter({
    name: 'groupware_mail_collection_mails_total',
    help: 'Mails that were collected from POP3 accounts',
  }),
  failures: new Counter({
    name: 'groupware_mail_collection_failures_total',
    help: 'Looks at POP3 accounts that failed, by what went wrong',
    labelNames: ['kind'],
  }),
} as const;
