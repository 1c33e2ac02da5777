import { createSign, randomBytes, X509Certificate } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import { encrypt } from 'xml-encryption';

/** A key with its certificate. */
export interface KeyPair {
  /** PEM. */
  readonly key: string;
  /** PEM. */
  readonly certificate: string;
  /** Base64 without lines, as in configurations. */
  readonly keyText: string;
  readonly certificateText: string;
}

/** Makes a key with a certificate of its own. */
export function makeKeyPair(name: string): KeyPair {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'saml-key-'));
  try {
    const file = (of: string): string => path.join(folder, of);
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-subj',
        `/CN=${name}`,
        '-keyout',
        file('key'),
        '-out',
        file('cert'),
      ],
      { stdio: 'ignore' },
    );
    const key = readFileSync(file('key'), 'utf8');
    const certificate = readFileSync(file('cert'), 'utf8');
    const toText = (pem: string): string => pem.replace(/-----[^-]+-----|\s/g, '');
    return { key, certificate, keyText: toText(key), certificateText: toText(certificate) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Parts of an answer that a test changes. */
export interface AnswerParts {
  readonly nameId?: string;
  readonly inResponseTo?: string;
  readonly audience?: string;
  readonly destination?: string;
  readonly recipient?: string;
  readonly issuer?: string;
  readonly sessionIndex?: string;
  /** Seconds from now. */
  readonly notBefore?: number;
  readonly notOnOrAfter?: number;
  readonly status?: string;
  readonly withAssertion?: boolean;
  readonly sign?: 'assertion' | 'response' | 'none';
  readonly by?: KeyPair;
  readonly algorithm?: 'sha256' | 'sha1';
  /** Certificate of the key that the assertion is encrypted for. */
  readonly encryptFor?: string;
  readonly id?: string;
}

const ALGORITHMS = {
  sha256: {
    signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    digest: 'http://www.w3.org/2001/04/xmlenc#sha256',
  },
  sha1: { signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1', digest: 'http://www.w3.org/2000/09/xmldsig#sha1' },
} as const;

/** An identity provider that says what a test wants. */
export class SamlIdentityProvider {
  readonly entityId = 'https://idp.example/metadata';
  readonly keys = makeKeyPair('idp');

  constructor(
    private readonly entity: string,
    private readonly acs: string,
  ) {}

  /** A response with one assertion, base64. */
  async answer(parts: AnswerParts): Promise<string> {
    return Buffer.from(await this.answerXml(parts)).toString('base64');
  }

  async answerXml(parts: AnswerParts): Promise<string> {
    const { sign = 'assertion', issuer = this.entityId, status = 'Success', inResponseTo } = parts;
    const reply = inResponseTo === undefined ? '' : ` InResponseTo="${inResponseTo}"`;
    let assertion = parts.withAssertion === false ? '' : this.assertionXml(parts);
    if (assertion && sign === 'assertion') assertion = this.sign(assertion, 'Assertion', parts);
    if (assertion && parts.encryptFor) assertion = await this.encrypt(assertion, parts.encryptFor);
    const response = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomBytes(8).toString('hex')}" Version="2.0" IssueInstant="${at(0)}" Destination="${parts.destination ?? this.acs}"${reply}><saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${status}"/></samlp:Status>${assertion}</samlp:Response>`;
    return sign === 'response' ? this.sign(response, 'Response', parts) : response;
  }

  /** An assertion without signature. */
  assertionXml(parts: AnswerParts): string {
    const { issuer = this.entityId, inResponseTo, nameId = 'nobody', sessionIndex = '_index' } = parts;
    const reply = inResponseTo === undefined ? '' : ` InResponseTo="${inResponseTo}"`;
    const from = at(parts.notBefore ?? -10);
    const until = at(parts.notOnOrAfter ?? 120);
    return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${parts.id ?? `_${randomBytes(8).toString('hex')}`}" Version="2.0" IssueInstant="${at(0)}"><saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">${nameId}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${until}" Recipient="${parts.recipient ?? this.acs}"${reply}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${from}" NotOnOrAfter="${until}"><saml:AudienceRestriction><saml:Audience>${parts.audience ?? this.entity}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${at(0)}" SessionIndex="${sessionIndex}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement></saml:Assertion>`;
  }

  /** Signs the element of a name. */
  sign(xml: string, element: string, { by = this.keys, algorithm = 'sha256' }: AnswerParts): string {
    const { signature, digest } = ALGORITHMS[algorithm];
    const signed = new SignedXml({ privateKey: by.key, publicCert: by.certificate });
    const xpath = `//*[local-name(.)='${element}']`;
    signed.addReference({
      xpath,
      digestAlgorithm: digest,
      transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', 'http://www.w3.org/2001/10/xml-exc-c14n#'],
    });
    signed.signatureAlgorithm = signature;
    signed.canonicalizationAlgorithm = 'http://www.w3.org/2001/10/xml-exc-c14n#';
    signed.computeSignature(xml, { location: { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' } });
    return signed.getSignedXml();
  }

  /** A logout request of the redirect binding: the query. */
  logoutQuery(
    sls: string,
    parts: { nameId: string; sessionIndex?: string; state?: string; by?: KeyPair; until?: number },
  ): string {
    const xml = this.logoutXml(sls, parts);
    const query = new URLSearchParams({ SAMLRequest: deflateRawSync(xml).toString('base64') });
    if (parts.state !== undefined) query.set('RelayState', parts.state);
    query.set('SigAlg', ALGORITHMS.sha256.signature);
    const signature = createSign('RSA-SHA256')
      .update(query.toString())
      .sign((parts.by ?? this.keys).key, 'base64');
    return `${query}&${new URLSearchParams({ Signature: signature })}`;
  }

  /** A logout request, not signed. */
  logoutXml(sls: string, parts: { nameId: string; sessionIndex?: string; until?: number }): string {
    const index =
      parts.sessionIndex === undefined ? '' : `<samlp:SessionIndex>${parts.sessionIndex}</samlp:SessionIndex>`;
    return `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomBytes(8).toString('hex')}" Version="2.0" IssueInstant="${at(0)}" NotOnOrAfter="${at(parts.until ?? 120)}" Destination="${sls}"><saml:Issuer>${this.entityId}</saml:Issuer><saml:NameID>${parts.nameId}</saml:NameID>${index}</samlp:LogoutRequest>`;
  }

  /** The answer to a logout request of ours: the query. */
  logoutAnswer(sls: string, inResponseTo: string, state: string): string {
    const xml = `<samlp:LogoutResponse xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomBytes(8).toString('hex')}" Version="2.0" IssueInstant="${at(0)}" Destination="${sls}" InResponseTo="${inResponseTo}"><saml:Issuer>${this.entityId}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status></samlp:LogoutResponse>`;
    const query = new URLSearchParams({
      SAMLResponse: deflateRawSync(xml).toString('base64'),
      RelayState: state,
      SigAlg: ALGORITHMS.sha256.signature,
    });
    const signature = createSign('RSA-SHA256').update(query.toString()).sign(this.keys.key, 'base64');
    return `${query}&${new URLSearchParams({ Signature: signature })}`;
  }

  private encrypt(assertion: string, certificate: string): Promise<string> {
    const options = {
      rsa_pub: publicKeyOf(certificate),
      pem: certificate,
      encryptionAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
      keyEncryptionAlgorithm: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
    } as const;
    return new Promise((resolve, reject) => {
      encrypt(assertion, options, (error: Error | null, encrypted: string) =>
        error
          ? reject(error)
          : resolve(
              `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${encrypted}</saml:EncryptedAssertion>`,
            ),
      );
    });
  }
}

const publicKeyOf = (certificate: string): string =>
  new X509Certificate(certificate).publicKey.export({ format: 'pem', type: 'spki' }).toString();
const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
