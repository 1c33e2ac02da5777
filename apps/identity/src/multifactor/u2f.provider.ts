import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { MultifactorAnswer, MultifactorDevice } from '@groupware/contracts';
import type { FactorContext, FactorFacts, FactorProvider } from './factor-provider';
import { verifyClientData, verifyRegistration, verifySignature } from './u2f-message';
import { WebOrigin } from './web-origin';

const VERSION = 'U2F_V2';
const generateChallenge = (): string => randomBytes(32).toString('base64url');

/** Security keys as clients from before WebAuthn address them. */
@Injectable()
export class U2fProvider implements FactorProvider {
  readonly name = 'U2F';
  readonly mayBeBackup = true;
  readonly isBackupOnly = false;
  readonly takesCode = false;
  readonly isReady = true;

  constructor(private readonly origin: WebOrigin) {}

  async startRegistration(_device: MultifactorDevice, { edge }: FactorContext) {
    const kept = { challenge: generateChallenge(), appId: this.origin.listOrigins(edge)[0]! };
    const requestId = randomBytes(16).toString('hex');
    return { challenge: { requestId, registerRequests: [{ version: VERSION, ...kept, requestId }] }, kept };
  }

  async finishRegistration({ challenge, appId }: FactorFacts, answer: MultifactorAnswer, context: FactorContext) {
    const digest = verifyClientData(answer.clientData ?? '', {
      kind: 'navigator.id.finishEnrollment',
      challenge: challenge as string,
      origins: this.origin.listOrigins(context.edge),
    });
    const key = digest && verifyRegistration(answer.registrationData ?? '', appId as string, digest);
    if (!key || context.others.some(({ keyHandle }) => keyHandle === key.keyHandle)) return undefined;
    return { ...key, appId, counter: -1 };
  }

  async startAuthentication({ keyHandle, appId }: FactorFacts) {
    const challenge = generateChallenge();
    const requestId = randomBytes(16).toString('hex');
    return {
      challenge: { requestId, signRequests: [{ version: VERSION, challenge, appId, keyHandle, requestId }] },
      kept: { challenge },
    };
  }

  async finishAuthentication(
    facts: FactorFacts,
    kept: FactorFacts | undefined,
    answer: MultifactorAnswer,
    { edge }: FactorContext,
  ) {
    const digest =
      kept &&
      verifyClientData(answer.clientData ?? '', {
        kind: 'navigator.id.getAssertion',
        challenge: kept.challenge as string,
        origins: this.origin.listOrigins(edge),
      });
    if (!digest || (answer.keyHandle !== undefined && answer.keyHandle !== facts.keyHandle)) return undefined;
    const counter = verifySignature(
      answer.signatureData ?? '',
      facts.appId as string,
      digest,
      facts.publicKey as string,
    );
    // A counter that does not grow indicates a cloned key (FIDO U2F, section 4.2).
    return counter !== undefined && counter > (facts.counter as number) ? { facts: { ...facts, counter } } : undefined;
  }
}
