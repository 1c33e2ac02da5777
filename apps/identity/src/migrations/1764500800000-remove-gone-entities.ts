import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Removes memberships and privileges that outlived their users and groups. */
export class RemoveGoneEntities1764500800000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      delete from membership m
      where not exists (select from directory_user u where u.context_id = m.context_id and u.user_id = m.user_id)
        or not exists (select from directory_group g where g.context_id = m.context_id and g.group_id = m.group_id)
    `);
    const exists = `case when coalesce((p ->> 'group')::boolean, false)
      then exists (select from directory_group g where g.context_id = r.context_id and g.group_id = (p ->> 'entity')::int)
      else exists (select from directory_user u where u.context_id = r.context_id and u.user_id = (p ->> 'entity')::int) end`;
    await db.query(`
      update directory_resource r set version = version + 1, privileges = coalesce((
        select jsonb_agg(p order by n) from jsonb_array_elements(r.privileges) with ordinality as x (p, n)
        where ${exists}), '[]')
      where exists (select from jsonb_array_elements(r.privileges) as p where not ${exists})
    `);
  }

  async down(): Promise<void> {
    // Removed rows were of no use.
  }
}
