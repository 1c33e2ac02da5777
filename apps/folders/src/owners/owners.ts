import { Injectable } from '@nestjs/common';
import {
  FOLDER_RIGHTS,
  recordCheck,
  CatalogueError,
  isCatalogueError,
  errorByKey,
  FolderErrors,
  folderOwners,
  folderCapability,
  isStorageFolderId,
  opensFolders,
  parseFolderAddress,
  parseJsonInSlices,
  RequestErrors,
  requireFolderScope,
  type AppAccessMode,
  type FolderKey,
  type EdgeRequest,
  type FolderModule,
  type FolderOwner,
  type LostFolder,
  type OwnedFolder,
  type OwnedFolderListing,
  type OwnedFoldersDone,
  type UserRequest,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Clock, describeError, Logger, pauseAfterTurn } from '@groupware/service-kit';
import { FoldersSettings } from '../folders.config';
import { isLeftOut } from '../domain/content-types';
import { parseSharedParentId } from '../domain/system-folders';
import { ListingCalls, type ListedParts } from './listing-calls';

/** A client request, as far as outgoing calls need it. */
export interface FolderRequest extends UserRequest {
  readonly query: object;
  readonly edge?: EdgeRequest;
}

/** A module that owns folders, with its contract. */
export interface Owner {
  readonly module: FolderModule;
  readonly contract: FolderOwner;
}

/** The owner of a folder, with the id that it knows. */
export interface FolderOwnership extends Owner {
  readonly key: FolderKey;
}

/** Folders of all modules visible to a user. */
export interface VisibleFolders {
  readonly folders: readonly OwnedFolder[];
  /** Stamp up to which the list is complete, ms UTC. */
  readonly stamp: number;
  /** Modules that did not answer, with the reason. */
  readonly missing: MissingBranches;
}

/** Modules whose folders are missing, with the reason. */
export type MissingBranches = ReadonlyMap<FolderModule, unknown>;

/** The parts of the tree to ask a module for. */
export type ListingPlan = (module: FolderModule) => readonly OwnedFolderListing[];

/** A location where a folder is no longer visible. */
export type LostPlace = LostFolder & { readonly module: FolderModule };

/** Locations where folders became invisible; not complete while a module does not answer. */
export interface LostPlaces {
  readonly places: readonly LostPlace[];
  readonly isComplete: boolean;
}

/** Result of a batch over several modules. */
export interface BatchResult {
  readonly stamp: number;
  /** Errors by folder. */
  readonly refused: ReadonlyMap<string, CatalogueError>;
  /** Ids in the trash by folder. */
  readonly trashed: ReadonlyMap<string, string>;
}

const log = Logger.for('folders.owners');

/** Calls the modules that own folders. */
@Injectable()
export class Owners {
  /** Until when modules are taken for slow, ms UTC. */
  private readonly slowUntil = new Map<FolderModule, number>();
  private readonly calls = new ListingCalls();

  constructor(
    private readonly caller: Caller,
    private readonly clock: Clock,
    private readonly config: FoldersSettings,
  ) {}

  /**
   * Lists folders of all available modules the user may use; unavailable ones contribute nothing.
   * @param plan parts of the tree to ask a module for
   * @param following true when the client may request updates since the stamp: then no module, whatever its clock,
   * assigns a lower stamp any more
   */
  async listVisible(request: FolderRequest, plan: ListingPlan, following: boolean): Promise<VisibleFolders> {
    const usable = this.listUsable(request)
      .map((owner) => ({ owner, parts: plan(owner.module) }))
      .filter(({ parts }) => parts.length > 0);
    const requester = JSON.stringify([request.requestId, request.principal]);
    const load = ({ owner, parts }: (typeof usable)[number], reach?: number) =>
      this.loadVisible(owner, request, requester, parts, reach);
    const answers = await Promise.all(usable.map((each) => load(each)));
    const stamp = Math.max(0, ...answers.map((answer) => answer.stamp).filter(Number.isFinite));
    const complete = await Promise.all(
      answers.map(async (answer, index) => (following && answer.stamp < stamp ? load(usable[index]!, stamp) : answer)),
    );
    return {
      folders: complete.flatMap(({ lists }) => lists.flatMap((list) => list ?? [])),
      stamp,
      missing: new Map(
        complete.flatMap(({ lists, failure }, index) =>
          lists.every(Boolean) ? [] : [[usable[index]!.owner.module, failure]],
        ),
      ),
    };
  }

