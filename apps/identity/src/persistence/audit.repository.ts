import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction, Transaction } from '@groupware/persistence';

/** One line of the audit log. Neither side ever holds a password or a hash. */
export interface AuditEntry {
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly kind: 'context' | 'user' | 'group' | 'resource' | 'property' | 'filestore' | 'schema' | 'access-combination';
  readonly objectId: string | number;
  readonly before?: object;
  readonly after?: object;
}

/** Who changed what. */
@Injectable()
export class AuditRepository {
  /** Adds a line, in the transaction of the change. */
  async add(tx: Transaction, entry: AuditEntry): Promise<void> {
    await tx.run(INSERT, ...valuesOf(entry));
  }

  /** Adds a line about what belongs to no context. */
  async addForInstallation(db: AdministrationTransaction, entry: AuditEntry): Promise<void> {
    await db.run(INSERT, 0, ...valuesOf(entry));
  }
}

const INSERT = `insert into audit_entry (context_id, at, actor, action, kind, object_id, before, after)
  values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb)`;

const valuesOf = (entry: AuditEntry): readonly unknown[] => [
  entry.at,
  entry.actor,
  entry.action,
  entry.kind,
  String(entry.objectId),
  entry.before ? JSON.stringify(entry.before) : null,
  entry.after ? JSON.stringify(entry.after) : null,
];
