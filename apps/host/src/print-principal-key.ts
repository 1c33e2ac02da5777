import { randomBytes } from 'node:crypto';
import { publicHalfOf } from '@groupware/messaging';

/** Prints a fresh key for the gateway and its public half for all modules, as variables of the environment. */
const seed = randomBytes(32);
process.stdout.write(
  `GROUPWARE_PRINCIPAL_KEY=${seed.toString('base64')}\n` +
    `GROUPWARE_PRINCIPAL_PUBLIC_KEYS=${publicHalfOf(seed).toString('base64')}\n`,
);
