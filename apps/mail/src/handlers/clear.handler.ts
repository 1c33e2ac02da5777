import { CatalogueError, mail, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MailPreferences } from '../accounts/mail-preferences';
import { parseMailFolder } from '../domain/mail-folder';
import { FolderEmptying } from '../folders/folder-emptying';

/** `clear`: deletes all mails of folders; answers those that could not be emptied. */
@Handles(mail.clear)
export class ClearHandler implements Handler<typeof mail.clear> {
  constructor(
    private readonly emptying: FolderEmptying,
    private readonly preferences: MailPreferences,
  ) {}

  async handle(call: CallOf<typeof mail.clear>) {
    const hard = call.query.hardDelete || (await this.preferences.deletesForGood(call));
    const failed = new Map<string, CatalogueError>();
    for (const id of new Set(call.body))
      try {
        await this.emptying.emptyFolder(call, parseMailFolder(id), hard);
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        failed.set(id, error);
      }
    return reply([...failed.keys()], { warnings: [...failed.values()] });
  }
}
