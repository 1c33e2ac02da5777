import { certificate, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates } from '../certificates';

/** `delete` of certificate: forgets one, of one server or of all. */
@Handles(certificate.delete)
export class CertificateDeleteHandler implements Handler<typeof certificate.delete> {
  constructor(private readonly certificates: Certificates) {}

  async handle({ principal, query }: CallOf<typeof certificate.delete>) {
    await this.certificates.forget(principal, query.fingerprint, query.hostname);
    return undefined;
  }
}
