import {
  MAILBOX_SECRET_PURPOSE,
  mailboxAccess,
  toMailboxSecretOwner,
  type MailboxAccess,
  type UserPrincipal,
} from '@groupware/contracts';
import { withToken } from '@groupware/mail-access';
import { Caller } from '@groupware/messaging';
import { Clock, SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';

/** A request of a user, as far as tokens need it. */
export interface TokenRequest {
  readonly principal: UserPrincipal;
  readonly signal: AbortSignal;
}

/** Which token: of the mailbox, or of the server that mails leave by. */
export interface TokenPlace {
  readonly side: 'mail' | 'transport';
  readonly host: string;
}

/** So long a token is remembered, ms: the requests of one click are many. */
const REMEMBERED_MS = 3_000;
const MAX_REMEMBERED = 5_000;

/** Access tokens with which accounts log in. */
@Injectable()
export class MailboxTokens {
  private readonly known = new Map<string, { readonly until: number; readonly secret: Promise<string | undefined> }>();
  private readonly texts: SealedText;

  constructor(
    private readonly caller: Caller,
    private readonly clock: Clock,
    keys: SecretKeySettings,
  ) {
    this.texts = new SealedText(keys.secretKeys(), MAILBOX_SECRET_PURPOSE);
  }

  /**
   * Logs in with a token of an account, and once more with another one when the server refuses it.
   * @throws MailFailure, and why there is no token: OAUTH-0013 and others
   */
  async use<T>(
    request: TokenRequest,
    account: Pick<MailboxAccess, 'id'>,
    place: TokenPlace,
    work: (accessToken: string) => Promise<T>,
  ): Promise<T> {
    let secret: string | undefined;
    return withToken(async (refused) => {
      secret = await this.find(request, account, place, refused === undefined ? undefined : secret);
      return secret && this.texts.open(secret, toMailboxSecretOwner(request.principal, account.id));
    }, work);
  }

  private find(
    request: TokenRequest,
    { id }: Pick<MailboxAccess, 'id'>,
    { side, host }: TokenPlace,
    refused: string | undefined,
  ): Promise<string | undefined> {
    const { contextId, userId, sessionId } = request.principal;
    const key = JSON.stringify([contextId, userId, sessionId, id, side, host]);
    const now = this.clock.now();
    const known = this.known.get(key);
    if (known && known.until > now && refused === undefined) return known.secret;
    const secret = this.ask(request, { id, side, host, ...(refused === undefined ? {} : { refused }) });
    if (this.known.size >= MAX_REMEMBERED) this.known.clear();
    this.known.set(key, { until: now + REMEMBERED_MS, secret });
    secret.then(
      (found) => found ?? this.known.delete(key),
      () => this.known.delete(key),
    );
    return secret;
  }

  private async ask(
    { principal: user, signal }: TokenRequest,
    query: { id: number; side: 'mail' | 'transport'; host: string; refused?: string },
  ): Promise<string | undefined> {
    const principal = { kind: 'internal', service: 'mail', contextId: user.contextId, user } as const;
    return (await this.caller.call(mailboxAccess.findToken, { principal, signal, query }))?.secret;
  }
}
