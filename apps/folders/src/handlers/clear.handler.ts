import { folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FolderClearing } from '../owners/folder-clearing';
import { parseTreeId } from '../tree/folder-tree';

/** `clear`: deletes the content of folders; answers the folders not cleared. */
@Handles(folders.clear)
export class ClearHandler implements Handler<typeof folders.clear> {
  constructor(private readonly clearing: FolderClearing) {}

  async handle(call: CallOf<typeof folders.clear>) {
    parseTreeId(call.query.tree);
    const { refused, stamp } = await this.clearing.clearFolders(call, call.body, call.query.hardDelete);
    return reply([...refused.keys()], { ...(stamp > 0 && { timestamp: stamp }), warnings: [...refused.values()] });
  }
}
