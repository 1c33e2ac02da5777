import { allowCallers, defineModule, Field, internal, value } from '../kit';

/** Users whose contacts are to be looked at again. */
export class ContactUsersQuery {
  @Field.listOf('int', { doc: 'Ids of users' }) ids!: number[];
}

/** Users whose contacts are asked for. */
export class ContactFiguresQuery {
  @Field.listOf('int', { doc: 'Ids of users; absent: all', optional: true }) users?: number[];
}

/** Figures of the contact of a user that are not among the data of the user. */
export interface UserContactFigures {
  /** Number of attachments. */
  readonly attachments: number;
  /** When the newest one was attached, ms UTC. */
  readonly newest: number | null;
  /** How often the reader used the contact. */
  readonly uses: number;
}

/**
 * Notices of the identity service ahead of its events, so that a caller who changed a user finds its contact changed, and what
 * it tells of users that their contacts know.
 */
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
    figures: internal({
      access: allowCallers('the identity service tells them of users whom the reader may see'),
      calledBy: ['identity'],
      doc: 'Figures of the contacts of users, as a user sees them; contacts without any are left out',
      query: ContactFiguresQuery,
      reply: value<Record<string, UserContactFigures>>('figures by id of the user'),
      repeatable: true,
      deadlineMs: 2_000,
    }),
  },
  { service: 'contacts' },
);
