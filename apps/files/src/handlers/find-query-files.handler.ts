import { findFiles, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FileFinder } from '../find/file-finder';

/** `find?action=query`: files by the facets chosen. */
@Handles(findFiles.queryFiles)
export class FindQueryFilesHandler implements Handler<typeof findFiles.queryFiles> {
  constructor(private readonly finder: FileFinder) {}

  handle(call: CallOf<typeof findFiles.queryFiles>) {
    return this.finder.listPage(call, call.query, call.body);
  }
}
