import { mail, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FolderStates } from '../folders/folder-states';
import { resolveMailColumns } from '../messages/mail-columns';

/** `updates`: mail servers keep no log of changes, so there are never any to tell. */
@Handles(mail.updates)
export class UpdatesHandler implements Handler<typeof mail.updates> {
  constructor(private readonly states: FolderStates) {}

  async handle(call: CallOf<typeof mail.updates>): Promise<unknown[]> {
    resolveMailColumns(call.query);
    await this.states.getState(call, call.query.folder);
    return [];
  }
}
