import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Options of a provider. */
export interface OpenIdProviderOptions {
  /** Life of access tokens, seconds. */
  readonly accessTokenSeconds?: number;
  /** Access tokens are JWT, signed by HS256 with this secret, and no use at the provider itself. Default: opaque. */
  readonly tokenSecret?: string;
}

/**
 * A real OpenID provider in a process of its own: authorization code flow with PKCE, refresh tokens that rotate, logout and back-channel
 * logout. Its login page takes any name with any password; the name is the `sub`.
 */
export class OpenIdProvider {
  private sent = 0;

  private constructor(
    private readonly child: ChildProcess,
    /** `http://127.0.0.1:…` */
    readonly issuer: string,
    private readonly options: OpenIdProviderOptions,
  ) {}

  /** Starts a provider on a free port. */
  static async start(options: OpenIdProviderOptions = {}): Promise<OpenIdProvider> {
    const program = path.join(__dirname, '..', 'providers', 'openid-provider.mjs');
    const child = fork(program, [JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--no-warnings'],
    });
    const [{ issuer }] = (await once(child, 'message')) as [{ issuer: string }];
    return new OpenIdProvider(child, issuer, options);
  }

  /** Registers a client, or changes one. @param client as in dynamic client registration (RFC 7591) */
  putClient(client: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.ask('client', { client });
  }

  /** Claims of an account besides `sub`. */
  putAccount(id: string, claims: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.ask('account', { name: id, claims });
  }

  /** Replaces the keys, as after a rotation. */
  rotateKeys(): Promise<unknown> {
    return this.ask('rotate', { ...this.options });
  }

  /** Lets the provider answer 500 to everything, or not any more. */
  setDown(value: boolean): Promise<unknown> {
    return this.ask('down', { value });
  }

  /** Revokes all that was granted. */
  revokeGrants(): Promise<unknown> {
    return this.ask('revokeGrants', {});
  }

  /** Number of refresh tokens that were used. */
  async countRefreshes(): Promise<number> {
    return Number(await this.ask('refreshes', {}));
  }

  /** Number of tokens that were given back. */
  async countRevocations(): Promise<number> {
    return Number(await this.ask('revocations', {}));
  }

  /** Ends the process. */
  async close(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }

  private async ask(action: string, parts: object): Promise<unknown> {
    const id = ++this.sent;
    const answered = new Promise<unknown>((resolve, reject) => {
      const hear = (message: { id?: number; value?: unknown; error?: string }): void => {
        if (message.id !== id) return;
        this.child.off('message', hear);
        if (message.error === undefined) resolve(message.value);
        else reject(new Error(message.error));
      };
      this.child.on('message', hear);
    });
    this.child.send({ id, action, ...parts });
    return answered;
  }
}
