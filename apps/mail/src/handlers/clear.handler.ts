import { CatalogueError, mail, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseMailFolder } from '../domain/mail-folder';
import { FolderEmptying } from '../folders/folder-emptying';

/** `clear`: deletes all mails of folders; answers those that could not be emptied. */
@Handles(mail.clear)
export class ClearHandler implements Handler<typeof mail.clear> {
  constructor(private readonly emptying: FolderEmptying) {}

  async handle(call: CallOf<typeof mail.clear>) {
    const { hardDelete = false } = call.query;
    const failed = new Map<string, CatalogueError>();
    for (const id of new Set(call.body))
      try {
        await this.emptying.emptyFolder(call, parseMailFolder(id), hardDelete);
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        failed.set(id, error);
      }
    return reply([...failed.keys()], { warnings: [...failed.values()] });
  }
}
