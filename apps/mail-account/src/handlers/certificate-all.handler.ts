import { certificate, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates } from '../certificates';

/** `all` of certificate: those the user has decided about. */
@Handles(certificate.all)
export class CertificateAllHandler implements Handler<typeof certificate.all> {
  constructor(private readonly certificates: Certificates) {}

  async handle({ principal }: CallOf<typeof certificate.all>) {
    return (await this.certificates.of(principal)).filter(({ trusted }) => trusted !== undefined);
  }
}
