import { Inject, Injectable } from '@nestjs/common';
import { VirusErrors, type Tenant } from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { VIRUS_SCANNER, type VirusScanner } from '@groupware/virus-scan';
import { FileUses } from './file-uses';

/** A file to scan. */
export interface ScannedFile {
  readonly name: string;
  readonly reference: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Scans stored files for viruses, each content once per signature version. */
@Injectable()
export class ScanCheck {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly clock: Clock,
    @Inject(FILES) private readonly store: FileStore,
    @Inject(VIRUS_SCANNER) private readonly scanner: VirusScanner | undefined,
    private readonly uses: FileUses,
  ) {}

  /**
   * Requires a clean file.
   * @throws ANTIVIRUS-0001 infected, ANTIVIRUS-0002 no scanner available, ANTIVIRUS-0003 too large for the scanner
   */
  async requireClean(tenant: Tenant, file: ScannedFile): Promise<void> {
    const { scanner } = this;
    if (!scanner) throw VirusErrors.unavailable(file.name);
    if (file.sizeBytes > scanner.maxBytes) throw VirusErrors.tooLarge(file.name, scanner.maxBytes);
    let virus: string | null;
    try {
      const signatures = await scanner.signatures();
      const known = await this.findResult(tenant, file.sha256, signatures);
      if (known) ({ virus } = known);
      else {
        const result = await scanner.scan(this.store.read(file.reference));
        if (result.verdict === 'tooLarge') throw VirusErrors.tooLarge(file.name, scanner.maxBytes);
        virus = result.verdict === 'infected' ? result.virus : null;
        await this.storeResult(tenant, file.sha256, signatures, virus);
      }
    } catch (cause) {
      if (cause instanceof Error && 'entry' in cause) throw cause;
      this.uses.log.warn({ cause: String(cause) }, 'virus scan failed');
      throw VirusErrors.unavailable(file.name).with({ cause });
    }
    if (virus !== null) throw VirusErrors.found(file.name, virus);
  }

  private findResult(
    tenant: Tenant,
    sha256: string,
    signatures: string,
  ): Promise<{ virus: string | null } | undefined> {
    return this.database.read(tenant, (db) =>
      db.first<{ virus: string | null }>(
        'select virus from scan_result where context_id = $1 and sha256 = $2 and signatures = $3',
        sha256,
        signatures,
      ),
    );
  }

  private async storeResult(tenant: Tenant, sha256: string, signatures: string, virus: string | null): Promise<void> {
    await this.database.transact(tenant, (tx) =>
      tx.run(
        `insert into scan_result (context_id, sha256, signatures, virus, scanned) values ($1, $2, $3, $4, $5)
         on conflict (context_id, sha256)
         do update set signatures = excluded.signatures, virus = excluded.virus, scanned = excluded.scanned`,
        sha256,
        signatures,
        virus,
        this.clock.now(),
      ),
    );
  }
}
