import { certificate, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Certificates } from '../certificates';

/** `store` of certificate: the user accepts a certificate of a server, or refuses it. */
@Handles(certificate.store)
export class CertificateStoreHandler implements Handler<typeof certificate.store> {
  constructor(private readonly certificates: Certificates) {}

  async handle({ principal, query }: CallOf<typeof certificate.store>) {
    await this.certificates.decide(principal, query);
    return undefined;
  }
}
