import {
  CatalogueError,
  FORM_LOGIN_WITHOUT_AUTH_ID,
  login,
  RequestErrors,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Cascade } from '../configuration/cascade';
import { LoginFlow } from '../authentication/login-flow';
import { renderFailedLogin } from '../authentication/login-page';
import { mergeParameters } from './login.handler';

/** Login by HTML form: the answer is a redirect, or a page for people. */
@Handles(login.formlogin)
export class FormLoginHandler implements Handler<typeof login.formlogin> {
  constructor(
    private readonly flow: LoginFlow,
    private readonly cascade: Cascade,
  ) {}

  async handle({ query, body, edge }: CallOf<typeof login.formlogin>) {
    const parameters = { ...mergeParameters(query, body), staySignedIn: body.autologin };
    if (!parameters.authId && !this.cascade.value(FORM_LOGIN_WITHOUT_AUTH_ID))
      throw RequestErrors.missingParameter('authId');
    try {
      const opened = await this.flow.loginByPassword(body.login, body.password, parameters, edge!);
      return this.flow.redirectToWebClient(opened, body.uiWebPath, { store: String(body.autologin) });
    } catch (error) {
      if (!(error instanceof CatalogueError) || error.entry.edgeStatus) throw error;
      return renderFailedLogin(error, edge!);
    }
  }
}
