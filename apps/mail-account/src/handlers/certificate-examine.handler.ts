import { certificate, CertificateErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates, normalizeFingerprint } from '../certificates/certificates';

/** `examine` of certificate: reads a presented certificate, also before the user's decision. */
@Handles(certificate.examine)
export class CertificateExamineHandler implements Handler<typeof certificate.examine> {
  constructor(private readonly certificates: Certificates) {}

  async handle({ principal, query }: CallOf<typeof certificate.examine>) {
    const fingerprint = normalizeFingerprint(query.fingerprint);
    const found = (await this.certificates.listCertificates(principal)).find(
      (each) => each.fingerprint === fingerprint,
    );
    if (!found) throw CertificateErrors.notFound(query.fingerprint);
    return found;
  }
}
