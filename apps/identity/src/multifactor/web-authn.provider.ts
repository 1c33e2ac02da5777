import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FACTOR_ISSUER, type MultifactorAnswer, type MultifactorDevice } from '@groupware/contracts';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { Cascade } from '../configuration/cascade';
import type { FactorContext, FactorFacts, FactorProvider } from './factor-provider';
import { WebOrigin } from './web-origin';

/** Security keys and passkeys (W3C Web Authentication). */
@Injectable()
export class WebAuthnProvider implements FactorProvider {
  readonly name = 'WEB-AUTH';
  readonly mayBeBackup = true;
  readonly isBackupOnly = false;
  readonly takesCode = false;
  readonly isReady = true;

  constructor(
    private readonly cascade: Cascade,
    private readonly origin: WebOrigin,
  ) {}

  async startRegistration(_device: MultifactorDevice, { principal, edge, others }: FactorContext) {
    const domain = this.origin.resolveDomain(edge);
    const publicKey = await generateRegistrationOptions({
      rpName: this.cascade.value(FACTOR_ISSUER),
      rpID: domain,
      userName: principal.email || principal.login,
      userDisplayName: principal.displayName,
      // Authenticators show and keep this: it must not tell who the user is.
      userID: new Uint8Array(
        createHash('sha256').update(`${domain}/${principal.contextId}/${principal.userId}`).digest(),
      ),
      attestationType: 'none',
      excludeCredentials: others.map(({ id }) => ({ id: id as string })),
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
    });
    return {
      challenge: { requestId: publicKey.challenge, publicKey },
      kept: { challenge: publicKey.challenge, domain },
    };
  }

  async finishRegistration(kept: FactorFacts, answer: MultifactorAnswer, { edge }: FactorContext) {
    const result = await verifyRegistrationResponse({
      response: answer as unknown as RegistrationResponseJSON,
      expectedChallenge: kept.challenge as string,
      expectedOrigin: this.origin.listOrigins(edge),
      expectedRPID: kept.domain as string,
      requireUserVerification: false,
    }).catch(() => undefined);
    if (!result?.verified || !result.registrationInfo) return undefined;
    const { id, publicKey, counter } = result.registrationInfo.credential;
    return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, domain: kept.domain };
  }

  async startAuthentication(facts: FactorFacts) {
    const publicKey = await generateAuthenticationOptions({
      rpID: facts.domain as string,
      allowCredentials: [{ id: facts.id as string }],
      userVerification: 'preferred',
    });
    return { challenge: { requestId: publicKey.challenge, publicKey }, kept: { challenge: publicKey.challenge } };
  }

  async finishAuthentication(
    facts: FactorFacts,
    kept: FactorFacts | undefined,
    answer: MultifactorAnswer,
    { edge }: FactorContext,
  ) {
    if (!kept) return undefined;
    const result = await verifyAuthenticationResponse({
      response: answer as unknown as AuthenticationResponseJSON,
      expectedChallenge: kept.challenge as string,
      expectedOrigin: this.origin.listOrigins(edge),
      expectedRPID: facts.domain as string,
      credential: {
        id: facts.id as string,
        publicKey: new Uint8Array(Buffer.from(facts.publicKey as string, 'base64url')),
        counter: facts.counter as number,
      },
      requireUserVerification: false,
    }).catch(() => undefined);
    return result?.verified ? { facts: { ...facts, counter: result.authenticationInfo.newCounter } } : undefined;
  }
}
