import { fileServices, type CallOf, type FileServiceData, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { toOwnService } from '../storages/own-storage';
import { StorageKinds } from '../storages/storage-kinds';

/** `fileservice?action=all`: the kinds of file storages. */
@Handles(fileServices.all)
export class FileserviceAllHandler implements Handler<typeof fileServices.all> {
  constructor(private readonly kinds: StorageKinds) {}

  async handle({ principal }: CallOf<typeof fileServices.all>): Promise<FileServiceData[]> {
    const kinds = await this.kinds.listEnabled(principal);
    return [toOwnService(principal.locale), ...kinds.map((kind) => kind.toService(principal.locale))];
  }
}
