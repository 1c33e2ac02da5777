import { shareResetPassword, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { redirectTo, replyBadRequest } from '../authentication/browser-replies';
import { LoginFlow } from '../authentication/login-flow';

/** Leads to the login page where a guest asks for a new password, or chooses one. */
@Handles(shareResetPassword.show)
export class ShowPasswordResetHandler implements Handler<typeof shareResetPassword.show> {
  constructor(private readonly flow: LoginFlow) {}

  async handle({ query: { share, target, confirm } }: CallOf<typeof shareResetPassword.show>) {
    if (!share) return replyBadRequest();
    return redirectTo(this.flow.buildShareAddress({ login_type: 'reset_password', share, target, confirm }));
  }
}
