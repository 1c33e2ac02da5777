import { manifests, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `all`: no part of the web client is installed here. */
@Handles(manifests.all)
export class ManifestsAllHandler implements Handler<typeof manifests.all> {
  handle(): Promise<[]> {
    return Promise.resolve([]);
  }
}
