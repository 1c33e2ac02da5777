import { Injectable } from '@nestjs/common';
import type { AdminPrincipal } from '@groupware/contracts';
import type { AdministrationTransaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { AuditRepository, type AuditEntry } from '../persistence/audit.repository';
import { toActor } from '../domain/actor';

/** Audit log of shards, file stores and combinations. */
@Injectable()
export class InstallationAudit {
  constructor(
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /** Records a change in its transaction. */
  async record(
    db: AdministrationTransaction,
    principal: AdminPrincipal,
    entry: Omit<AuditEntry, 'at' | 'actor'>,
  ): Promise<void> {
    await this.audit.insertForInstallation(db, { ...entry, at: this.clock.now(), actor: toActor(principal).name });
  }
}
