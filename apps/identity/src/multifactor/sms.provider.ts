import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  FACTOR_ISSUER,
  MultifactorErrors,
  RequestErrors,
  SMS_PER_HOUR,
  type MultifactorAnswer,
  type MultifactorDevice,
} from '@groupware/contracts';
import { SessionStore, type RateLimiter } from '@groupware/sessions';
import { Cascade } from '../configuration/cascade';
import type { FactorContext, FactorFacts, FactorProvider } from './factor-provider';
import { SmsGateway } from './sms-gateway';

const HOUR_MS = 3_600_000;
const CODES = 1_000_000;
const CODE_LENGTH = 6;
const TAIL = 4;

const digestCode = (code: string): string => createHash('sha256').update(`sms\n${code.trim()}`).digest('base64url');

/** Codes sent by text message. */
@Injectable()
export class SmsProvider implements FactorProvider {
  readonly name = 'SMS';
  readonly mayBeBackup = true;
  readonly isBackupOnly = false;
  readonly takesCode = false;
  private readonly messages: RateLimiter;

  constructor(
    private readonly gateway: SmsGateway,
    private readonly cascade: Cascade,
    store: SessionStore,
  ) {
    this.messages = store.rateLimiter({ name: 'sms', points: () => cascade.value(SMS_PER_HOUR), windowMs: HOUR_MS });
  }

  get isReady(): boolean {
    return this.gateway.isConfigured;
  }

  async startRegistration({ parameters }: MultifactorDevice, context: FactorContext) {
    const given = parameters?.phoneNumber;
    if (!given) throw MultifactorErrors.missingParameter('phoneNumber');
    const phoneNumber = given.replace(/[\s()./-]/g, '');
    if (!/^\+?\d{5,15}$/.test(phoneNumber)) throw RequestErrors.badBodyData('phoneNumber is no telephone number');
    const code = await this.sendCode(phoneNumber, context);
    return { challenge: { phoneNumberTail: phoneNumber.slice(-TAIL) }, kept: { phoneNumber, code } };
  }

  async finishRegistration({ phoneNumber, ...kept }: FactorFacts, answer: MultifactorAnswer) {
    return isRightCode(kept, answer) ? { phoneNumber } : undefined;
  }

  async startAuthentication({ phoneNumber }: FactorFacts, context: FactorContext) {
    const code = await this.sendCode(phoneNumber as string, context);
    return { challenge: { phoneNumberTail: (phoneNumber as string).slice(-TAIL) }, kept: { code } };
  }

  async finishAuthentication(facts: FactorFacts, kept: FactorFacts | undefined, answer: MultifactorAnswer) {
    return kept && isRightCode(kept, answer) ? { facts } : undefined;
  }

  /** Sends a code and answers its digest. */
  private async sendCode(phoneNumber: string, { principal }: FactorContext): Promise<string> {
    await this.messages.consumeEvent(`${principal.contextId}:${principal.userId}`);
    const code = String(randomInt(CODES)).padStart(CODE_LENGTH, '0');
    await this.gateway.sendMessage(phoneNumber, `${this.cascade.value(FACTOR_ISSUER)}: ${code}`);
    return digestCode(code);
  }
}

const isRightCode = (kept: FactorFacts, { secret_code: code = '' }: MultifactorAnswer): boolean =>
  timingSafeEqual(Buffer.from(kept.code as string), Buffer.from(digestCode(code)));
