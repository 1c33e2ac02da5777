import { certificate, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates } from '../certificates/certificates';

/** `store` of certificate: stores the user's decision. */
@Handles(certificate.store)
export class CertificateStoreHandler implements Handler<typeof certificate.store> {
  constructor(private readonly certificates: Certificates) {}

  async handle({ principal, query, body }: CallOf<typeof certificate.store>) {
    await this.certificates.storeDecision(principal, {
      fingerprint: requireGiven('fingerprint', query.fingerprint ?? body?.fingerprint),
      hostname: requireGiven('hostname', query.hostname ?? body?.hostname),
      trust: requireGiven('trust', query.trust ?? body?.trusted),
    });
    return undefined;
  }
}

function requireGiven<T>(name: string, value: T | null | undefined): T {
  if (value == null) throw RequestErrors.missingParameter(name);
  return value;
}
