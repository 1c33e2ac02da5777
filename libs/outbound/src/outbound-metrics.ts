import { Counter } from 'prom-client';

const attempts = new Counter({
  name: 'groupware_outbound_attempts_total',
  help: 'Attempts to reach hosts that users named',
  labelNames: ['purpose', 'outcome'],
});

/** Counts one attempt by its purpose and outcome (`ok`, `refused` by the host, or the reason of the failure). */
export const countAttempt = (purpose: string, outcome: string): void => attempts.inc({ purpose, outcome });
