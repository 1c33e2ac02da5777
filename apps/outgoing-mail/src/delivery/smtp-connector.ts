import { SmtpAttempt, SmtpSession } from '@groupware/mail-access';
import { OutboundGuard, PortList } from '@groupware/outbound';
import { Injectable } from '@nestjs/common';
import { OutgoingMailConfig } from '../outgoing-mail.config';

/** Opens connections to the mail server that the operator configured, through the guard of all connections to elsewhere. */
@Injectable()
export class SmtpConnector {
  constructor(
    private readonly guard: OutboundGuard,
    private readonly config: OutgoingMailConfig,
  ) {}

  /** Connects and logs in. @throws with a message that names no secret */
  async open(): Promise<SmtpSession> {
    const { host, port, protection, login, password, timeoutMs } = this.config;
    const signal = AbortSignal.timeout(timeoutMs);
    const server = { protocol: 'smtp', host, port, protection, allowPlain: protection === 'offered' } as const;
    const credentials = login === '' ? undefined : { login, password: password.reveal() };
    const target = await this.guard.check({ host, port, ports: new PortList([String(port)]) }, signal);
    const { connection } = await new SmtpAttempt(this.guard, server, credentials).open(target, signal);
    return new SmtpSession(connection);
  }
}
