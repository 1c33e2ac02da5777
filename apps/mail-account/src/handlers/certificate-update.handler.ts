import { certificate, CertificateErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates, fingerprintOf, hostOf } from '../certificates';

/** `update` of certificate: the user thinks otherwise of a certificate that is known. */
@Handles(certificate.update)
export class CertificateUpdateHandler implements Handler<typeof certificate.update> {
  constructor(private readonly certificates: Certificates) {}

  async handle({ principal, query }: CallOf<typeof certificate.update>) {
    const [fingerprint, hostname] = [fingerprintOf(query.fingerprint), hostOf(query.hostname)];
    const known = await this.certificates.of(principal);
    if (!known.some((each) => each.fingerprint === fingerprint && each.hostname === hostname))
      throw CertificateErrors.notFound(query.fingerprint);
    await this.certificates.decide(principal, query);
    return undefined;
  }
}
