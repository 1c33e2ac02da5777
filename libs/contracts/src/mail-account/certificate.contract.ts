import { action, allowCallers, defineModule, Field, json, none, value } from '../kit';
import { CertificateErrors } from './mail-account.errors';

const OWN_ACCOUNTS = allowCallers('what the user of the session has accepted');

const fingerprint = {
  doc: 'SHA-256 of the certificate, hex digits with or without colons',
  maxLength: 128,
  pattern: /^(?:[\s:-]*[0-9a-f]{2})+[\s:-]*$/i,
} as const;
const hostname = { doc: 'Server that showed it', maxLength: 255 } as const;

/** A certificate by its fingerprint. */
export class CertificateQuery {
  @Field.text({ ...fingerprint }) fingerprint!: string;
}

/** A certificate, of one server or of all. */
export class CertificateOfHostQuery extends CertificateQuery {
  @Field.text({ ...hostname, optional: true }) hostname?: string;
}

/** Decision of the user about a certificate of a server. */
export class CertificateTrustQuery extends CertificateQuery {
  @Field.text({ ...hostname }) hostname!: string;
  @Field.boolean({ doc: 'True to accept it although it is not trusted in general' }) trust!: boolean;
}

/** The same for `store`; what is absent here is taken from the body. */
export class CertificateStoreQuery {
  @Field.text({ ...fingerprint, optional: true }) fingerprint?: string;
  @Field.text({ ...hostname, optional: true }) hostname?: string;
  @Field.boolean({ doc: 'True to accept it although it is not trusted in general', optional: true }) trust?: boolean;
}

/** The same as the parameters of `store`, which win. */
export class CertificateStoreData {
  @Field.text({ ...fingerprint, optional: true }) fingerprint?: string | null;
  @Field.text({ ...hostname, optional: true }) hostname?: string | null;
  @Field.boolean({ doc: 'As the parameter trust', optional: true }) trusted?: boolean | null;
}

/** A user's decision about a certificate of a server. */
export interface CertificateDecision {
  readonly fingerprint: string;
  readonly hostname: string;
  readonly trusted: boolean;
}

/** A certificate that a server showed the user; `trusted` is absent until the user has decided. */
export interface ShownCertificate {
  readonly fingerprint: string;
  readonly hostname: string;
  readonly trusted?: boolean;
  /** ms UTC. */
  readonly issuedOn: number;
  /** ms UTC. */
  readonly expiresOn: number;
  readonly expired: boolean;
  readonly commonName: string;
  readonly issuedBy: string;
  readonly signature: string;
  readonly serialNumber: string;
  /** Such as `CERT_HAS_EXPIRED`. */
  readonly failureReason: string;
}

/** Certificates of mail servers that are not trusted: what they are, and which of them the user accepts. */
export const certificate = defineModule(
  'certificate',
  {
    all: action({
      access: OWN_ACCOUNTS,
      http: 'GET',
      doc: 'Lists the certificates the user has decided about',
      reply: value<CertificateDecision[]>('decisions'),
      capability: 'webmail',
      errors: [CertificateErrors.notAllowed],
    }),
    get: action({
      access: OWN_ACCOUNTS,
      http: 'GET',
      doc: 'Reads what the user has decided about a certificate, by server',
      query: CertificateOfHostQuery,
      reply: value<CertificateDecision[]>('decisions'),
      capability: 'webmail',
      errors: [CertificateErrors.notFound, CertificateErrors.notAllowed],
    }),
    examine: action({
      access: OWN_ACCOUNTS,
      http: 'GET',
      doc: 'Reads the details of a certificate that a server showed, such as the one of an SSL warning',
      query: CertificateQuery,
      reply: value<ShownCertificate>('the certificate'),
      capability: 'webmail',
      errors: [CertificateErrors.notFound, CertificateErrors.notAllowed],
    }),
    store: action({
      access: OWN_ACCOUNTS,
      http: 'PUT',
      doc: 'Stores whether the user accepts a certificate of a server',
      query: CertificateStoreQuery,
      body: json(CertificateStoreData, { required: false }),
      reply: none(),
      capability: 'webmail',
      repeatable: true,
      errors: [CertificateErrors.notAllowed],
    }),
    update: action({
      access: OWN_ACCOUNTS,
      http: 'PUT',
      doc: 'Changes whether the user accepts a certificate of a server',
      query: CertificateTrustQuery,
      reply: none(),
      capability: 'webmail',
      repeatable: true,
      errors: [CertificateErrors.notFound, CertificateErrors.notAllowed],
    }),
    delete: action({
      access: OWN_ACCOUNTS,
      http: 'PUT',
      doc: 'Forgets a certificate, of one server or of all',
      query: CertificateOfHostQuery,
      reply: none(),
      capability: 'webmail',
      repeatable: true,
      errors: [CertificateErrors.notAllowed],
    }),
    deleteAll: action({
      access: OWN_ACCOUNTS,
      http: 'PUT',
      doc: 'Forgets all certificates of the user',
      reply: none(),
      capability: 'webmail',
      repeatable: true,
      errors: [CertificateErrors.notAllowed],
    }),
  },
  { service: 'mail-account' },
);
