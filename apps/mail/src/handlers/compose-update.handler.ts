import { mailComposeSpace, type CallOf, type ComposeSpace, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeSpaces } from '../compose/compose-spaces';

/** Changes fields of a mail that is being written. */
@Handles(mailComposeSpace.update)
export class ComposeUpdateHandler implements Handler<typeof mailComposeSpace.update> {
  constructor(private readonly spaces: ComposeSpaces) {}

  handle({ principal, query, body }: CallOf<typeof mailComposeSpace.update>): Promise<ComposeSpace> {
    return this.spaces.updateSpace(principal, query, body);
  }
}
