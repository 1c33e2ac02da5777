import { FolderErrors, SYSTEM_FOLDERS, type OwnedFolder, type UserPrincipal } from '@groupware/contracts';
import { sharedParent, sharedParentOf, systemFolders } from './system-folders';
import { FOLDER_TYPE, type TreeFolder } from './tree-folder';

/** 0 the whole tree, 1 the flat one: everything at the top stands below the private folders. */
export type TreeId = '0' | '1';

/** The tree a request asks for; FLD-1031 for others. */
export function treeId(parameter: string | undefined): TreeId {
  if (parameter === undefined || parameter === '' || parameter === '0') return '0';
  if (parameter === '1') return '1';
  throw FolderErrors.unknownTree(parameter);
}

/** What a tree is built from. */
export interface TreeSource {
  readonly user: UserPrincipal;
  readonly locale: string;
  readonly tree: TreeId;
  readonly folders: readonly OwnedFolder[];
  /** Display names of users, as far as known. */
  readonly names: ReadonlyMap<number, string>;
}

/** The folders of one user, of all modules, in one tree. */
export class FolderTree {
  private readonly byId = new Map<string, TreeFolder>();
  private readonly children = new Map<string, TreeFolder[]>();

  constructor(private readonly source: TreeSource) {
    for (const folder of systemFolders(source.user, source.locale)) this.add(folder);
    const known = new Set(source.folders.map(({ id }) => id));
    for (const folder of source.folders) this.add(this.placed(folder, known));
    if (source.tree === '0') this.addSharedParents();
    for (const list of this.children.values()) list.sort(inOrder);
  }

  /** All folders that are no system folders. */
  get own(): TreeFolder[] {
    return [...this.byId.values()].filter(({ type }) => type !== FOLDER_TYPE.system);
  }

  /** FLD-0008 when the user sees no such folder. */
  get(id: string): TreeFolder {
    const folder = this.byId.get(id);
    if (!folder) throw FolderErrors.notFound(id);
    return folder;
  }

  find(id: string): TreeFolder | undefined {
    return this.byId.get(id);
  }

  /** Folders directly below one: system folders first, then the default ones, then by name. */
  below(id: string): readonly TreeFolder[] {
    return this.children.get(id) ?? [];
  }

  /** All folders below one, those nearest first. */
  descendants(id: string): TreeFolder[] {
    const found = new Set(this.below(id));
    // The set grows while it is walked; folders of several modules could stand in a circle for a moment.
    for (const folder of found) for (const child of this.below(folder.id)) found.add(child);
    return [...found];
  }

  /** The folder and those above it, up to the top. */
  path(id: string): TreeFolder[] {
    const path = new Set<TreeFolder>();
    for (let folder = this.find(id); folder && !path.has(folder); folder = this.find(folder.parent)) {
      if (folder.id === String(SYSTEM_FOLDERS.root)) break;
      path.add(folder);
    }
    return [...path];
  }

  /** The system folder below which a folder stands when no other one is above it. */
  topOf({ type, createdBy }: Pick<OwnedFolder, 'type' | 'createdBy'>): string {
    const { user, tree } = this.source;
    if (tree === '1') return String(SYSTEM_FOLDERS.private);
    return type === 1 && createdBy !== user.userId ? sharedParentOf(createdBy) : String(type);
  }

  private add(folder: TreeFolder): void {
    this.byId.set(folder.id, folder);
    const siblings = this.children.get(folder.parent);
    if (siblings) siblings.push(folder);
    else this.children.set(folder.parent, [folder]);
  }

  private placed(folder: OwnedFolder, known: ReadonlySet<number>): TreeFolder {
    const { user } = this.source;
    const shared = folder.type === 1 && folder.createdBy !== user.userId;
    const inside = known.has(folder.parent);
    return {
      id: String(folder.id),
      // A folder whose parent the user does not see stands at the top of its kind.
      parent: inside ? String(folder.parent) : this.topOf(folder),
      title: folder.title,
      module: folder.module,
      type: shared ? FOLDER_TYPE.shared : folder.type,
      createdBy: folder.createdBy,
      modifiedBy: folder.modifiedBy,
      created: folder.created,
      lastModified: folder.lastModified,
      changed: folder.changed,
      above: folder.parent,
      ownRights: folder.ownRights,
      permissions: folder.permissions,
      isDefault: folder.isDefault,
      subscribed: folder.subscribed,
      total: folder.total,
      properties: folder.properties,
    };
  }

  private addSharedParents(): void {
    const owners = new Set(
      this.own.filter(({ type }) => type === FOLDER_TYPE.shared).map(({ createdBy }) => createdBy),
    );
    for (const owner of owners) this.add(sharedParent(owner, this.source.names.get(owner) ?? String(owner)));
  }
}

function inOrder(left: TreeFolder, right: TreeFolder): number {
  const rank = ({ type, isDefault }: TreeFolder): number => (type === FOLDER_TYPE.system ? 0 : isDefault ? 1 : 2);
  return (
    rank(left) - rank(right) ||
    (left.type === FOLDER_TYPE.system && right.type === FOLDER_TYPE.system
      ? Number(left.id) - Number(right.id) || 0
      : left.title.localeCompare(right.title) || Number(left.id) - Number(right.id))
  );
}
