import { fileServices, OWN_FILE_SERVICE, type CallOf, type FileServiceData, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { toOwnService } from '../storages/own-storage';
import { StorageKinds } from '../storages/storage-kinds';

/** `fileservice?action=get`: one kind of file storages. */
@Handles(fileServices.get)
export class FileserviceGetHandler implements Handler<typeof fileServices.get> {
  constructor(private readonly kinds: StorageKinds) {}

  async handle({ principal, query }: CallOf<typeof fileServices.get>): Promise<FileServiceData> {
    if (query.id === OWN_FILE_SERVICE) return toOwnService(principal.locale);
    return (await this.kinds.requireEnabled(principal, query.id)).toService(principal.locale);
  }
}
