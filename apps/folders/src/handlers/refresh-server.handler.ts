import { reply, sync, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FolderClearing } from '../owners/folder-clearing';

/** `sync?action=refresh_server`: deletes the content of folders; answers the folders not cleared, without their reasons. */
@Handles(sync.refreshServer)
export class RefreshServerHandler implements Handler<typeof sync.refreshServer> {
  constructor(private readonly clearing: FolderClearing) {}

  async handle(call: CallOf<typeof sync.refreshServer>) {
    const { refused, stamp } = await this.clearing.clearFolders(call, call.body);
    return reply([...refused.keys()], { ...(stamp > 0 && { timestamp: stamp }) });
  }
}
