import { certificate, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates } from '../certificates/certificates';

/** `deleteAll` of certificate: deletes all of the user. */
@Handles(certificate.deleteAll)
export class CertificateDeleteAllHandler implements Handler<typeof certificate.deleteAll> {
  constructor(private readonly certificates: Certificates) {}

  async handle({ principal }: CallOf<typeof certificate.deleteAll>) {
    await this.certificates.deleteCertificates(principal);
    return undefined;
  }
}
