import { login, LoginErrors, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** Guests come with shares; while no module gives out shares, no token can be right. */
@Handles(login.anonymous)
export class AnonymousLoginHandler implements Handler<typeof login.anonymous> {
  async handle(): Promise<never> {
    throw LoginErrors.methodDisabled();
  }
}
