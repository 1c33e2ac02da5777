import { Injectable } from '@nestjs/common';
import { sharedDocuments, type Share, type Tenant } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import type { Transaction } from '@groupware/persistence';
import { IdentityClient } from './identity-client';
import { ShareRepository } from './persistence/share.repository';
import { ShareWriter } from './share-writer';

/** A document and all that it gives to guests. */
export interface SharedDocument {
  readonly id: number;
  readonly shares: readonly Share[];
}

const MODULE = 'infostore';

/**
 * Keeps the list of shares equal to the rights that documents give by themselves. Only guests count: those of links, and those who
 * are users of other contexts by their mail address. The user who gave a right shares the document.
 */
@Injectable()
export class DocumentShares {
  constructor(
    private readonly caller: Caller,
    private readonly identity: IdentityClient,
    private readonly shares: ShareRepository,
    private readonly writer: ShareWriter,
  ) {}

  /** Reads the shares of a document; none when it is deleted. */
  async readShares(tenant: Tenant, id: number): Promise<SharedDocument> {
    const principal = { kind: 'internal', service: 'admin', contextId: tenant.contextId } as const;
    const document = await this.caller.call(sharedDocuments.sharing, { principal, query: { id } });
    const others = document?.permissions.filter(({ group }) => !group) ?? [];
    if (!document || others.length === 0) return { id, shares: [] };
    const entities = await this.identity.listEntities(
      tenant,
      others.map(({ entity }) => entity),
    );
    const guests = entities.filter(({ kind }) => kind === 'guest');
    const elsewhere = await this.identity.listUsersElsewhere(tenant, guests);
    const isGuest = new Set(guests.map((guest) => guest.id));
    const shares = others
      .filter(({ entity }) => isGuest.has(entity))
      .map(({ entity, bits, createdBy }): Share => {
        const user = elsewhere.get(entity);
        return {
          ...{ owner: createdBy, module: MODULE, kind: 'object', folder: String(document.folder), item: String(id) },
          ...{ name: document.title, permissions: bits, group: false },
          ...(user
            ? { granteeContext: user.contextId, entity: user.userId }
            : { granteeContext: tenant.contextId, entity, guest: true }),
        };
      });
    return { id, shares };
  }

  /** Brings the stored shares of a document up to date. */
  async writeShares(tx: Transaction, { id, shares }: SharedDocument): Promise<void> {
    await this.writer.replaceShares(tx, await this.shares.listByObject(tx, MODULE, String(id)), shares);
  }
}
