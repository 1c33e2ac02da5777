import { folders, FolderErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Owners } from '../owners';
import { ownerOfSharedParent } from '../tree/system-folders';
import { folderRows } from '../tree/folder-wire';
import { changesBelow } from '../tree/tree-changes';
import { TreeLoader } from '../tree/tree-loader';

/**
 * `updates`: rows of folders below one that are new or changed since a timestamp, and ids (text) of those that are gone.
 * Stamps are given in the order of commits, so nothing that is committed later has a stamp below the answered one.
 */
@Handles(folders.updates)
export class UpdatesHandler implements Handler<typeof folders.updates> {
  constructor(
    private readonly trees: TreeLoader,
    private readonly owners: Owners,
  ) {}

  async handle(call: CallOf<typeof folders.updates>) {
    const { parent, all, ignore } = call.query;
    if (ignore !== undefined && ignore !== '' && ignore !== 'deleted')
      throw FolderErrors.badParameter('ignore', ignore);
    const fields = await this.trees.columns(call, call.query.columns);
    const since = Math.min(Math.max(call.query.timestamp, 0), Number.MAX_SAFE_INTEGER);
    const view = await this.trees.load(call, call.query, true);
    // Its owner says why it is not there. Somebody who shares nothing any more is asked about what he shared.
    if (!view.tree.find(parent) && ownerOfSharedParent(parent) === undefined) await this.owners.folder(call, parent);
    const lost = await this.owners.lost(call, since);
    const { changed, gone } = changesBelow(view.tree, parent, since, lost, (folder) =>
      Boolean(view.isAllowed(folder) && (all || folder.subscribed)),
    );
    const rows: unknown[] = folderRows(changed, fields, view);
    if (ignore !== 'deleted') rows.push(...gone);
    return reply(rows as unknown[][], { timestamp: Math.max(since, view.stamp) });
  }
}
