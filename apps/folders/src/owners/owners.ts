import { Injectable } from '@nestjs/common';
import {
  FOLDER_RIGHTS,
  recordCheck,
  CatalogueError,
  errorByKey,
  FolderErrors,
  folderOwners,
  moduleOfFolder,
  opensModule,
  parseJsonInSlices,
  RequestErrors,
  requireModuleScope,
  type AppAccessMode,
  type FolderModule,
  type FolderOwner,
  type LostFolder,
  type OwnedFolder,
  type OwnedFoldersDone,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Logger, pauseAfterTurn } from '@groupware/service-kit';
import { isLeftOut } from '../domain/allowed-modules';
import { parseSharedParentId } from '../domain/system-folders';

/** A client request, as far as outgoing calls need it. */
export interface FolderRequest {
  readonly principal: UserPrincipal;
  /** ms UTC. */
  readonly deadline: number;
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly query: object;
}

/** A module that owns folders, with its contract. */
export interface Owner {
  readonly module: FolderModule;
  readonly contract: FolderOwner;
}

/** Folders of all modules visible to a user. */
export interface VisibleFolders {
  readonly folders: readonly OwnedFolder[];
  /** Stamp up to which the list is complete, ms UTC. */
  readonly stamp: number;
}

/** A location where a folder is no longer visible. */
export type LostPlace = LostFolder & { readonly module: FolderModule };

/** Result of a batch over several modules. */
export interface BatchResult {
  readonly stamp: number;
  /** Errors by folder. */
  readonly refused: ReadonlyMap<string, CatalogueError>;
  readonly trashed: ReadonlySet<string>;
}

const log = Logger.for('folders.owners');

/** Calls the modules that own folders. */
@Injectable()
export class Owners {
  constructor(private readonly caller: Caller) {}

  /**
   * Lists folders of all available modules the user may use; unavailable ones contribute nothing.
   * @param following true when the client may request updates since the stamp: then no module, whatever its clock,
   * assigns a lower stamp any more
   */
  async listVisible(request: FolderRequest, following = false): Promise<VisibleFolders> {
    const answers = await Promise.all(this.listUsable(request).map((owner) => this.loadVisible(owner, request)));
    const stamp = answers.reduce((newest, answer) => Math.max(newest, answer?.stamp ?? 0), 0);
    const complete = await Promise.all(
      answers.map((answer) =>
        answer && following && answer.stamp < stamp ? this.loadVisible(answer.owner, request, stamp) : answer,
      ),
    );
    return { folders: complete.flatMap((answer) => answer?.folders ?? []), stamp };
  }

  /** Lists locations where folders became invisible since a stamp. Call it after {@link listVisible}. */
  async listLost(request: FolderRequest, since: number): Promise<LostPlace[]> {
    const answers = await Promise.all(
      this.listUsable(request).map(async ({ module, contract }) => {
        const lost = await this.ignoreUnavailable(module, () =>
          this.caller.call(contract.lost, { ...this.toCallOptions(request), query: { since } }),
        );
        return (lost ?? []).map((place) => ({ ...place, module }));
      }),
    );
    return answers.flat();
  }

  /** Calls each owner once for all of its ids, and collects the errors. */
  async forEachOwner(
    request: FolderRequest,
    ids: readonly string[],
    ask: (owner: Owner, ids: number[]) => Promise<OwnedFoldersDone>,
  ): Promise<BatchResult> {
    recordCheck(FOLDER_RIGHTS.decidedByOwner);
    const refused = new Map<string, CatalogueError>();
    const byModule = new Map<FolderModule, { readonly owner: Owner; readonly own: number[] }>();
    for (const id of new Set(ids)) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      const owner = this.findOwner(request, id, (error) => refused.set(id, error));
      if (!owner) continue;
      const known = byModule.get(owner.module);
      if (known) known.own.push(Number(id));
      else byModule.set(owner.module, { owner, own: [Number(id)] });
    }
    let stamp = 0;
    const trashed = new Set<string>();
    for (const { owner, own } of byModule.values()) {
      const done = await ask(owner, own);
      stamp = Math.max(stamp, done.stamp);
      for (const { id, error, params } of done.refused) {
        const turn = pauseAfterTurn();
        if (turn) await turn;
        refused.set(String(id), toCatalogueError(error, params));
      }
      for (const id of done.trashed ?? []) trashed.add(String(id));
    }
    return { stamp, refused, trashed };
  }

  /**
   * Gets the owner of a folder id.
   * @throws FLD-1025 for malformed ids, FLD-0008 for unknown ids and those of modules that the client leaves out, ASP-0001 outside the scopes
   */
  getOwnerOfFolder({ principal, query }: FolderRequest, id: string, mode: AppAccessMode): Owner {
    if (parseSharedParentId(id) !== undefined) throw FolderErrors.notFound(id);
    if (!/^\d{1,9}$/.test(id)) throw FolderErrors.badId(id);
    const module = moduleOfFolder(Number(id));
    const owner = folderOwners().find((candidate) => candidate.module === module);
    if (!owner || isLeftOut(owner.module, query)) throw FolderErrors.notFound(id);
    requireModuleScope(principal, owner.module, mode);
    return owner;
  }

  /** Finds the owner of a folder to change; `refuse` receives the error when there is none. */
  findOwner(request: FolderRequest, id: string, refuse: (error: CatalogueError) => void): Owner | undefined {
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
    requireModuleScope(principal, owner.module, 'write');
    return owner;
  }

  /** Reads one folder from its owner. */
  async getFolder(request: FolderRequest, id: string): Promise<OwnedFolder> {
    const { contract } = this.getOwnerOfFolder(request, id, 'read');
    return this.caller.call(contract.get, { ...this.toCallOptions(request), query: { id: Number(id) } });
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
      ({ module }) => principal.capabilities.includes(module) && opensModule(principal, module, 'read'),
    );
  }

  private async loadVisible(
    owner: Owner,
    request: FolderRequest,
    reach?: number,
  ): Promise<(VisibleFolders & { readonly owner: Owner }) | undefined> {
    return this.ignoreUnavailable(owner.module, async () => {
      const answer = await this.caller.request(owner.contract.visible, {
        ...this.toCallOptions(request),
        query: { reach },
      });
      const json = await readBytes(answer.body);
      const folders = (await parseJsonInSlices(json, { limits: NO_LIMITS, pause: pauseAfterTurn })) as OwnedFolder[];
      return { owner, folders, stamp: answer.timestamp ?? 0 };
    });
  }

  private async ignoreUnavailable<T>(module: string, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CatalogueError) || !error.is(RequestErrors.serviceUnavailable)) throw error;
      log.warn({ module }, 'module without folders for now');
      return undefined;
    }
  }
}

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
