import { fileServices, type CallOf, type FileServiceData, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { toOwnService } from '../storages/own-storage';

/** `fileservice?action=all`: the kinds of file storages. */
@Handles(fileServices.all)
export class FileserviceAllHandler implements Handler<typeof fileServices.all> {
  async handle({ principal }: CallOf<typeof fileServices.all>): Promise<FileServiceData[]> {
    return [toOwnService(principal.locale)];
  }
}
