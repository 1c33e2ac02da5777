import { mailCompose, type CallOf, type ComposeSpace, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeSpaces } from '../compose/compose-spaces';

/** `all`: the mails that the user is writing, as newer clients ask. */
@Handles(mailCompose.all)
export class ComposeAllHandler implements Handler<typeof mailCompose.all> {
  constructor(private readonly spaces: ComposeSpaces) {}

  handle({ principal, query }: CallOf<typeof mailCompose.all>): Promise<Partial<ComposeSpace>[]> {
    return this.spaces.listSpaces(principal, query.columns);
  }
}
