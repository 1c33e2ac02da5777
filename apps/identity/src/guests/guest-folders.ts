import { Injectable } from '@nestjs/common';
import { shareableFolderOwners } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Logger } from '@groupware/service-kit';

/** A folder on which a guest has rights, or an object on which alone. */
export interface SharedFolder {
  readonly module: string;
  readonly folder: number;
  readonly item?: number;
}

/** Asks the modules with folders what guests may see: each one knows the rights on its own folders and objects alone. */
@Injectable()
export class GuestFolders {
  private readonly log = Logger.for('identity.login');

  constructor(private readonly caller: Caller) {}

  /**
   * Lists the folders that a guest may see, and objects by themselves. Those of a module that is down are missing.
   * @throws the error of that module when no other has any: what it shares is unknown
   */
  async listFolders(contextId: number, guestId: number): Promise<SharedFolder[]> {
    const outcomes = await Promise.allSettled(this.listByOwner(contextId, [guestId]));
    const folders = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.map(({ entity: _guest, ...place }) => place) : [],
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (!failed) return folders;
    if (folders.length === 0) throw failed.reason;
    this.log.info({ contextId, userId: guestId, error: String(failed.reason) }, 'folders of a guest are incomplete');
    return folders;
  }

  /** Lists which of some guests have rights on any folder of any module, or of one; the error of a module that is down. */
  async listWithFolders(contextId: number, guestIds: readonly number[], module?: string): Promise<Set<number>> {
    const granted = await Promise.all(this.listByOwner(contextId, guestIds, module));
    return new Set(granted.flat().map(({ entity }) => entity));
  }

  private listByOwner(contextId: number, guestIds: readonly number[], only?: string) {
    const principal = { kind: 'internal', service: 'identity', contextId } as const;
    const owners = shareableFolderOwners();
    const named = owners.filter(({ module }) => module === only);
    return (named.length > 0 ? named : owners).map(async ({ module, contract }) => {
      const granted = await this.caller.call(contract.granted, { principal, query: { entities: [...guestIds] } });
      return granted.map((place) => ({ module, ...place }));
    });
  }
}
