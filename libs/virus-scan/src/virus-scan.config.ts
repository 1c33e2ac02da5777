import { Setting } from '@groupware/service-kit';
import { IsInt, Matches, Min, ValidateIf } from 'class-validator';

/** Settings of the virus scan. */
export class VirusScanConfig {
  @Setting({ env: 'CLAMD_URL', doc: 'ClamAV daemon: tcp://host:3310 or unix:///run/clamav/clamd.ctl; default: none' })
  @ValidateIf((config: VirusScanConfig) => config.clamdUrl !== '')
  @Matches(/^(tcp:\/\/[^/]+:\d+|unix:\/\/\/.+)$/)
  clamdUrl = '';

  @Setting({ env: 'CLAMD_MAX_BYTES', doc: 'Most bytes of one scan; StreamMaxLength of clamd' })
  @IsInt()
  @Min(1)
  maxBytes = 25 * 1024 * 1024;

  @Setting({ env: 'CLAMD_PATIENCE_MS', doc: 'Longest time without a word or a taken byte of the scanner, ms' })
  @IsInt()
  @Min(100)
  patienceMs = 30_000;
}
