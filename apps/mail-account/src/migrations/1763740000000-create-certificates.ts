import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Certificates that mail servers showed users and that are not trusted in general. */
export class CreateCertificates1763740000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table certificate (
        context_id int not null,
        user_id int not null,
        fingerprint text not null,
        hostname text not null,
        trusted boolean,
        details jsonb,
        seen bigint not null,
        constraint certificate_key primary key (context_id, user_id, fingerprint, hostname)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table certificate;');
  }
}
