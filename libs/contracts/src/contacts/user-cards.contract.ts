import { allowCallers, defineModule, internal, value } from '../kit';
import { ContactErrors } from './contact.errors';

/** The contact of a user as a vCard. */
export interface UserCard {
  /** Display name. */
  readonly name: string;
  /** RFC 6350 or RFC 2426, as `com.example.contact.vcard.version` says. */
  readonly card: string;
}

/** The cards of users, for modules that send them. */
export const userCards = defineModule(
  'user-cards',
  {
    find: internal({
      access: allowCallers('the card of the user who asks only'),
      calledBy: ['mail'],
      doc: 'The vCard of the user who asks',
      reply: value<UserCard>('the card'),
      repeatable: true,
      errors: [ContactErrors.notFound],
    }),
  },
  { service: 'contacts' },
);
