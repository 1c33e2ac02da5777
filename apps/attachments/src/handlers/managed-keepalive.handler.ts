import { managedFiles, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ManagedFiles } from '../managed/managed-files';

/** `file?action=keepalive`: keeps a managed file for another while. */
@Handles(managedFiles.keepalive)
export class ManagedKeepaliveHandler implements Handler<typeof managedFiles.keepalive> {
  constructor(private readonly managed: ManagedFiles) {}

  async handle({ principal, query }: CallOf<typeof managedFiles.keepalive>): Promise<boolean> {
    await this.managed.keepAlive(principal, query.id);
    return true;
  }
}
