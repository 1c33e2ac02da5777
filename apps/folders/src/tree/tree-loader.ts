import { Injectable } from '@nestjs/common';
import {
  ALL_GUESTS,
  CatalogueError,
  FolderErrors,
  LOWEST_FOLDER_ID,
  parseFolderAddress,
  RequestErrors,
  type FolderAddress,
  type FolderModule,
  localText,
  UNKNOWN_COLUMNS,
  type DirectoryGuest,
  type DirectoryUser,
  type FieldDescription,
  type OwnedFolder,
} from '@groupware/contracts';
import { Directory, listContacts, toContactFacts, type ContactFacts } from '@groupware/directory';
import { Caller } from '@groupware/messaging';
import { BasePathSettings, pauseAfterTurn, Properties } from '@groupware/service-kit';
import { isAway } from '../owners/listing-calls';
import { Owners, type FolderRequest, type ListingPlan, type VisibleFolders } from '../owners/owners';
import { IdForm, parseAllowedModules, type IdFormParameters } from '../domain/content-types';
import { zoneOf } from '../domain/request-zone';
import type { TreeFolder } from '../domain/tree-folder';
import { FoldersSettings } from '../folders.config';
import { ShareAddresses } from '../sharing/share-addresses';
import { FolderTree, parseTreeId, type TreeId } from './folder-tree';
import { paths, together } from './tree-parts';
import { resolveColumns, type FolderView } from './folder-wire';

/** Parameters of all folder calls. */
export interface TreeParameters extends IdFormParameters {
  readonly tree?: string;
  readonly language?: string;
  readonly timezone?: string;
  readonly altNames?: boolean;
}

/** How much of the tree a call needs. */
export interface ViewOptions {
  /** The parts of the tree to ask a module for; default: all of it. */
  readonly part?: ListingPlan;
  /** The client may request updates since the stamp, see {@link Owners.listVisible}. */
  readonly following?: boolean;
  /** Also the numbers of objects. */
  readonly counts?: boolean;
  /** Also permission entries that modules must read elsewhere. */
  readonly permissions?: boolean;
  /** Also contact data of people in permission lists, and the addresses of shares. */
  readonly people?: boolean;
}

/** Builds the tree of a user from the folders of all modules. */
@Injectable()
export class TreeLoader {
  constructor(
    private readonly owners: Owners,
    private readonly directory: Directory,
    private readonly properties: Properties,
    private readonly config: FoldersSettings,
    private readonly caller: Caller,
    private readonly base: BasePathSettings,
    private readonly addresses: ShareAddresses,
  ) {}

  /** Resolves requested columns; unknown numbers are empty or FLD-0059, as configured, unknown names always FLD-0059. */
  async resolveColumns({ principal }: FolderRequest, columns: readonly string[]): Promise<FieldDescription[]> {
    const { fields, unknown } = resolveColumns(columns);
    if (
      unknown !== undefined &&
      (!/^\d+$/.test(unknown) || (await this.properties.get(UNKNOWN_COLUMNS, principal)) === 'reject')
    )
      throw FolderErrors.unknownField(unknown);
    return fields;
  }

  /** Loads the view of the requested tree, or of the part of it that the options tell. */
  async loadView(request: FolderRequest, parameters: TreeParameters, options: ViewOptions = {}): Promise<FolderView> {
    const tree = parseTreeId(parameters.tree);
    const { principal } = request;
    const zone = zoneOf(principal, parameters.timezone);
    const allowed = parseAllowedModules(parameters.allowed_modules);
    const form = IdForm.fromParameters(parameters);
    const locale = parameters.language || principal.locale;
    const { folders, stamp, missing } = await this.loadFolders(request, { tree, form, locale }, options);
    const { names, guests, users } = await this.loadPeople(request, folders, locale);
    const [contacts, addressOf] = options.people
      ? await Promise.all([this.loadContacts(request, users), this.addresses.loadAddresses(request, folders, guests)])
      : [];
    // Accounts have no other id than one that only clients of `event` know.
    const hasKnownId = ({ module, place }: TreeFolder): boolean => !place?.account || form.isComposite(module);
    return {
      tree: await FolderTree.build({ user: principal, locale, tree, altNames: parameters.altNames, folders, names }),
      zone,
      names,
      guests,
      contacts,
      addressOf,
      userId: principal.userId,
      viewedByGuest: principal.guest ? principal.userId : undefined,
      form,
      stamp,
      maxListed: this.config.maxListed,
      missing,
      hasStrays: folders.some(isStray),
      locale,
      isAllowed: (folder) =>
        folder.module === 'system' || ((!allowed || allowed.has(folder.module)) && hasKnownId(folder)),
      hasKnownId,
    };
  }

  /**
   * Loads a view that shows a folder. An owner that was slower than a branch is waited for is asked for the folder alone, and once it
   * answered, for its branch again.
   * @throws what the owner says of a folder that is not visible, or of its branch, as that of a server elsewhere that is down;
   *   SVL-0032 when the owner does not answer for its branch all the same
   */
  async loadViewOf(request: FolderRequest, id: string, load: () => Promise<FolderView>): Promise<FolderView> {
    const view = await load();
    if (view.tree.findFolder(id)) return view;
    const { module } = await this.owners.getFolder(request, id);
    if (!view.missing.has(module)) return view;
    requireNoReason(view, module);
    const complete = await load();
    if (!complete.missing.has(module)) return complete;
    requireNoReason(complete, module);
    throw RequestErrors.serviceUnavailable(module);
  }

