import { httpAuthLogin, LoginErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { BASIC_CHALLENGE, Handles } from '@groupware/service-kit';
import { LoginFlow } from '../authentication/login-flow';
import { toErrorReply } from '../authentication/error-reply';

const UNAUTHORIZED = 401;
const CHALLENGE = { 'WWW-Authenticate': BASIC_CHALLENGE };

/** Login by HTTP Basic. */
@Handles(httpAuthLogin.httpAuth)
export class HttpAuthHandler implements Handler<typeof httpAuthLogin.httpAuth> {
  constructor(private readonly flow: LoginFlow) {}

  async handle({ query, edge }: CallOf<typeof httpAuthLogin.httpAuth>) {
    const { credentials } = edge!;
    if (!credentials) return reply(undefined, { status: UNAUTHORIZED, headers: CHALLENGE });
    try {
      const opened = await this.flow.loginByPassword(credentials.login, credentials.password, query, edge!);
      return this.flow.redirectToWebClient(opened, query.uiWebPath);
    } catch (error) {
      if (!isWrongPassword(error)) throw error;
      return toErrorReply<undefined>(error, edge!, [], { status: UNAUTHORIZED, headers: CHALLENGE });
    }
  }
}

const isWrongPassword = (error: unknown): error is ReturnType<typeof LoginErrors.invalidCredentials> =>
  (error as { code?: string }).code === LoginErrors.invalidCredentials.entry.code;
