import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keepOutOfLogs } from '../secrets';

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An ID token as a provider should not make it; what is left out is as it should be. */
export interface TokenParts {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signs by HMAC with the public key. */
  readonly isSignedByPublicKey?: boolean;
}

/** An OpenID provider whose ID tokens say what a test wants. */
export class LyingProvider {
  /** Number of times its keys were read. */
  keyReads = 0;
  /** The next ID token. */
  next: TokenParts = {};
  /** User who logged in, and the nonce of the login. */
  login = { sub: '', nonce: '' };
  issuer = '';
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  private readonly server: Server = createServer((request, response) => {
    const answer = (facts: object): unknown =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(facts));
    if (request.url === '/token')
      return answer({ access_token: 'an access token', token_type: 'Bearer', id_token: this.makeIdToken() });
    this.keyReads += 1;
    const key = { ...this.keys.publicKey.export({ format: 'jwk' }), kid: 'known', alg: 'RS256', use: 'sig' };
    return answer({ keys: [key] });
  });

  /** Listens; answers its address, which is its issuer. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.issuer = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this.issuer;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private makeIdToken(): string {
    return this.makeToken({ ...this.next, claims: { ...this.login, ...this.next.claims } });
  }

  /** A token for the product, valid but for what its parts say. */
  makeToken({ claims, header, isSignedByPublicKey = false }: TokenParts): string {
    const now = Math.floor(Date.now() / 1000);
    const facts = { iss: this.issuer, aud: 'groupware', iat: now - 5, exp: now + 600, ...claims };
    const head = { alg: 'RS256', typ: 'JWT', kid: 'known', ...header };
    const text = `${base64url(head)}.${base64url(facts)}`;
    const { publicKey, privateKey } = this.keys;
    const signature = isSignedByPublicKey
      ? createHmac('sha256', publicKey.export({ format: 'pem', type: 'spki' }))
          .update(text)
          .digest('base64url')
      : head.alg === 'none'
        ? ''
        : sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url');
    const token = `${text}.${signature}`;
    keepOutOfLogs(token);
    return token;
  }
}
