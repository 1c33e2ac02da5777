import { mailComposeSpace, type CallOf, type ComposeSpace, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { LastChanges } from '../compose/last-changes';

/** Changes fields of a mail that is being written. */
@Handles(mailComposeSpace.update)
export class ComposeUpdateHandler implements Handler<typeof mailComposeSpace.update> {
  constructor(private readonly changes: LastChanges) {}

  handle(call: CallOf<typeof mailComposeSpace.update>): Promise<ComposeSpace> {
    return this.changes.applyFields(call);
  }
}
