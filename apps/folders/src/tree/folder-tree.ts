import {
  FolderErrors,
  LOWEST_FOLDER_ID,
  SYSTEM_FOLDERS,
  type OwnedFolder,
  type UserPrincipal,
} from '@groupware/contracts';
import { pauseAfterTurn } from '@groupware/service-kit';
import { createSharedParent, toSharedParentId, createSystemFolders } from '../domain/system-folders';
import { FOLDER_TYPE, type TreeFolder } from '../domain/tree-folder';

/** 0 the full tree, 1 the flat one: all root folders stand below the private folders. */
export type TreeId = '0' | '1';

/** Parses the tree of a request. @throws FLD-1031 for unknown trees */
export function parseTreeId(parameter: string | undefined): TreeId {
  if (parameter === undefined || parameter === '' || parameter === '0') return '0';
  if (parameter === '1') return '1';
  throw FolderErrors.unknownTree(parameter);
}

/** Input of a tree. */
export interface TreeSource {
  readonly user: UserPrincipal;
  readonly locale: string;
  readonly tree: TreeId;
  /** Shorter names of the folders at the top. */
  readonly altNames?: boolean;
  readonly folders: readonly OwnedFolder[];
  /** Display names of users, as far as known. */
  readonly names: ReadonlyMap<number, string>;
}

/** Folders of a user, of all modules, in one tree. */
export class FolderTree {
  private readonly byId = new Map<string, TreeFolder>();
  private readonly children = new Map<string, TreeFolder[]>();

  private constructor(private readonly source: TreeSource) {}

  /** Builds a tree. Users may have thousands of folders: others have their turn meanwhile. */
  static async build(source: TreeSource): Promise<FolderTree> {
    const tree = new FolderTree(source);
    for (const folder of createSystemFolders(source.user, source.locale, source.altNames)) tree.addFolder(folder);
    const known = new Set(source.folders.map(({ id }) => String(id)));
    for (const folder of source.folders) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      tree.addFolder(tree.toTreeFolder(folder, known));
    }
    if (source.tree === '0') tree.addSharedParents();
    for (const list of tree.children.values()) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      list.sort(compareFolders);
    }
    return tree;
  }

  /** All folders of modules but those that only have folders below them. */
  get storedFolders(): TreeFolder[] {
    return [...this.byId.values()].filter(({ type }) => type !== FOLDER_TYPE.system);
  }

  /** Gets a folder. @throws FLD-0008 when it is not visible */
  getFolder(id: string): TreeFolder {
    const folder = this.byId.get(id);
    if (!folder) throw FolderErrors.notFound(id);
    return folder;
  }

  findFolder(id: string): TreeFolder | undefined {
    return this.byId.get(id);
  }

  /** Lists children: system folders first, then default ones, then by name. */
  listChildren(id: string): readonly TreeFolder[] {
    return this.children.get(id) ?? [];
  }

  /** Lists descendants, nearest first. */
  listDescendants(id: string): TreeFolder[] {
    const found = new Set(this.listChildren(id));
    // A Set visits members added meanwhile, and terminates on temporary cycles across modules.
    for (const folder of found) for (const child of this.listChildren(folder.id)) found.add(child);
    return [...found];
  }

  /** Lists a folder and its ancestors up to the root. */
  listPath(id: string): TreeFolder[] {
    const path = new Set<TreeFolder>();
    for (let folder = this.findFolder(id); folder && !path.has(folder); folder = this.findFolder(folder.parent)) {
      if (folder.id === String(SYSTEM_FOLDERS.root)) break;
      path.add(folder);
    }
    return [...path];
  }

  /** Resolves the system folder above a folder without visible parent. */
  resolveTop({ type, createdBy }: Pick<OwnedFolder, 'type' | 'createdBy'>): string {
    const { user, tree } = this.source;
    if (tree === '1') return String(SYSTEM_FOLDERS.private);
    return type === 1 && createdBy !== user.userId ? toSharedParentId(createdBy) : String(type);
  }

  private addFolder(folder: TreeFolder): void {
    this.byId.set(folder.id, folder);
    const siblings = this.children.get(folder.parent);
    if (siblings) siblings.push(folder);
    else this.children.set(folder.parent, [folder]);
  }

  private toTreeFolder(folder: OwnedFolder, known: ReadonlySet<string>): TreeFolder {
    const { user } = this.source;
    const shared = folder.type === 1 && folder.createdBy !== user.userId;
    const above = String(folder.parent);
    const inside = known.has(above) || (isSystemFolder(folder) && this.byId.has(above));
    return {
      id: String(folder.id),
      // A folder with an invisible parent stands at the root of its kind.
      parent: inside ? above : this.resolveTop(folder),
      title: folder.title,
      module: folder.module,
      type: folder.shownType ?? (shared ? FOLDER_TYPE.shared : folder.type),
      createdBy: folder.createdBy,
      modifiedBy: folder.modifiedBy,
      created: folder.created,
      lastModified: folder.lastModified,
      changed: folder.changed,
      above,
      ownRights: folder.ownRights,
      permissions: folder.permissions,
      isDefault: folder.isDefault,
      subscribed: folder.subscribed,
      counts: folder.counts,
      capabilities: folder.capabilities,
      properties: folder.properties,
    };
  }

  private addSharedParents(): void {
    const owners = new Set(
      this.storedFolders.filter(({ type }) => type === FOLDER_TYPE.shared).map(({ createdBy }) => createdBy),
    );
    for (const owner of owners)
      this.addFolder(createSharedParent(owner, this.source.names.get(owner) ?? String(owner)));
  }
}

/** System folders of modules are never orphans: their place is part of the tree. */
const isSystemFolder = ({ id }: OwnedFolder): boolean => Number(id) < LOWEST_FOLDER_ID;

const collator = new Intl.Collator();

/** Compares names as people read them. */
export const compareTitles = (left: Pick<TreeFolder, 'title'>, right: Pick<TreeFolder, 'title'>): number =>
  collator.compare(left.title, right.title);

function compareFolders(left: TreeFolder, right: TreeFolder): number {
  const rank = ({ type, isDefault }: TreeFolder): number => (type === FOLDER_TYPE.system ? 0 : isDefault ? 1 : 2);
  return (
    rank(left) - rank(right) ||
    (left.type === FOLDER_TYPE.system && right.type === FOLDER_TYPE.system
      ? Number(left.id) - Number(right.id) || 0
      : compareTitles(left, right) || Number(left.id) - Number(right.id))
  );
}
