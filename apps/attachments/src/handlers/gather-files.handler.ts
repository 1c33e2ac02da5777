import { attachmentFiles, type CallOf, type GatheredFiles, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FileGatherer } from '../file-gatherer';

/** A step of the move of a context to another file store. */
@Handles(attachmentFiles.gather)
export class GatherFilesHandler implements Handler<typeof attachmentFiles.gather> {
  constructor(private readonly gatherer: FileGatherer) {}

  handle({ principal, query }: CallOf<typeof attachmentFiles.gather>): Promise<GatheredFiles> {
    return this.gatherer.gather(principal, query.storeId, query.after);
  }
}
