import { authentication, CatalogueError, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { CredentialCheck } from '../authentication/credential-check';

/** Identifies the owner of credentials, without session and without recording a login. */
@Handles(authentication.identify)
export class IdentifyHandler implements Handler<typeof authentication.identify> {
  constructor(private readonly credentials: CredentialCheck) {}

  async handle({ query: { login, password, remoteAddress } }: CallOf<typeof authentication.identify>) {
    try {
      const { contextId, userId } = await this.credentials.authenticate(login, password, remoteAddress, {
        leavesTrace: false,
      });
      return { contextId, userId, login };
    } catch (error) {
      // Wrong, disabled or limited credentials identify no user; all other errors are faults.
      if (error instanceof CatalogueError && error.entry.category !== 'ERROR') return {};
      throw error;
    }
  }
}
