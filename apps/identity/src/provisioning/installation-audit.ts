import { Injectable } from '@nestjs/common';
import type { AdminPrincipal } from '@groupware/contracts';
import type { AdministrationTransaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { AuditRepository, type AuditEntry } from '../persistence/audit.repository';
import { actorOf } from './actor';

/** Notes changes of what contexts stand on. */
@Injectable()
export class InstallationAudit {
  constructor(
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /** Adds a line, in the transaction of the change. */
  async add(
    db: AdministrationTransaction,
    principal: AdminPrincipal,
    entry: Omit<AuditEntry, 'at' | 'actor'>,
  ): Promise<void> {
    await this.audit.addForInstallation(db, { ...entry, at: this.clock.now(), actor: actorOf(principal).name });
  }
}
