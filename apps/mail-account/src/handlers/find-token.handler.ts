import {
  MAILBOX_SECRET_PURPOSE,
  mailboxAccess,
  toMailboxSecretOwner,
  type CallOf,
  type Handler,
  type MailboxToken,
} from '@groupware/contracts';
import { Handles, SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Accounts } from '../accounts/accounts';
import { AccountTokens } from '../credentials/account-tokens';

/** `findToken`: an access token with which an account logs in. */
@Handles(mailboxAccess.findToken)
export class FindTokenHandler implements Handler<typeof mailboxAccess.findToken> {
  private readonly texts: SealedText;

  constructor(
    private readonly accounts: Accounts,
    private readonly tokens: AccountTokens,
    keys: SecretKeySettings,
  ) {
    this.texts = new SealedText(keys.secretKeys(), MAILBOX_SECRET_PURPOSE);
  }

  async handle({ principal, query }: CallOf<typeof mailboxAccess.findToken>): Promise<MailboxToken | null> {
    const user = principal.user!;
    const { id, side, host } = query;
    const own = (await this.accounts.listAccounts(user)).find(({ account }) => account.id === id);
    const source = own && (await this.tokens.findSource(user, own.account, side));
    if (!source) return null;
    const owner = toMailboxSecretOwner(user, id);
    const refused = query.refused === undefined ? undefined : this.texts.open(query.refused, owner);
    const found = await this.tokens.findToken(user, source, { host, ...(refused === undefined ? {} : { refused }) });
    return found ? { secret: this.texts.seal(found.accessToken, owner) } : null;
  }
}
