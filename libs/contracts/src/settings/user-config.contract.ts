import { allowCallers, defineModule, Field, internal, value } from '../kit';

/** A setting of the configuration tree that users change, and whose. */
export class ConfigOfUsersQuery {
  @Field.text({ doc: 'Path of the setting', maxLength: 256 }) path!: string;
  @Field.listOf('int', { doc: 'Ids of users' }) ids!: number[];
}

/** Settings of users, asked by services that act by them. */
export const userConfig = defineModule(
  'user-config',
  {
    ofUsers: internal({
      access: allowCallers('acts for users by what each of them wishes'),
      calledBy: ['calendar', 'outgoing-mail'],
      doc: 'The value of one setting for many users: their own, else its default; empty for a path that users do not change',
      query: ConfigOfUsersQuery,
      reply: value<Record<string, unknown>>('values by user id'),
      repeatable: true,
    }),
  },
  { service: 'settings' },
);
