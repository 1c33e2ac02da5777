import {
  FOLDER_RIGHTS,
  waiveCheck,
  folders,
  reply,
  type CallOf,
  type Handler,
  type OwnedFolder,
  type UserPrincipal,
  type VisibleFolders,
} from '@groupware/contracts';
import { Handles, sortInSlices, toJsonLists } from '@groupware/service-kit';
import { parseContentType } from '../domain/content-types';
import { demandsOf, limitFolders, toFolderRows, warnOfMissing } from '../tree/folder-wire';
import { orderOfFolders } from '../tree/folder-tree';
import { allOf } from '../tree/tree-parts';
import { TreeLoader } from '../tree/tree-loader';

/** `allVisible`: lists all folders of a module, by kind. */
@Handles(folders.allVisible)
export class AllVisibleHandler implements Handler<typeof folders.allVisible> {
  constructor(private readonly trees: TreeLoader) {}

  async handle(call: CallOf<typeof folders.allVisible>) {
    const fields = await this.trees.resolveColumns(call, call.query.columns);
    const module = parseContentType(call.query.content_type);
    if (!module) {
      waiveCheck(FOLDER_RIGHTS.decidedByOwner, 'no module has such folders');
      return {};
    }
    const view = await this.trees.loadView(call, call.query, {
      part: allOf(module),
      following: true,
      ...demandsOf(fields),
    });
    const found = view.tree.storedFolders.filter(
      (folder) => folder.module === module && view.hasKnownId(folder) && (call.query.all || folder.subscribed),
    );
    const { listed, warnings } = limitFolders(await sortInSlices(found, orderOfFolders(call.principal)), view);
    const kinds: Record<string, unknown[][]> = {};
    for (const kind of ['private', 'public', 'shared'] as const) {
      const rows = await toFolderRows(
        listed.filter(({ place }) => place && kindOf(place, call.principal) === kind),
        fields,
        view,
      );
      if (rows.length > 0) kinds[kind] = rows;
    }
    return reply<VisibleFolders>(toJsonLists(kinds), {
      timestamp: view.stamp,
      warnings: [...(view.missing.has(module) ? warnOfMissing(view) : []), ...warnings],
    });
  }
}

/** Private folders of others are shared ones; a trash is of the kind of what was thrown into it. */
const kindOf = ({ type, createdBy }: OwnedFolder, { userId }: UserPrincipal): keyof VisibleFolders =>
  type === 2 ? 'public' : createdBy === userId ? 'private' : 'shared';
