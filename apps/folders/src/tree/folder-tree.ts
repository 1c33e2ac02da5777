import {
  FolderErrors,
  LOWEST_FOLDER_ID,
  parseFolderAddress,
  SYSTEM_FOLDERS,
  type LostFolder,
  type OwnedFolder,
  type UserPrincipal,
} from '@groupware/contracts';
import { collatorOf, pauseAfterTurn, sortInSlices } from '@groupware/service-kit';
import {
  createOrphanParents,
  createSharedParent,
  createSystemFolders,
  findOrphanParent,
  findRawName,
  toSharedParentId,
} from '../domain/system-folders';
import { FOLDER_TYPE, type TreeFolder } from '../domain/tree-folder';

/**
 * 0 the full tree; 1 the flat one, in which folders without visible parent stand directly below 1, 2 and 3, those of the
 * primary mailbox below 1 instead of its root, and the user's default folder of files below 9. Both have files without visible
 * parent below 14.
 */
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
  /** The folders of the tree, or of the part of it that a call needs; each once. */
  readonly folders: readonly OwnedFolder[];
  /** Display names of users, as far as known. */
  readonly names: ReadonlyMap<number, string>;
}

/** Place of a folder, as far as its top depends on it. */
type Place = Pick<OwnedFolder, 'type' | 'createdBy' | 'module' | 'parent'>;

/** Folders of a user, of all modules, in one tree or a part of it. */
export class FolderTree {
  private readonly byId = new Map<string, TreeFolder>();
  private readonly children = new Map<string, TreeFolder[]>();
  /** Folders at the top that have folders somewhere below them, with whether one of these is subscribed. */
  private readonly tops = new Map<string, boolean>();

  private constructor(private readonly source: TreeSource) {}

