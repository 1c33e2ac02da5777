import { Counter, Gauge } from 'prom-client';

const input = new Counter({
  name: 'groupware_push_input_total',
  help: 'Messages that mail servers pushed, by what became of them',
  labelNames: ['outcome'],
});

/** Counts a message of a mail server. */
export const countInput = (outcome: 'told' | 'duplicate' | 'ignored' | 'unknownUser'): void => input.inc({ outcome });

const mails = new Counter({
  name: 'groupware_push_mails_total',
  help: 'Whole mails that mail servers pushed, by what became of them',
  labelNames: ['outcome'],
});

/** Counts a pushed mail, or what became of it for one of its users. */
export const countMail = (
  outcome:
    | 'queued'
    | 'noScheduling'
    | 'tooLarge'
    | 'unknownUser'
    | 'duplicate'
    | 'old'
    | 'never'
    | 'applied'
    | 'ignored'
    | 'givenUp',
): void => mails.inc({ outcome });

const deliveries = new Counter({
  name: 'groupware_push_deliveries_total',
  help: 'Calls of browsers and webhooks, and subscriptions that were removed for a reason',
  labelNames: ['transport', 'outcome'],
});

/** Counts a call of a subscription, or its removal. */
export const countDelivery = (
  transport: string,
  outcome: 'ok' | 'failed' | 'gone' | 'unreadable' | 'exhausted',
): void => deliveries.inc({ transport, outcome });

let queue: () => Promise<number> = async () => 0;
new Gauge({
  name: 'groupware_push_queue',
  help: 'Deliveries to browsers and webhooks that wait',
  async collect() {
    // Without a database there is no number, and the others must still be read.
    this.set(await queue().catch(() => NaN));
  },
});

/** Names who counts the deliveries that wait. */
export const watchQueue = (count: () => Promise<number>): void => {
  queue = count;
};
