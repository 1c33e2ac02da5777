import { CatalogueError, SCAN_UPLOADS, VirusErrors, type Tenant, type UploadedFile } from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { ScanCheck } from '@groupware/stored-files';
import { Injectable } from '@nestjs/common';

/** Scans uploads for viruses, as configured for the context. */
@Injectable()
export class UploadScan {
  constructor(
    private readonly scans: ScanCheck,
    private readonly properties: Properties,
  ) {}

  /** @throws ANTIVIRUS-0001 for an infected file, and where a scan is required ANTIVIRUS-0002 and ANTIVIRUS-0003 */
  async requireClean({ contextId }: Tenant, files: readonly UploadedFile[]): Promise<void> {
    const policy = await this.properties.get(SCAN_UPLOADS, { contextId });
    if (policy === 'off') return;
    for (const file of files)
      try {
        await this.scans.requireClean({ contextId }, { ...file, sha256: file.sha256! });
      } catch (error) {
        const notScanned = error instanceof CatalogueError && !error.is(VirusErrors.found);
        if (policy === 'required' || !notScanned) throw error;
      }
  }
}