  /**
   * Loads folders with all above them. The modules ask for their own alone: where a path leads from one module into another,
   * which is rare, the whole tree is loaded.
   */
  async loadPaths(
    request: FolderRequest,
    parameters: TreeParameters,
    ids: readonly string[],
    { part = () => [], ...options }: ViewOptions = {},
  ): Promise<FolderView> {
    const view = await this.loadView(request, parameters, { ...options, part: together(paths(ids), part) });
    const crosses = ids.some((id) => view.tree.listPath(id).some(({ place }) => place && isStray(place)));
    return crosses ? this.loadView(request, parameters, options) : view;
  }

  /** Loads folders of all modules, each once. */
  private async loadFolders(
    request: FolderRequest,
    { tree, form, locale }: { readonly tree: TreeId; readonly form: IdForm; readonly locale: string },
    { part, following = false, counts = false, permissions = false }: ViewOptions,
  ): Promise<VisibleFolders> {
    const plan: ListingPlan = (module) =>
      (part?.(module) ?? [{}]).map((listing) => ({
        ...listing,
        ...(counts && { counts }),
        ...(permissions && { permissions }),
        ...(form.isComposite(module) && { accounts: true }),
        ...(tree === '1' && { flat: true }),
        ...(locale !== request.principal.locale && { locale }),
      }));
    const found = await this.owners.listVisible(request, plan, following);
    const byId = new Map<string, OwnedFolder>();
    await addAll(byId, found.folders);
    const parents = part ? await listUnknownParents(byId) : [];
    if (parents.length > 0) {
      // Few folders stand below those of other modules, which alone know whether the user sees them.
      const listing = (module: FolderModule) => {
        const ids = parents.filter((parent) => parent.module === module).map(({ key }) => key);
        return ids.length > 0 ? [{ ids }] : [];
      };
      const above = await this.owners.listVisible(request, listing, false);
      for (const folder of above.folders) if (!byId.has(String(folder.id))) byId.set(String(folder.id), folder);
    }
    return { ...found, folders: [...byId.values()] };
  }

  /** Loads display names and guests of all owners and permission entries. */
  private async loadPeople(request: FolderRequest, folders: readonly OwnedFolder[], locale: string) {
    const { principal } = request;
    const ids = new Set<number>();
    for (const { createdBy, modifiedBy, permissions } of folders) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      ids.add(createdBy).add(modifiedBy);
      for (const { entity } of permissions) ids.add(entity);
    }
    for (const known of [0, ALL_GUESTS, ...(principal.guest ? [] : [principal.userId])]) ids.delete(known);
    const users: Pick<DirectoryUser, 'id' | 'email'>[] = principal.guest
      ? []
      : [{ id: principal.userId, email: principal.email }];
    const names = new Map([
      [principal.userId, principal.displayName],
      [ALL_GUESTS, localText('folder.guests', locale)],
    ]);
    const guests = new Map<number, DirectoryGuest>();
    if (ids.size > 0)
      for (const [id, entity] of await this.directory.getEntities(principal, ids)) {
        names.set(id, entity.displayName);
        if (entity.kind === 'guest') guests.set(id, entity);
        if (entity.kind === 'user') users.push(entity);
      }
    return { names, guests, users };
  }

  /** Loads contact data of users, by id. */
  private async loadContacts(
    { principal }: FolderRequest,
    users: readonly Pick<DirectoryUser, 'id' | 'email'>[],
  ): Promise<ReadonlyMap<number, ContactFacts>> {
    if (users.length === 0) return new Map();
    const ids = users.map(({ id }) => id);
    const found = await listContacts(this.caller, 'folders', principal, ids);
    const basePath = this.base.basePaths()[0] ?? '';
    return new Map(users.map((user) => [user.id, toContactFacts(user, found.get(user.id), basePath)]));
  }
}

/** @throws what a module answered in place of its branch */
function requireNoReason({ missing }: FolderView, module: FolderModule): void {
  const failure = missing.get(module);
  if (failure instanceof CatalogueError && !isAway(failure)) throw failure;
}

/** Whether a folder stands below one of another module. */
const isStray = ({ module, parent }: Pick<OwnedFolder, 'module' | 'parent'>): boolean =>
  !(Number(parent) < LOWEST_FOLDER_ID) && parseFolderAddress(String(parent))?.module !== module;

/** Adds folders by id; later ones replace earlier ones. */
async function addAll(byId: Map<string, OwnedFolder>, folders: readonly OwnedFolder[]): Promise<void> {
  for (const folder of folders) {
    const turn = pauseAfterTurn();
    if (turn) await turn;
    byId.set(String(folder.id), folder);
  }
}

/** Lists the parents of folders below those of other modules, as far as they are not known. */
async function listUnknownParents(byId: ReadonlyMap<string, OwnedFolder>): Promise<FolderAddress[]> {
  const unknown = new Map<string, FolderAddress>();
  for (const { module, parent } of byId.values()) {
    const turn = pauseAfterTurn();
    if (turn) await turn;
    const id = String(parent);
    if (Number(parent) < LOWEST_FOLDER_ID || byId.has(id)) continue;
    const address = parseFolderAddress(id);
    if (address && isStray({ module, parent })) unknown.set(id, address);
  }
  return [...unknown.values()];
}
