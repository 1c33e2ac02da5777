import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { MultifactorAnswer } from '@groupware/contracts';
import type { FactorFacts, FactorProvider } from './factor-provider';

const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const GROUPS = 4;
const GROUP_LENGTH = 5;

const normalizeCode = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '');
const digestCode = (text: string): string => createHash('sha256').update(normalizeCode(text)).digest('base64url');

/** Backup code, usable once when other devices are lost. */
@Injectable()
export class BackupStringProvider implements FactorProvider {
  readonly name = 'BACKUP_STRING';
  readonly mayBeBackup = true;
  readonly isBackupOnly = true;
  readonly takesCode = true;
  readonly isReady = true;

  async startRegistration() {
    const group = () => Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    const sharedSecret = Array.from({ length: GROUPS }, group).join('-');
    return {
      challenge: { sharedSecret },
      kept: { digest: digestCode(sharedSecret), length: normalizeCode(sharedSecret).length },
    };
  }

  /** The client only confirms that the user saw the code; if it sends the code back, it must be right. */
  async finishRegistration(kept: FactorFacts, { secret_code: code }: MultifactorAnswer) {
    return code === undefined || isRightCode(kept, code) ? kept : undefined;
  }

  async startAuthentication(facts: FactorFacts) {
    return { challenge: { backupStringLength: facts.length }, kept: {} };
  }

  async finishAuthentication(
    facts: FactorFacts,
    _kept: FactorFacts | undefined,
    { secret_code: code = '' }: MultifactorAnswer,
  ) {
    return isRightCode(facts, code) ? { facts, usedUp: true } : undefined;
  }
}

const isRightCode = (facts: FactorFacts, code: string): boolean =>
  timingSafeEqual(Buffer.from(facts.digest as string), Buffer.from(digestCode(code)));
