import { mailCompose, type CallOf, type ComposeSpace, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeSpaces } from '../compose/compose-spaces';

/** The mails that the user is writing. */
@Handles(mailCompose.list)
export class ComposeListHandler implements Handler<typeof mailCompose.list> {
  constructor(private readonly spaces: ComposeSpaces) {}

  handle({ principal, query }: CallOf<typeof mailCompose.list>): Promise<Partial<ComposeSpace>[]> {
    return this.spaces.listSpaces(principal, query.columns);
  }
}
