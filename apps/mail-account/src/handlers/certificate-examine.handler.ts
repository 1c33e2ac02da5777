import { certificate, CertificateErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates, fingerprintOf } from '../certificates';

/** `examine` of certificate: what a server showed, also before the user has decided. */
@Handles(certificate.examine)
export class CertificateExamineHandler implements Handler<typeof certificate.examine> {
  constructor(private readonly certificates: Certificates) {}

  async handle({ principal, query }: CallOf<typeof certificate.examine>) {
    const fingerprint = fingerprintOf(query.fingerprint);
    const found = (await this.certificates.of(principal)).find((each) => each.fingerprint === fingerprint);
    if (!found) throw CertificateErrors.notFound(query.fingerprint);
    return found;
  }
}
