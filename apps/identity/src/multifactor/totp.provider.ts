import { Injectable } from '@nestjs/common';
import { FACTOR_ISSUER, type MultifactorAnswer, type MultifactorDevice } from '@groupware/contracts';
import { Clock } from '@groupware/service-kit';
import { generateSecret, generateURI, verify } from 'otplib';
import QRCode from 'qrcode';
import { Cascade } from '../configuration/cascade';
import type { FactorContext, FactorFacts, FactorProvider } from './factor-provider';

/** Clocks may differ by one period of 30 seconds (RFC 6238 section 5.2). */
const TOLERANCE_SECONDS = 30;
const DIGITS = /^\d{6}$/;

/** Codes of an authenticator program (RFC 6238). A code is good once. */
@Injectable()
export class TotpProvider implements FactorProvider {
  readonly name = 'TOTP';
  readonly mayBeBackup = true;
  readonly isBackupOnly = false;
  readonly takesCode = true;
  readonly isReady = true;

  constructor(
    private readonly cascade: Cascade,
    private readonly clock: Clock,
  ) {}

  async startRegistration(_device: MultifactorDevice, { principal }: FactorContext) {
    const sharedSecret = generateSecret();
    const url = generateURI({
      issuer: this.cascade.value(FACTOR_ISSUER),
      label: principal.email || principal.login,
      secret: sharedSecret,
    });
    const image = await QRCode.toBuffer(url, { type: 'png', margin: 2, width: 196 });
    return { challenge: { sharedSecret, url, base64Image: image.toString('base64') }, kept: { secret: sharedSecret } };
  }

  async finishRegistration(kept: FactorFacts, answer: MultifactorAnswer) {
    const step = await this.findTimeStep(kept, answer);
    return step === undefined ? undefined : { ...kept, step };
  }

  async startAuthentication() {
    return { challenge: {}, kept: {} };
  }

  async finishAuthentication(facts: FactorFacts, _kept: FactorFacts | undefined, answer: MultifactorAnswer) {
    const step = await this.findTimeStep(facts, answer);
    return step === undefined ? undefined : { facts: { ...facts, step } };
  }

  /** The time step of a right code that is newer than the last one used. */
  private async findTimeStep(
    facts: FactorFacts,
    { secret_code: code = '' }: MultifactorAnswer,
  ): Promise<number | undefined> {
    const token = code.replaceAll(' ', '');
    if (!DIGITS.test(token)) return undefined;
    const used = facts.step as number | undefined;
    const result = await verify({
      secret: facts.secret as string,
      token,
      epoch: Math.floor(this.clock.now() / 1000),
      epochTolerance: TOLERANCE_SECONDS,
      ...(used === undefined ? {} : { afterTimeStep: used }),
    });
    return result.valid ? (result as { timeStep: number }).timeStep : undefined;
  }
}
