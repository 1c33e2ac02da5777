import { allowCallers, defineModule, Field, internal, value } from '../kit';

/** Users whose contacts are to be looked at again. */
export class ContactUsersQuery {
  @Field.listOf('int', { doc: 'Ids of users' }) ids!: number[];
}

/** Notices of the identity service ahead of its events, so that a caller who changed a user finds its contact changed. */
export const contactUsers = defineModule(
  'contact-users',
  {
    refresh: internal({
      access: allowCallers('the identity service tells what changed; nothing is answered'),
      calledBy: ['identity'],
      doc: 'Takes over the data of users into their contacts at once; the event with the same content is the guarantee',
      query: ContactUsersQuery,
      reply: value<boolean>('true'),
      repeatable: true,
      deadlineMs: 2_000,
    }),
  },
  { service: 'contacts' },
);
