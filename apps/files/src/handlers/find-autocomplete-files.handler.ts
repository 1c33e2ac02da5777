import { findFiles, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FileFinder } from '../find/file-finder';

/** `find?action=autocomplete`: the facets by which files may be searched. */
@Handles(findFiles.autocompleteFiles)
export class FindAutocompleteFilesHandler implements Handler<typeof findFiles.autocompleteFiles> {
  constructor(private readonly finder: FileFinder) {}

  handle({ principal, body }: CallOf<typeof findFiles.autocompleteFiles>) {
    return this.finder.listFacets(principal, body);
  }
}
