import {
  managedFileContents,
  RequestErrors,
  type CallOf,
  type Handler,
  type ManagedFileContent,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ManagedFiles } from '../managed/managed-files';

/** `managed-file-contents.find`: where the bytes of a managed file are. */
@Handles(managedFileContents.find)
export class ManagedContentsFindHandler implements Handler<typeof managedFileContents.find> {
  constructor(private readonly managed: ManagedFiles) {}

  async handle({ principal, query }: CallOf<typeof managedFileContents.find>): Promise<ManagedFileContent> {
    if (!principal.user) throw RequestErrors.badRequest('managed files belong to users');
    const { reference, name, contentType, sizeBytes } = await this.managed.getFile(principal.user, query.id);
    return { reference, name, contentType, sizeBytes };
  }
}
