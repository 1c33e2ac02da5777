import { mailComposeSpace, type CallOf, type ComposeSpace, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeSpaces } from '../compose/compose-spaces';

/** Changes fields of a mail that is being written, by the method that newer clients use. */
@Handles(mailComposeSpace.patch)
export class ComposePatchHandler implements Handler<typeof mailComposeSpace.patch> {
  constructor(private readonly spaces: ComposeSpaces) {}

  handle({ principal, query, body }: CallOf<typeof mailComposeSpace.patch>): Promise<ComposeSpace> {
    return this.spaces.updateSpace(principal, query, body);
  }
}
