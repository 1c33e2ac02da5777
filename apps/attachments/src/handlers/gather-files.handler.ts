import { attachmentFiles, type CallOf, type GatheredFiles, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FileGatherer } from '../files/file-gatherer';

/** Moves a batch of files of a context to another file store. */
@Handles(attachmentFiles.gather)
export class GatherFilesHandler implements Handler<typeof attachmentFiles.gather> {
  constructor(private readonly gatherer: FileGatherer) {}

  handle({ principal, query }: CallOf<typeof attachmentFiles.gather>): Promise<GatheredFiles> {
    return this.gatherer.gatherFiles(principal, query.storeId, query.after);
  }
}
