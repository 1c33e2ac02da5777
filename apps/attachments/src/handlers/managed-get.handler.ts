import { FileReply, managedFiles, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { resolveServedType } from '@groupware/stored-files';
import { ManagedFiles } from '../managed/managed-files';

/** `file?action=get`: answers the bytes of a managed file. Pictures are shown, anything else is saved. */
@Handles(managedFiles.get)
export class ManagedGetHandler implements Handler<typeof managedFiles.get> {
  constructor(private readonly managed: ManagedFiles) {}

  async handle({ principal, query }: CallOf<typeof managedFiles.get>): Promise<FileReply> {
    const {
      reference,
      name,
      sizeBytes,
      contentType: stored,
      sniffed,
    } = await this.managed.getFile(principal, query.id);
    const contentType = resolveServedType(stored, undefined, sniffed);
    return new FileReply({ reference, name, contentType, sizeBytes, inline: contentType.startsWith('image/') });
  }
}
