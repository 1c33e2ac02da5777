import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  errorByKey,
  FolderErrors,
  folderOwners,
  moduleOfFolder,
  opensModule,
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
import { Logger } from '@groupware/service-kit';
import { ownerOfSharedParent } from './tree/system-folders';

/** One call of a client, as far as the calls it causes go. */
export interface Request {
  readonly principal: UserPrincipal;
  /** ms UTC. */
  readonly deadline: number;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** The way to one module that keeps folders. */
export interface Owner {
  readonly module: FolderModule;
  readonly contract: FolderOwner;
}

/** What a user sees of all modules. */
export interface VisibleFolders {
  readonly folders: readonly OwnedFolder[];
  /** The stamp up to which this is complete, ms UTC. */
  readonly stamp: number;
}

/** A place in which a folder of a module is no longer seen. */
export type LostPlace = LostFolder & { readonly module: FolderModule };

/** What happened to several folders of one or more modules. */
export interface Batch {
  readonly stamp: number;
  /** Why folders stay as they are. */
  readonly refused: ReadonlyMap<string, CatalogueError>;
  readonly trashed: ReadonlySet<string>;
}

const log = Logger.for('folders.owners');

/** Asks the modules that keep folders. */
@Injectable()
export class Owners {
  constructor(private readonly caller: Caller) {}

  /**
   * Folders of all running modules that the user may use. A module that does not run contributes nothing.
   * @param following true when the client may ask for updates from the stamp on: then no module gives a stamp below it
   * any more, although each has a clock of its own
   */
  async visible(request: Request, following = false): Promise<VisibleFolders> {
    const answers = await Promise.all(this.usable(request).map((owner) => this.visibleOf(owner, request)));
    const stamp = answers.reduce((newest, answer) => Math.max(newest, answer?.stamp ?? 0), 0);
    const complete = await Promise.all(
      answers.map((answer) =>
        answer && following && answer.stamp < stamp ? this.visibleOf(answer.owner, request, stamp) : answer,
      ),
    );
    return { folders: complete.flatMap((answer) => answer?.folders ?? []), stamp };
  }

  /** Places in which the user no longer sees folders since a stamp. To be asked after {@link visible}. */
  async lost(request: Request, since: number): Promise<LostPlace[]> {
    const answers = await Promise.all(
      this.usable(request).map(async ({ module, contract }) => {
        const lost = await this.unlessAway(module, () =>
          this.caller.call(contract.lost, { ...this.outgoing(request), query: { since } }),
        );
        return (lost ?? []).map((place) => ({ ...place, module }));
      }),
    );
    return answers.flat();
  }

  /** Asks every owner of some ids one thing about all of its ids, one call per owner, and gathers what it refused. */
  async forEach(
    request: Request,
    ids: readonly string[],
    ask: (owner: Owner, ids: number[]) => Promise<OwnedFoldersDone>,
  ): Promise<Batch> {
    const refused = new Map<string, CatalogueError>();
    const byModule = new Map<FolderModule, { readonly owner: Owner; readonly own: number[] }>();
    for (const id of new Set(ids)) {
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
      for (const { id, error, params } of done.refused) refused.set(String(id), errorOf(error, params));
      for (const id of done.trashed ?? []) trashed.add(String(id));
    }
    return { stamp, refused, trashed };
  }

  /** The owner of a folder id; FLD-1025 for malformed ids, FLD-0008 for ids that belong to nobody, ASP-0001 outside the scopes. */
  ofFolder({ principal }: Request, id: string, mode: AppAccessMode): Owner {
    if (ownerOfSharedParent(id) !== undefined) throw FolderErrors.notFound(id);
    if (!/^\d{1,9}$/.test(id)) throw FolderErrors.badId(id);
    const module = moduleOfFolder(Number(id));
    const owner = folderOwners().find((candidate) => candidate.module === module);
    if (!owner) throw FolderErrors.notFound(id);
    requireModuleScope(principal, owner.module, mode);
    return owner;
  }

  /** The owner of a folder that is to be changed; tells why there is none. */
  findOwner(request: Request, id: string, refuse: (error: CatalogueError) => void): Owner | undefined {
    try {
      return this.ofFolder(request, id, 'write');
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      refuse(error);
      return undefined;
    }
  }

  /** The owner of new folders of a module; FLD-0042 when the product has no such module, ASP-0001 outside the scopes. */
  ofModule({ principal }: Request, module: string): Owner {
    const owner = folderOwners().find((candidate) => candidate.module === module);
    if (!owner) throw FolderErrors.unknownModule(module);
    requireModuleScope(principal, owner.module, 'write');
    return owner;
  }

  /** One folder from its owner. */
  async folder(request: Request, id: string): Promise<OwnedFolder> {
    const { contract } = this.ofFolder(request, id, 'read');
    return this.caller.call(contract.get, { ...this.outgoing(request), query: { id: Number(id) } });
  }

  /** What every call to an owner carries. */
  outgoing({ principal, deadline, requestId, signal }: Request) {
    return {
      principal: { kind: 'internal', service: 'folders', contextId: principal.contextId, user: principal } as const,
      deadline,
      requestId,
      signal,
    };
  }

  private usable({ principal }: Request): Owner[] {
    return folderOwners().filter(
      ({ module }) => principal.capabilities.includes(module) && opensModule(principal, module, 'read'),
    );
  }

  private async visibleOf(
    owner: Owner,
    request: Request,
    reach?: number,
  ): Promise<(VisibleFolders & { readonly owner: Owner }) | undefined> {
    return this.unlessAway(owner.module, async () => {
      const answer = await this.caller.request(owner.contract.visible, {
        ...this.outgoing(request),
        query: { reach },
      });
      const folders = JSON.parse(await textOf(answer.body)) as OwnedFolder[];
      return { owner, folders, stamp: answer.timestamp ?? 0 };
    });
  }

  private async unlessAway<T>(module: string, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CatalogueError) || !error.is(RequestErrors.serviceUnavailable)) throw error;
      log.warn({ module }, 'module without folders for now');
      return undefined;
    }
  }
}

/** An error that an owner told about one of several folders. */
export function errorOf(key: string, params: readonly string[]): CatalogueError {
  const entry = errorByKey(key);
  if (!entry) throw new Error(`unknown error ${key}`);
  return new CatalogueError(entry, params);
}

async function textOf(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
}
