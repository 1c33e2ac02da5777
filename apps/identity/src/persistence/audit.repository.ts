import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction, Transaction } from '@groupware/persistence';

/** One line of the audit log. Neither side ever holds a password or a hash. */
export interface AuditEntry {
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly kind:
    'context' | 'user' | 'group' | 'resource' | 'property' | 'filestore' | 'schema' | 'access-combination' | 'reseller';
  readonly objectId: string | number;
  readonly before?: object;
  readonly after?: object;
}

/** Audit log. */
@Injectable()
export class AuditRepository {
  /** Inserts entries in the transaction of the change. */
  async insert(tx: Transaction, ...entries: readonly AuditEntry[]): Promise<void> {
    await tx.run(INSERT, JSON.stringify(entries));
  }

  /** Inserts an entry of the installation, outside any context. */
  async insertForInstallation(db: AdministrationTransaction, entry: AuditEntry): Promise<void> {
    await db.run(INSERT, 0, JSON.stringify([entry]));
  }
}

const INSERT = `insert into audit_entry (context_id, at, actor, action, kind, object_id, before, after)
  select $1, at, actor, action, kind, "objectId", before, after
  from jsonb_to_recordset($2::jsonb)
    as e (at bigint, actor text, action text, kind text, "objectId" text, before jsonb, after jsonb)`;
