import { certificate, CertificateErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates, fingerprintOf, hostOf } from '../certificates';

/** `get` of certificate: what the user has decided about one, for one server or for each. */
@Handles(certificate.get)
export class CertificateGetHandler implements Handler<typeof certificate.get> {
  constructor(private readonly certificates: Certificates) {}

  async handle({ principal, query }: CallOf<typeof certificate.get>) {
    const fingerprint = fingerprintOf(query.fingerprint);
    const host = query.hostname ? hostOf(query.hostname) : undefined;
    const found = (await this.certificates.of(principal)).filter(
      (each) =>
        each.trusted !== undefined &&
        each.fingerprint === fingerprint &&
        (host === undefined || each.hostname === host),
    );
    if (found.length === 0) throw CertificateErrors.notFound(query.fingerprint);
    return found;
  }
}
