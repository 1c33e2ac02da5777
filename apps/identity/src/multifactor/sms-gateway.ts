import { Injectable } from '@nestjs/common';
import { MultifactorErrors } from '@groupware/contracts';
import { PortList, WebClient } from '@groupware/outbound';
import { IdentityConfig } from '../configuration/identity.config';

const OK = 200;
const REDIRECT = 300;

/** Sends text messages through an HTTP gateway: POST of `{to, text}` as JSON, with a bearer token where one is set. */
@Injectable()
export class SmsGateway {
  constructor(
    private readonly config: IdentityConfig,
    private readonly web: WebClient,
  ) {}

  /** Whether a gateway is configured. */
  get isConfigured(): boolean {
    return this.config.smsGatewayUrl !== '';
  }

  /** Sends a message. @throws MFA-0004 when the gateway does not take it */
  async sendMessage(to: string, text: string): Promise<void> {
    const token = this.config.smsGatewayToken.reveal();
    const url = new URL(this.config.smsGatewayUrl);
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    try {
      const { status } = await this.web.fetch({
        url: url.href,
        purpose: 'sms',
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
        body: JSON.stringify({ to, text }),
        maxRedirects: 0,
        allowPlain: url.protocol === 'http:',
        ports: new PortList([port]),
      });
      // eslint-disable-next-line groupware/no-stray-errors -- becomes the cause of the error below
      if (status < OK || status >= REDIRECT) throw new Error(`the gateway answered ${status}`);
    } catch (cause) {
      throw MultifactorErrors.serviceUnavailable('SMS').with({ cause });
    }
  }
}
