import { VirusErrors } from '@groupware/contracts';
import { Logger } from '@groupware/service-kit';
import { VIRUS_SCANNER, type VirusScanner } from '@groupware/virus-scan';
import { Inject, Injectable } from '@nestjs/common';
import type { PartFile } from './part-files';

const log = Logger.for('mail');

/** Scans files of mails for viruses. */
@Injectable()
export class VirusCheck {
  constructor(@Inject(VIRUS_SCANNER) private readonly scanner: VirusScanner | undefined) {}

  /**
   * Requires a clean file, which is read for that.
   * @throws ANTIVIRUS-0001 infected, ANTIVIRUS-0002 no scanner available, ANTIVIRUS-0003 too large for the scanner
   */
  async requireClean({ filename, open }: Pick<PartFile, 'filename' | 'open'>): Promise<void> {
    const { scanner } = this;
    if (!scanner) throw VirusErrors.unavailable(filename);
    const result = await scanner.scan(open()).catch((cause: unknown) => {
      log.warn({ cause: String(cause) }, 'virus scan failed');
      throw VirusErrors.unavailable(filename).with({ cause });
    });
    if (result.verdict === 'tooLarge') throw VirusErrors.tooLarge(filename, scanner.maxBytes);
    if (result.verdict === 'infected') throw VirusErrors.found(filename, result.virus);
  }
}
