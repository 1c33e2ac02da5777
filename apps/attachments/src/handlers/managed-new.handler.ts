import { managedFiles, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ManagedFiles } from '../managed/managed-files';

/** `file?action=new`: keeps uploads for a while. */
@Handles(managedFiles.new)
export class ManagedNewHandler implements Handler<typeof managedFiles.new> {
  constructor(private readonly managed: ManagedFiles) {}

  handle({ principal, query, files }: CallOf<typeof managedFiles.new>): Promise<string[]> {
    return this.managed.keepUploads(principal, files, query.type);
  }
}
