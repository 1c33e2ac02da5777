import { mailComposeSpace, type CallOf, type ComposeSpace, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { LastChanges } from '../compose/last-changes';

/** Changes fields of a mail that is being written, by the method that newer clients use. */
@Handles(mailComposeSpace.patch)
export class ComposePatchHandler implements Handler<typeof mailComposeSpace.patch> {
  constructor(private readonly changes: LastChanges) {}

  handle(call: CallOf<typeof mailComposeSpace.patch>): Promise<ComposeSpace> {
    return this.changes.applyFields(call);
  }
}