  /** Builds a tree. Users may have thousands of folders: others have their turn meanwhile. */
  static async build(source: TreeSource): Promise<FolderTree> {
    const tree = new FolderTree(source);
    for (const folder of createSystemFolders(source.user, source.locale, source.altNames)) tree.addFolder(folder);
    const known = new Set<string>();
    for (const { id } of source.folders) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      known.add(String(id));
    }
    for (const folder of source.folders) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      tree.addStored(folder, known);
    }
    tree.addVirtualFolders();
    const compare = orderOfFolders(source.user);
    for (const [id, list] of tree.children) tree.children.set(id, await sortInSlices(list, compare));
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
    // The root that the flat tree does not show can still be asked for.
    if (id === PRIMARY_MAIL_ROOT && this.source.tree === '1')
      return this.listChildren(PRIVATE).filter(({ above }) => above === PRIMARY_MAIL_ROOT);
    return this.children.get(id) ?? [];
  }

  /** Whether a folder has folders below it, in the tree or, of a part, as its owner says. */
  hasSubfolders({ id, hasSubfolders }: TreeFolder): boolean {
    return Boolean(hasSubfolders) || this.tops.has(id) || this.listChildren(id).length > 0;
  }

  /** Whether one of them is subscribed. */
  hasSubscribedSubfolders({ id, hasSubscribedSubfolders }: TreeFolder): boolean {
    return (
      Boolean(hasSubscribedSubfolders) ||
      Boolean(this.tops.get(id)) ||
      this.listChildren(id).some(({ subscribed }) => subscribed)
    );
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
  resolveTop(place: Place | LostFolder): string {
    const { user, tree } = this.source;
    if (place.type === 1) {
      if (place.createdBy === user.userId) return String(SYSTEM_FOLDERS.private);
      return tree === '0' ? toSharedParentId(place.createdBy) : String(SYSTEM_FOLDERS.shared);
    }
    const orphans = 'module' in place ? findOrphanParent(place.module, tree === '1') : undefined;
    return orphans === undefined || place.parent === SYSTEM_FOLDERS.public
      ? String(SYSTEM_FOLDERS.public)
      : String(orphans);
  }

  private addFolder(folder: TreeFolder): void {
    this.byId.set(folder.id, folder);
    if (folder.id === PRIMARY_MAIL_ROOT && this.source.tree === '1') return;
    const siblings = this.children.get(folder.parent);
    if (siblings) siblings.push(folder);
    else this.children.set(folder.parent, [folder]);
  }

  private addStored(folder: OwnedFolder, known: ReadonlySet<string>): void {
    const { user } = this.source;
    const shared = folder.type === 1 && folder.createdBy !== user.userId;
    const above = String(folder.parent);
    const isInside =
      known.has(above) ||
      (isSystemId(folder.parent) && !shared) ||
      (folder.isBelowVisible === true && parseFolderAddress(above)?.module === folder.module);
    this.addFolder({
      id: String(folder.id),
      // A folder with an invisible parent stands at the root of its kind.
      parent: isInside ? this.resolveParent(above, folder) : this.resolveTop(folder),
      title: folder.title,
      rawName: findRawName(folder.id),
      module: folder.module,
      type: folder.shownType ?? (shared ? FOLDER_TYPE.shared : folder.type),
      createdBy: folder.createdBy,
      modifiedBy: folder.modifiedBy,
      created: folder.created,
      lastModified: folder.lastModified,
      changed: folder.changed,
      above,
      place: folder,
      ownRights: folder.ownRights,
      permissions: folder.permissions,
      isDefault: folder.isDefault,
      subscribed: folder.subscribed,
      counts: folder.counts,
      capabilities: folder.capabilities,
      properties: folder.properties,
      meta: folder.meta,
      origin: folder.origin,
      usedForSync: folder.usedForSync,
      hasSubfolders: folder.hasSubfolders,
      hasSubscribedSubfolders: folder.hasSubscribedSubfolders,
    });
    if (isSystemId(folder.id)) return;
    if (folder.module !== 'infostore') this.noteTop(String(shared ? SYSTEM_FOLDERS.shared : folder.type), folder);
    if (shared) this.noteTop(toSharedParentId(folder.createdBy), folder);
  }

  private resolveParent(above: string, { module, isDefault }: OwnedFolder): string {
    if (this.source.tree === '0') return above;
    if (above === PRIMARY_MAIL_ROOT) return PRIVATE;
    return module === 'infostore' && isDefault ? String(SYSTEM_FOLDERS.infostore) : above;
  }

  private noteTop(id: string, { subscribed }: OwnedFolder): void {
    this.tops.set(id, subscribed || (this.tops.get(id) ?? false));
  }

  /** Adds the virtual folders of users who share, and those of public folders whose parents are invisible. */
  private addVirtualFolders(): void {
    const { tree, names, locale } = this.source;
    const owners = new Set<number>();
    if (tree === '0')
      for (const folder of this.byId.values()) if (folder.type === FOLDER_TYPE.shared) owners.add(folder.createdBy);
    for (const owner of owners) this.addFolder(createSharedParent(owner, names.get(owner) ?? String(owner)));
    for (const folder of createOrphanParents(locale, tree === '1'))
      if (this.children.has(folder.id)) this.addFolder(folder);
      else this.byId.set(folder.id, folder);
  }
}

const PRIVATE = String(SYSTEM_FOLDERS.private);
/** Root of the primary mailbox. */
const PRIMARY_MAIL_ROOT = 'default0';

/** System folders of modules are never orphans: their place is part of the tree. */
const isSystemId = (id: OwnedFolder['id']): boolean => Number(id) < LOWEST_FOLDER_ID;

/** Makes the order of lists for a user: system folders by id, default ones by module, the others by name in the user's language. */
export function orderOfFolders({ locale }: Pick<UserPrincipal, 'locale'>) {
  const collator = collatorOf(locale);
  const compareNames = (left: TreeFolder, right: TreeFolder): number =>
    collator.compare(left.title, right.title) || Number(left.id) - Number(right.id) || 0;
  return (left: TreeFolder, right: TreeFolder): number => {
    const rank = rankOf(left);
    if (rank !== rankOf(right)) return rank - rankOf(right);
    if (rank === 0 && !/^u:/.test(left.id)) return Number(left.id) - Number(right.id) || 0;
    const byModule = rank === 1 ? DEFAULT_ORDER.indexOf(left.module) - DEFAULT_ORDER.indexOf(right.module) : 0;
    return byModule || compareNames(left, right);
  };
}

/** System folders stand before default ones, and those before all others. */
const rankOf = ({ type, isDefault }: TreeFolder): number => (type === FOLDER_TYPE.system ? 0 : isDefault ? 1 : 2);

const DEFAULT_ORDER = ['mail', 'calendar', 'contacts', 'tasks', 'infostore'];
