import { FOLDER_MODULES, SYSTEM_FOLDERS, type FolderModule, type OwnedFolder } from '@groupware/contracts';
import { CREATE_SUBFOLDERS, SEE_FOLDER, systemFolderName, TOP_FOLDERS } from './system-folders';

/** Types of folders on the wire, as one viewer sees them. */
export const FOLDER_TYPES = { private: 1, public: 2, shared: 3, system: 5 } as const;

/** A folder of the tree: owned, or virtual. Times are ms UTC. */
export interface FolderNode {
  /** Wire id: digits, or `u:<user>`. */
  readonly id: string;
  readonly parent: string;
  readonly title: string;
  /** Name of the module; `system` for virtual folders. */
  readonly module: FolderModule | 'system';
  readonly type: number;
  readonly ownRights: number;
  readonly subscribed: boolean;
  readonly lastModified: number;
  /** Set unless the folder is virtual. */
  readonly owned?: OwnedFolder;
}

/** Who looks at the tree. */
export interface Viewer {
  readonly userId: number;
  readonly locale: string;
  readonly mayCreatePublicFolders: boolean;
}

/** How the tree is arranged: `0` with one virtual folder per sharing user, `1` with shared folders directly below. */
export type TreeId = '0' | '1';

/** Id of the virtual folder that holds what a user shares. */
export const sharedParentId = (userId: number): string => `u:${userId}`;

/** The folders one user sees, arranged as a tree. */
export class FolderTree {
  private readonly nodes = new Map<string, FolderNode>();
  private readonly children = new Map<string, FolderNode[]>();

  /**
   * @param folders all folders of all owners that the viewer sees
   * @param nameOf display name of a user
   */
  constructor(
    folders: readonly OwnedFolder[],
    private readonly viewer: Viewer,
    tree: TreeId,
    nameOf: (userId: number) => string,
  ) {
    this.add(this.virtual(SYSTEM_FOLDERS.root, '', SEE_FOLDER, ''));
    for (const id of TOP_FOLDERS)
      this.add(
        this.virtual(id, String(SYSTEM_FOLDERS.root), this.rightsOnTop(id), systemFolderName(id, viewer.locale)),
      );
    const known = new Set(folders.map((folder) => folder.id));
    for (const folder of folders) {
      const type = this.typeOf(folder);
      const parent = this.parentOf(folder, type, known, tree);
      if (parent.startsWith('u:') && !this.nodes.has(parent))
        this.add(this.virtual(parent, String(SYSTEM_FOLDERS.shared), SEE_FOLDER, nameOf(folder.createdBy)));
      this.add({
        id: String(folder.id),
        parent,
        title: folder.title,
        module: folder.module,
        type,
        ownRights: folder.ownRights,
        subscribed: folder.subscribed,
        lastModified: folder.lastModified,
        owned: folder,
      });
    }
    for (const siblings of this.children.values()) siblings.sort(inOrder);
  }

  get(id: string): FolderNode | undefined {
    return this.nodes.get(id);
  }

  /** Every folder that is not virtual. */
  get all(): FolderNode[] {
    return [...this.nodes.values()].filter((node) => node.owned).sort(inOrder);
  }

  /** Folders directly below one, in their order. */
  below(id: string): readonly FolderNode[] {
    return this.children.get(id) ?? [];
  }

  /** The folder and those above it, the root left out. */
  pathOf(id: string): FolderNode[] {
    const path: FolderNode[] = [];
    // Bounded by the number of folders: a damaged tree must not turn into an endless walk.
    for (let node = this.nodes.get(id); node && path.length <= this.nodes.size; node = this.nodes.get(node.parent))
      if (node.id !== String(SYSTEM_FOLDERS.root)) path.push(node);
    return path;
  }

  private add(node: FolderNode): void {
    this.nodes.set(node.id, node);
    const siblings = this.children.get(node.parent);
    if (siblings) siblings.push(node);
    else this.children.set(node.parent, [node]);
  }

  private typeOf(folder: OwnedFolder): number {
    if (folder.type === FOLDER_TYPES.public) return FOLDER_TYPES.public;
    return folder.createdBy === this.viewer.userId ? FOLDER_TYPES.private : FOLDER_TYPES.shared;
  }

  private parentOf(folder: OwnedFolder, type: number, known: ReadonlySet<number>, tree: TreeId): string {
    if (known.has(folder.parent)) return String(folder.parent);
    if (type === FOLDER_TYPES.private) return String(SYSTEM_FOLDERS.private);
    if (type === FOLDER_TYPES.public) return String(SYSTEM_FOLDERS.public);
    return tree === '1' ? String(SYSTEM_FOLDERS.shared) : sharedParentId(folder.createdBy);
  }

  private rightsOnTop(id: number): number {
    if (id === SYSTEM_FOLDERS.private) return CREATE_SUBFOLDERS;
    if (id === SYSTEM_FOLDERS.public && this.viewer.mayCreatePublicFolders) return CREATE_SUBFOLDERS;
    return SEE_FOLDER;
  }

  private virtual(id: number | string, parent: string, ownRights: number, title: string): FolderNode {
    return {
      id: String(id),
      parent,
      title,
      module: 'system',
      type: FOLDER_TYPES.system,
      ownRights,
      subscribed: true,
      lastModified: 0,
    };
  }
}

/** Virtual folders by id, default folders first, the rest by module and name. */
function inOrder(a: FolderNode, b: FolderNode): number {
  if (!a.owned || !b.owned) return Number(Boolean(a.owned)) - Number(Boolean(b.owned)) || a.id.localeCompare(b.id);
  return (
    FOLDER_MODULES[a.owned.module] - FOLDER_MODULES[b.owned.module] ||
    Number(b.owned.isDefault) - Number(a.owned.isDefault) ||
    a.title.localeCompare(b.title) ||
    a.owned.id - b.owned.id
  );
}
