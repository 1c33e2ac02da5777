import { certificate, CertificateErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates, normalizeFingerprint, normalizeHost } from '../certificates/certificates';

/** `get` of certificate: reads the user's decisions, for one server or all. */
@Handles(certificate.get)
export class CertificateGetHandler implements Handler<typeof certificate.get> {
  constructor(private readonly certificates: Certificates) {}

  async handle({ principal, query }: CallOf<typeof certificate.get>) {
    const fingerprint = normalizeFingerprint(query.fingerprint);
    const host = query.hostname ? normalizeHost(query.hostname) : undefined;
    const found = (await this.certificates.listDecisions(principal)).filter(
      (each) => each.fingerprint === fingerprint && (host === undefined || each.hostname === host),
    );
    if (found.length === 0) throw CertificateErrors.notFound(query.fingerprint);
    return found;
  }
}
