import { allowCallers, defineModule, Field, internal, value } from '../kit';

/** Settings of the configuration tree that users change, and whose. */
export class ConfigOfUsersQuery {
  @Field.listOf('text', { doc: 'Paths of the settings', maxItems: 100 }) paths!: string[];
  @Field.listOf('int', { doc: 'Ids of users' }) ids!: number[];
}

/** Settings of users, asked by services that act by them. */
export const userConfig = defineModule(
  'user-config',
  {
    ofUsers: internal({
      access: allowCallers('acts for users by what each of them wishes'),
      calledBy: ['calendar', 'outgoing-mail'],
      doc: 'The values of settings for many users: their own, else the default; empty for a path that users do not change',
      query: ConfigOfUsersQuery,
      reply: value<Record<string, Record<string, unknown>>>('values by path and user id'),
      repeatable: true,
    }),
  },
  { service: 'settings' },
);
