import { certificate, CertificateErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates, normalizeFingerprint, normalizeHost } from '../certificates/certificates';

/** `update` of certificate: changes the user's decision about a known certificate. */
@Handles(certificate.update)
export class CertificateUpdateHandler implements Handler<typeof certificate.update> {
  constructor(private readonly certificates: Certificates) {}

  async handle({ principal, query }: CallOf<typeof certificate.update>) {
    const [fingerprint, hostname] = [normalizeFingerprint(query.fingerprint), normalizeHost(query.hostname)];
    const known = await this.certificates.listCertificates(principal);
    if (!known.some((each) => each.fingerprint === fingerprint && each.hostname === hostname))
      throw CertificateErrors.notFound(query.fingerprint);
    await this.certificates.storeDecision(principal, query);
    return undefined;
  }
}
