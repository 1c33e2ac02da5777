import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Room in file stores that uploads under way have set aside. */
export class ReserveRoom1763845000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table filestore_reservation (
        context_id int not null,
        reservation text not null,
        filestore_id int not null,
        bytes bigint not null,
        -- ms UTC; whoever reserves in the same store removes what is older.
        expires bigint not null,
        primary key (context_id, reservation)
      );
      create index filestore_reservation_of_store on filestore_reservation (filestore_id, expires);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table filestore_reservation');
  }
}
