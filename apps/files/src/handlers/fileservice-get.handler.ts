import { fileServices, type CallOf, type FileServiceData, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { requireKnownService, toOwnService } from '../storages/own-storage';

/** `fileservice?action=get`: one kind of file storages. */
@Handles(fileServices.get)
export class FileserviceGetHandler implements Handler<typeof fileServices.get> {
  async handle({ principal, query }: CallOf<typeof fileServices.get>): Promise<FileServiceData> {
    requireKnownService(query.id);
    return toOwnService(principal.locale);
  }
}