  /** Lists locations where folders became invisible since a stamp. Call it after {@link listVisible}. */
  async listLost(request: FolderRequest, since: number): Promise<LostPlaces> {
    const answers = await Promise.all(
      this.listUsable(request).map(async ({ module, contract }) => {
        const lost = await this.ignoreUnavailable(
          module,
          () => this.caller.call(contract.lost, { ...this.toBranchOptions(request, module), query: { since } }),
          () => undefined,
        );
        return lost?.map((place) => ({ ...place, module }));
      }),
    );
    return { places: answers.flatMap((places) => places ?? []), isComplete: !answers.includes(undefined) };
  }

  /** Calls each owner once for all of its ids, and collects the errors. */
  async forEachOwner(
    request: FolderRequest,
    ids: readonly string[],
    ask: (owner: Owner, ids: FolderKey[]) => Promise<OwnedFoldersDone>,
  ): Promise<BatchResult> {
    recordCheck(FOLDER_RIGHTS.decidedByOwner);
    const refused = new Map<string, CatalogueError>();
    const byModule = new Map<FolderModule, { readonly owner: Owner; readonly own: Map<FolderKey, string> }>();
    for (const id of new Set(ids)) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      const owner = this.findOwner(request, id, (error) => refused.set(id, error));
      if (!owner) continue;
      const known = byModule.get(owner.module);
      if (known) known.own.set(owner.key, id);
      else byModule.set(owner.module, { owner, own: new Map([[owner.key, id]]) });
    }
    let stamp = 0;
    const trashed = new Map<string, string>();
    for (const { owner, own } of byModule.values()) {
      const done = await ask(owner, [...own.keys()]);
      stamp = Math.max(stamp, done.stamp);
      for (const { id, error, params } of done.refused) {
        const turn = pauseAfterTurn();
        if (turn) await turn;
        refused.set(own.get(id) ?? String(id), toCatalogueError(error, params));
      }
      for (const { id, newId } of done.trashed ?? []) trashed.set(own.get(id) ?? String(id), String(newId));
    }
    return { stamp, refused, trashed };
  }

  /**
   * Gets the owner of a folder id.
   * @throws FLD-1025 for malformed ids, FLD-0008 for unknown ids and those of modules that the client leaves out, ASP-0001 outside the scopes
   */
  getOwnerOfFolder({ principal, query }: FolderRequest, id: string, mode: AppAccessMode): FolderOwnership {
    if (parseSharedParentId(id) !== undefined) throw FolderErrors.notFound(id);
    const isWellFormed = /^(\d{1,9}|(cal|con):\/\/\d{1,9}\/\d{1,9}|default\d{1,9}(\/.+)?)$/.test(id);
    if (!isWellFormed && !isStorageFolderId(id)) throw FolderErrors.badId(id);
    const address = parseFolderAddress(id);
    const owner = folderOwners().find((candidate) => candidate.module === address?.module);
    if (!owner || !address || isLeftOut(owner.module, query)) throw FolderErrors.notFound(id);
    requireFolderScope(principal, owner.module, mode);
    return { ...owner, key: address.key };
  }

  /** Finds the owner of a folder to change; `refuse` receives the error when there is none. */
  findOwner(request: FolderRequest, id: string, refuse: (error: CatalogueError) => void): FolderOwnership | undefined {
    try {
      return this.getOwnerOfFolder(request, id, 'write');
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      refuse(error);
      return undefined;
    }
  }

  /** Gets the owner of new folders of a module. @throws FLD-0042 for unknown modules, ASP-0001 outside the scopes */
  getOwnerOfModule({ principal }: FolderRequest, module: string): Owner {
    const owner = folderOwners().find((candidate) => candidate.module === module);
    if (!owner) throw FolderErrors.unknownModule(module);
    requireFolderScope(principal, owner.module, 'write');
    return owner;
  }

  /** Reads one folder from its owner. */
  async getFolder(request: FolderRequest, id: string): Promise<OwnedFolder> {
    const { module, contract, key } = this.getOwnerOfFolder(request, id, 'read');
    const folder = await this.caller.call(contract.get, { ...this.toCallOptions(request), query: { id: key } });
    this.slowUntil.delete(module);
    return folder;
  }

  /** Options of calls to owners. */
  toCallOptions({ principal, deadline, requestId, signal }: FolderRequest) {
    recordCheck(FOLDER_RIGHTS.decidedByOwner);
    return {
      principal: { kind: 'internal', service: 'folders', contextId: principal.contextId, user: principal } as const,
      deadline,
      requestId,
      signal,
    };
  }

  private listUsable({ principal }: FolderRequest): Owner[] {
    recordCheck(FOLDER_RIGHTS.decidedByOwner);
    return folderOwners().filter(
      ({ module }) =>
        principal.capabilities.includes(folderCapability(module)) && opensFolders(principal, module, 'read'),
    );
  }

  private async loadVisible(
    { module, contract }: Owner,
    request: FolderRequest,
    requester: string,
    parts: readonly OwnedFolderListing[],
    reach?: number,
  ): Promise<ListedParts> {
    const ask = async (all: readonly OwnedFolderListing[]): Promise<ListedParts> => {
      const answer = await this.caller.request(contract.visible, {
        ...this.toBranchOptions(request, module),
        query: { parts: all, ...(reach !== undefined && { reach }) },
      });
      const json = await readBytes(answer.body);
      const lists = (await parseJsonInSlices(json, { limits: NO_LIMITS, pause: pauseAfterTurn })) as OwnedFolder[][];
      // A module without stamps, as that of mails, has nothing that could come late: it is not asked again.
      return { lists, stamp: answer.timestamp ?? Infinity };
    };
    const key = reach === undefined ? requester : `${reach} ${requester}`;
    return this.ignoreUnavailable(
      module,
      () => this.calls.load(module, key, parts, ask),
      (failure) => ({ lists: parts.map(() => undefined), stamp: Infinity, failure }),
    );
  }

  /** Asks a module for its branch; one that is down, slow or fails takes nothing but its branch with it. */
  private async ignoreUnavailable<T, U>(
    module: FolderModule,
    ask: () => Promise<T>,
    otherwise: (failure: unknown) => U,
  ): Promise<T | U> {
    try {
      const answer = await ask();
      this.slowUntil.delete(module);
      return answer;
    } catch (error) {
      log.warn({ module, error: describeError(error) }, 'module without folders for now');
      if (isCatalogueError(error, RequestErrors.deadlinePassed)) this.slowUntil.set(module, this.clock.now() + SLOW_MS);
      return otherwise(error);
    }
  }

  /**
   * Options of calls for one branch of an answer: no module is waited for longer than the configured time, nor so long that the
   * caller hears nothing of the others; one that was slow a moment ago not even so long.
   */
  private toBranchOptions(request: FolderRequest, module: FolderModule) {
    const options = this.toCallOptions(request);
    const now = this.clock.now();
    const isSlow = (this.slowUntil.get(module) ?? 0) > now;
    const timeoutMs = Math.min(this.config.ownerTimeoutMs, (options.deadline - now) * BRANCH_SHARE);
    return { ...options, deadline: now + (isSlow ? Math.min(SLOW_TIMEOUT_MS, timeoutMs) : timeoutMs) };
  }
}

/** Part of the time left for a call in which one branch must answer: the rest is for what follows. */
const BRANCH_SHARE = 0.75;
/** So long is a module taken for slow after it did not answer in time, ms. */
const SLOW_MS = 10_000;
/** So long it is waited for meanwhile, ms. */
const SLOW_TIMEOUT_MS = 250;

/** Converts an owner's error about one of several folders. */
export function toCatalogueError(key: string, params: readonly string[]): CatalogueError {
  const entry = errorByKey(key);
  // eslint-disable-next-line groupware/no-stray-errors -- a bug: each owner answers keys of the catalogues
  if (!entry) throw new Error(`unknown error ${key}`);
  return new CatalogueError(entry, params);
}

/** Limits of answers of other services: none. */
const NO_LIMITS = { depth: Infinity, values: Infinity, members: Infinity };

async function readBytes(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Buffer> {
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}
