import { Counter } from 'prom-client';

const givenUp = new Counter({
  name: 'groupware_share_purges_given_up_total',
  help: 'Items of purges that are not tried again: taking them back failed for good',
});

/** Counts an item of a purge that is not tried again. */
export const countGivenUpPurge = (): void => givenUp.inc();
