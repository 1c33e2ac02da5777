import { Injectable } from '@nestjs/common';
import type { Transaction } from '@groupware/persistence';

/** One line of the audit log. Neither side ever holds a password or a hash. */
export interface AuditEntry {
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly kind: 'context' | 'user' | 'group' | 'resource' | 'property';
  readonly objectId: string | number;
  readonly before?: object;
  readonly after?: object;
}

/** Who changed what. */
@Injectable()
export class AuditRepository {
  /** Adds a line, in the transaction of the change. */
  async add(tx: Transaction, entry: AuditEntry): Promise<void> {
    await tx.run(
      `insert into audit_entry (context_id, at, actor, action, kind, object_id, before, after)
       values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb)`,
      entry.at,
      entry.actor,
      entry.action,
      entry.kind,
      String(entry.objectId),
      entry.before ? JSON.stringify(entry.before) : null,
      entry.after ? JSON.stringify(entry.after) : null,
    );
  }
}
