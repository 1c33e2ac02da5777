import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Tells of every user as if he had just changed: the contacts service learns of those who were there before it. */
export class AnnounceUsers1764400100000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      insert into outbox (id, context_id, name, payload, occurred_at)
      select gen_random_uuid(), u.context_id, 'identity.user.changed', jsonb_build_object('userId', u.user_id),
        (extract(epoch from now()) * 1000)::bigint
      from directory_user u order by u.context_id, u.user_id
    `);
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}
