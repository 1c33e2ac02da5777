import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler, ShareKey, Tenant } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { ModuleDatabase } from '@groupware/persistence';
import { FolderEditor } from '../folder-editor';
import { FolderRepository } from '../persistence/folder.repository';
import type { StoredFolder } from '../stored-folder';

/** `retract`: takes away the rights that a share gave, for operators. */
@Injectable()
export class RetractShare implements Handler<FolderOwner['retract']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly editor: FolderEditor,
    private readonly directory: Directory,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['retract']>): Promise<boolean> {
    const [folder] = await this.database.read(principal, (db) => this.folders.listByIds(db, [Number(query.folder)]));
    if (!folder) return false;
    const entities = await this.entitiesOf(principal, folder, query);
    if (entities.length === 0) return false;
    return this.database.transact(principal, (tx) => this.editor.takeRights(tx, folder.id, entities, query.group));
  }

  /** Lists the local grantees of a share: for a user of another context the guests with one of his addresses. */
  private async entitiesOf(tenant: Tenant, folder: StoredFolder, share: ShareKey): Promise<number[]> {
    if (share.granteeContext === tenant.contextId) return [share.entity];
    const elsewhere = { contextId: share.granteeContext };
    const user = (await this.directory.getEntities(elsewhere, [share.entity])).get(share.entity);
    if (user?.kind !== 'user') return [];
    const addresses = new Set([user.email, ...user.aliases].map((address) => address.toLowerCase()));
    const listed = folder.permissions.flatMap(({ entity, group }) => (group ? [] : [entity]));
    const known = await this.directory.getEntities(tenant, listed);
    return [...known.values()].flatMap((entity) =>
      entity.kind === 'guest' && entity.email && addresses.has(entity.email.toLowerCase()) ? [entity.id] : [],
    );
  }
}
