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

/** Who changed what. */
@Injectable()
export class AuditRepository {
  /** Adds lines, in the transaction of the change. */
  async add(tx: Transaction, ...entries: readonly AuditEntry[]): Promise<void> {
    await tx.run(INSERT, JSON.stringify(entries));
  }

  /** Adds a line about what belongs to no context. */
  async addForInstallation(db: AdministrationTransaction, entry: AuditEntry): Promise<void> {
    await db.run(INSERT, 0, JSON.stringify([entry]));
  }
}

const INSERT = `insert into audit_entry (context_id, at, actor, action, kind, object_id, before, after)
  select $1, at, actor, action, kind, "objectId", before, after
  from jsonb_to_recordset($2::jsonb)
    as e (at bigint, actor text, action text, kind text, "objectId" text, before jsonb, after jsonb)`;
