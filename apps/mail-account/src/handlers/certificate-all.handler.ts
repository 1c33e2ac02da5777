import { certificate, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates } from '../certificates/certificates';

/** `all` of certificate: lists those the user decided about. */
@Handles(certificate.all)
export class CertificateAllHandler implements Handler<typeof certificate.all> {
  constructor(private readonly certificates: Certificates) {}

  handle({ principal }: CallOf<typeof certificate.all>) {
    return this.certificates.listDecisions(principal);
  }
}
