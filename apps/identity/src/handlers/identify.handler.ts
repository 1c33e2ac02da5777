import { authentication, CatalogueError, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { CredentialCheck } from '../login/credential-check';

/** Tells whose credentials they are, without a session and without a trace of the success. */
@Handles(authentication.identify)
export class IdentifyHandler implements Handler<typeof authentication.identify> {
  constructor(private readonly credentials: CredentialCheck) {}

  async handle({ query: { login, password, remoteAddress } }: CallOf<typeof authentication.identify>) {
    try {
      const { contextId, userId } = await this.credentials.prove(login, password, remoteAddress, {
        leavesTrace: false,
      });
      return { contextId, userId, login };
    } catch (error) {
      // Wrong, disabled, too many failures: nobody's. Everything else is a fault.
      if (error instanceof CatalogueError && error.entry.category !== 'ERROR') return {};
      throw error;
    }
  }
}
