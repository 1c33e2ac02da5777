import { Counter, Gauge } from 'prom-client';
import type { MailState } from '@groupware/contracts';

const mails = new Counter({
  name: 'groupware_outgoing_mails_total',
  help: 'Attempts to send mails of the system, by outcome',
  labelNames: ['outcome'],
});

/** Counts attempts by outcome. */
export const countMails = (outcome: MailState, count = 1): void => {
  if (count > 0) mails.inc({ outcome }, count);
};

let waiting: () => Promise<number> = () => Promise.resolve(0);
new Gauge({
  name: 'groupware_outgoing_mail_queue',
  help: 'Mails of the system that wait to be sent, also those that wait for a mail server to be configured',
  async collect() {
    // Without a database there is no number, and the others must still be read.
    this.set(await waiting().catch(() => NaN));
  },
});
const configured = new Gauge({
  name: 'groupware_outgoing_mail_configured',
  help: '1 when a mail server for mails of the system is configured',
});

/** Sets how the queue is counted, and whether a mail server is configured. */
export const watchQueue = (count: () => Promise<number>, isConfigured: boolean): void => {
  waiting = count;
  configured.set(isConfigured ? 1 : 0);
};
