import { Counter } from 'prom-client';

const input = new Counter({
  name: 'groupware_push_input_total',
  help: 'Messages that mail servers pushed, by what became of them',
  labelNames: ['outcome'],
});

/** Counts a message of a mail server. */
export const countInput = (outcome: 'told' | 'duplicate' | 'ignored' | 'unknownUser'): void => input.inc({ outcome });
