import { randomBytes } from 'node:crypto';
import { login, LoginErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { redirectTo } from '../authentication/browser-replies';
import { CredentialCheck } from '../authentication/credential-check';
import { LoginFlow } from '../authentication/login-flow';
import { LoginTokens } from '../authentication/login-tokens';
import { SessionOpener } from '../authentication/session-opener';
import { UserRepository } from '../persistence/user.repository';
import { mergeParameters } from './login.handler';

/** First step of a login by tokens: the password is checked here, the session is opened in the second step. */
@Handles(login.tokenLogin)
export class TokenLoginHandler implements Handler<typeof login.tokenLogin> {
  constructor(
    private readonly credentials: CredentialCheck,
    private readonly opener: SessionOpener,
    private readonly tokens: LoginTokens,
    private readonly flow: LoginFlow,
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
  ) {}

  async handle({ query, body, edge }: CallOf<typeof login.tokenLogin>) {
    const { login: name, password, clientToken, autologin, uiWebPath, jsonResponse, ...rest } = body;
    const parameters = { ...mergeParameters(query, rest), staySignedIn: autologin ?? false };
    this.opener.resolveClient(parameters, edge!);
    const proven = await this.credentials.authenticate(name, password, edge!.remoteAddress);
    const user = await this.database.read(proven, (db) => this.users.get(db, proven.userId));
    const serverToken = await this.tokens.issuePendingLogin(proven, parameters, clientToken).catch((cause: unknown) => {
      throw LoginErrors.noServerToken().with({ cause });
    });
    const jsessionid = randomBytes(16).toString('hex');
    const url = this.flow.buildWebAddress(uiWebPath, {
      jsessionid,
      serverToken,
      user: name,
      user_id: proven.userId,
      language: user.locale,
      locale: user.locale,
    });
    if (jsonResponse) return { serverToken, jsessionid, user: name, user_id: proven.userId, url };
    return redirectTo(url);
  }
}
