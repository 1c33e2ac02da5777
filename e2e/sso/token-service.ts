import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keepOutOfLogs } from '../secrets';

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * An OAuth service elsewhere whose access tokens are JWT that mail servers check by a common secret (RFC 7519). A code is the name of
 * who grants access. Refresh tokens are good once.
 */
export class TokenService {
  /** Number of refresh tokens that were used. */
  refreshes = 0;
  /** Whether the grants ended. */
  isRevoked = false;
  /** Whether tokens are such that no mail server takes them. */
  isSpoiled = false;
  private readonly refreshTokens = new Map<string, string>();
  private issued = 0;
  private readonly server: Server;

  constructor(private readonly secret: string) {
    this.server = createServer((request, response) => {
      const answer = (status: number, facts: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(facts));
      };
      if (request.url === '/me') return answer(200, { sub: this.ownerOf(request.headers.authorization ?? '') });
      let body = '';
      request
        .on('data', (part) => (body += String(part)))
        .on('end', () => {
          const asked = new URLSearchParams(body);
          const owner = asked.get('code') ?? this.redeem(asked.get('refresh_token') ?? '');
          return owner === undefined ? answer(400, { error: 'invalid_grant' }) : answer(200, this.issue(owner));
        });
    });
  }

  /** Listens; answers its address. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private redeem(token: string): string | undefined {
    const owner = this.refreshTokens.get(token);
    this.refreshTokens.delete(token);
    if (owner === undefined || this.isRevoked) return undefined;
    this.refreshes += 1;
    return owner;
  }

  private issue(owner: string): object {
    const now = Math.floor(Date.now() / 1000);
    const facts = { sub: owner, iat: now - 5, exp: now + 3600, jti: String((this.issued += 1)) };
    const head = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(facts)}`;
    const secret = this.isSpoiled ? 'another secret' : this.secret;
    const access = `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`;
    const refresh = `refresh token ${this.issued} of ${owner}`;
    this.refreshTokens.set(refresh, owner);
    keepOutOfLogs(access, refresh);
    return { access_token: access, refresh_token: refresh, expires_in: 3600, token_type: 'Bearer' };
  }

  private ownerOf(authorization: string): string {
    const [, payload = ''] = authorization.split('.');
    return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string }).sub;
  }
}
