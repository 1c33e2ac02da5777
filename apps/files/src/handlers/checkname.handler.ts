import { infostore, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { requirePortableName } from '../domain/file-name';

/** `checkname`: whether a file may bear a name on all systems. */
@Handles(infostore.checkname)
export class ChecknameHandler implements Handler<typeof infostore.checkname> {
  async handle({ query }: CallOf<typeof infostore.checkname>): Promise<Record<string, never>> {
    requirePortableName(query.name);
    return {};
  }
}
