import { Injectable } from '@nestjs/common';
import { MultifactorErrors } from '@groupware/contracts';
import type { ScopedValues } from '../configuration/cascade';
import { BackupStringProvider } from './backup-string.provider';
import { FactorPolicy } from './factor-policy';
import type { FactorProvider } from './factor-provider';
import { SmsProvider } from './sms.provider';
import { TotpProvider } from './totp.provider';
import { U2fProvider } from './u2f.provider';
import { WebAuthnProvider } from './web-authn.provider';

/** Other spellings that clients use. */
const ALIASES: Readonly<Record<string, string>> = { 'WEB-AUTHN': 'WEB-AUTH', WEBAUTHN: 'WEB-AUTH' };

/** Every kind of second factor. */
@Injectable()
export class FactorProviders {
  private readonly all: readonly FactorProvider[];

  constructor(
    private readonly policy: FactorPolicy,
    sms: SmsProvider,
    totp: TotpProvider,
    webAuthn: WebAuthnProvider,
    u2f: U2fProvider,
    backupString: BackupStringProvider,
  ) {
    this.all = [totp, webAuthn, u2f, sms, backupString];
  }

  /** The kinds a user may register. */
  listOffered(scoped: ScopedValues): FactorProvider[] {
    return this.all.filter((provider) => provider.isReady && this.policy.isOffered(provider.name, scoped));
  }

  /** A kind by name, case ignored. @throws MFA-0006 */
  getByName(name: string): FactorProvider {
    const upper = name.toUpperCase();
    const wanted = Object.hasOwn(ALIASES, upper) ? ALIASES[upper] : upper;
    const provider = this.all.find((each) => each.name === wanted);
    if (!provider) throw MultifactorErrors.unknownProvider(name);
    return provider;
  }
}
