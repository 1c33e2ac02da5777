import { CatalogueError, login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { LoginFlow } from '../login/login-flow';
import { failedLoginPage } from '../login/login-page';
import { merged } from './login.handler';

/** Login by HTML form: the answer is a redirect, or a page for people. */
@Handles(login.formlogin)
export class FormLoginHandler implements Handler<typeof login.formlogin> {
  constructor(private readonly flow: LoginFlow) {}

  async handle({ query, body, edge }: CallOf<typeof login.formlogin>) {
    const parameters = { ...merged(query, body), staySignedIn: body.autologin };
    try {
      const opened = await this.flow.byPassword(body.login, body.password, parameters, edge!);
      return this.flow.redirect(opened, body.uiWebPath, { store: String(body.autologin) });
    } catch (error) {
      if (!(error instanceof CatalogueError) || error.entry.edgeStatus) throw error;
      return failedLoginPage(error, edge!);
    }
  }
}
