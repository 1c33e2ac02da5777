import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  FolderErrors,
  folderOwners,
  moduleOfFolder,
  RequestErrors,
  type FolderModule,
  type FolderOwner,
  type OwnedFolder,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Logger } from '@groupware/service-kit';

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

const log = Logger.for('folders.owners');

/** Asks the modules that keep folders. */
@Injectable()
export class Owners {
  constructor(private readonly caller: Caller) {}

  /** Folders of all running modules; with `modules`, of those only. A module that does not run contributes nothing. */
  async visible(request: Request, modules?: ReadonlySet<string>): Promise<OwnedFolder[]> {
    const wanted = folderOwners().filter(({ module }) => !modules || modules.has(module));
    const answers = await Promise.all(wanted.map((owner) => this.visibleOf(owner, request)));
    return answers.flat();
  }

  /** The owner of a folder id; FLD-1025 for malformed ids, FLD-0008 for ids that belong to nobody. */
  ofFolder(id: string): Owner {
    if (!/^\d{1,9}$/.test(id)) throw FolderErrors.badId(id);
    const module = moduleOfFolder(Number(id));
    const owner = folderOwners().find((candidate) => candidate.module === module);
    if (!owner) throw FolderErrors.notFound(id);
    return owner;
  }

  /** The owner of new folders of a module; FLD-0042 when the product has no such module. */
  ofModule(module: string): Owner {
    const owner = folderOwners().find((candidate) => candidate.module === module);
    if (!owner) throw FolderErrors.unknownModule(module);
    return owner;
  }

  /** One folder from its owner. */
  async folder(request: Request, id: string): Promise<OwnedFolder> {
    const { contract } = this.ofFolder(id);
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

  private async visibleOf({ module, contract }: Owner, request: Request): Promise<OwnedFolder[]> {
    try {
      return await this.caller.call(contract.visible, this.outgoing(request));
    } catch (error) {
      if (!(error instanceof CatalogueError) || !error.is(RequestErrors.serviceUnavailable)) throw error;
      log.warn({ module }, 'module without folders for now');
      return [];
    }
  }
}
