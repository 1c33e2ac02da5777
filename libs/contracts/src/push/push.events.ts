import { event, eventCatalog } from '../kit';
import type { NewMail } from './topics';

/** A mail that a mail server told us about. */
export interface MailArrived extends NewMail {
  readonly userId: number;
}

/** Published once for each mail, however many gateways and mail servers told about it. */
export const mailEvents = eventCatalog(
  'mail',
  {
    new: event<MailArrived>('A mail server told that a mail came in for a user'),
  },
  { service: 'push' },
);
