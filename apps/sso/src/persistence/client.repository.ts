import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction } from '@groupware/persistence';

/** An application as it is stored. */
export interface ClientRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly website: string;
  readonly icon: string;
  readonly contactAddress: string;
  readonly redirectURIs: string[];
  readonly defaultScope: string[];
  readonly secretDigest: Buffer;
  readonly enabled: boolean;
  /** ms UTC */
  readonly createdAt: number;
}

const COLUMNS = `id, name, description, website, icon, contact_address as "contactAddress", redirect_uris as "redirectURIs",
  default_scope as "defaultScope", secret_digest as "secretDigest", enabled, created_at as "createdAt"`;

/** Rows of applications. They are few, and lie on the default shard. */
@Injectable()
export class ClientRepository {
  /** All applications by name. */
  listAll(db: AdministrationTransaction): Promise<ClientRow[]> {
    return db.objects<ClientRow>(`select ${COLUMNS} from oauth_client order by name, id`);
  }

  /** One application. */
  async find(db: AdministrationTransaction, id: string): Promise<ClientRow | undefined> {
    const [row] = await db.objects<ClientRow>(`select ${COLUMNS} from oauth_client where id = $1`, id);
    return row;
  }

  /** Writes an application; secret and time of creation stay. */
  async upsert(db: AdministrationTransaction, row: ClientRow): Promise<void> {
    await db.run(
      `insert into oauth_client (id, name, description, website, contact_address, redirect_uris, default_scope,
         secret_digest, enabled, created_at, icon)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       on conflict (id) do update set name = excluded.name, description = excluded.description,
         website = excluded.website, contact_address = excluded.contact_address, redirect_uris = excluded.redirect_uris,
         default_scope = excluded.default_scope, enabled = excluded.enabled, icon = excluded.icon`,
      row.id,
      row.name,
      row.description,
      row.website,
      row.contactAddress,
      row.redirectURIs,
      row.defaultScope,
      row.secretDigest,
      row.enabled,
      row.createdAt,
      row.icon,
    );
  }

  /** Removes an application. */
  async remove(db: AdministrationTransaction, id: string): Promise<void> {
    await db.run('delete from oauth_client where id = $1', id);
  }

  /** Removes what users granted an application, on this shard. */
  async removeGrants(db: AdministrationTransaction, id: string): Promise<void> {
    await db.run('delete from oauth_grant where client_id = $1', id);
  }
}
