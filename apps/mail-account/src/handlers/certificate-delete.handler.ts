import { certificate, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates } from '../certificates/certificates';

/** `delete` of certificate: deletes one, for one server or all. */
@Handles(certificate.delete)
export class CertificateDeleteHandler implements Handler<typeof certificate.delete> {
  constructor(private readonly certificates: Certificates) {}

  async handle({ principal, query }: CallOf<typeof certificate.delete>) {
    await this.certificates.deleteCertificates(principal, query.fingerprint, query.hostname);
    return undefined;
  }
}
