import { infostore, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FolderAccess } from '../folders/folder-access';
import { FIRST_FILTER_PARAMETER } from '../persistence/document.columns';
import { FILTERS } from '../persistence/document-view.repository';
import { DocumentView } from '../views/document-view';

const SHARED_BY_USER = `d.created_by = $${FIRST_FILTER_PARAMETER}::int and ${FILTERS.inFolder}
  and exists (select from document_permission p where p.context_id = $1 and p.document_id = d.id)`;

/** `shares`: the documents of the user that are shared by themselves. */
@Handles(infostore.shares)
export class SharesHandler implements Handler<typeof infostore.shares> {
  constructor(
    private readonly view: DocumentView,
    private readonly access: FolderAccess,
  ) {}

  handle({ principal, query, edge }: CallOf<typeof infostore.shares>) {
    return this.view.list(
      principal,
      query,
      { from: 0, maxRows: undefined },
      async (db) => ({
        folders: await this.access.listReadable(db, principal),
        filter: { where: SHARED_BY_USER, values: [principal.userId] },
      }),
      edge,
    );
  }
}
