import { folders, FolderErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles, toJsonList } from '@groupware/service-kit';
import { Owners } from '../owners/owners';
import { toTreeId } from '../domain/content-types';
import { parseSharedParentId } from '../domain/system-folders';
import { demandsOf, toFolderRows, warnOfMissing } from '../tree/folder-wire';
import { findChanges } from '../tree/tree-changes';
import { changes } from '../tree/tree-parts';
import type { TreeFolder } from '../domain/tree-folder';
import { TreeLoader } from '../tree/tree-loader';

/**
 * `updates`: lists folders below one that changed since a timestamp as rows, and ids (text) of removed ones. Stamps
 * follow commit order, so later commits never have a lower stamp than the answered one.
 */
@Handles(folders.updates)
export class UpdatesHandler implements Handler<typeof folders.updates> {
  constructor(
    private readonly trees: TreeLoader,
    private readonly owners: Owners,
  ) {}

  async handle(call: CallOf<typeof folders.updates>) {
    const { all, ignore } = call.query;
    const parent = call.query.parent === undefined ? undefined : toTreeId(call.query.parent);
    if (ignore !== undefined && ignore !== '' && ignore !== 'deleted')
      throw FolderErrors.badParameter('ignore', ignore);
    const fields = await this.trees.resolveColumns(call, call.query.columns);
    const since = Math.min(Math.max(call.query.timestamp, 0), Number.MAX_SAFE_INTEGER);
    const options = { following: true, ...demandsOf(fields) };
    let view = await this.trees.loadView(call, call.query, { ...options, part: changes(since, parent === '3') });
    // The owner answers why it is missing. The virtual folder of a user without shares remains valid for its former
    // content.
    if (parent !== undefined && !view.tree.findFolder(parent) && parseSharedParentId(parent) === undefined)
      await this.owners.getFolder(call, parent);
    let lost = await this.owners.listLost(call, since);
    // Only who is told of shared folders must know who still shares some.
    const isShared = ({ type, createdBy }: { type: number; createdBy: number }) =>
      type === 1 && createdBy !== call.principal.userId;
    const isSharedFolder = ({ place }: TreeFolder) => place !== undefined && isShared(place);
    if (parent === undefined && (lost.places.some(isShared) || view.tree.storedFolders.some(isSharedFolder))) {
      view = await this.trees.loadView(call, call.query, { ...options, part: changes(since, true) });
      lost = await this.owners.listLost(call, since);
    }
    const { changed, gone } = findChanges(view.tree, parent, since, lost.places, (folder) =>
      Boolean(view.isAllowed(folder) && (all || folder.subscribed)),
    );
    const rows: unknown[] = await toFolderRows(changed, fields, view);
    // Folders of modules that the client leaves out are not gone.
    const isLeftOut = (id: string): boolean => {
      const folder = view.tree.findFolder(id);
      return folder !== undefined && !view.isAllowed(folder);
    };
    if (ignore !== 'deleted') rows.push(...gone.filter((id) => !isLeftOut(id)).map((id) => view.form.toWireId(id)));
    // Changes in a module that does not answer are asked for again.
    const isComplete = view.missing.size === 0 && lost.isComplete;
    return reply<unknown[][]>(toJsonList(rows as unknown[][]), {
      timestamp: isComplete ? Math.max(since, view.stamp) : since,
      warnings: warnOfMissing(view),
    });
  }
}
