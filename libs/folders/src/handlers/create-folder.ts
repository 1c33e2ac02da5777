import { Injectable, Optional } from '@nestjs/common';
import {
  FolderErrors,
  MAX_FOLDERS,
  moduleOfFolder,
  type CallOf,
  type FolderOwner,
  type Handler,
  type OwnedFolderCreation,
  type OwnedFolderWritten,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { EntityCheck } from '../entity-check';
import { ExternalFolders } from '../external-folders';
import { FolderEditor } from '../folder-editor';
import { FolderModuleRules, type PreparedAccount } from '../folder-module';
import { FolderRepository } from '../persistence/folder.repository';
import { requireModuleUser } from './folder-user';

/** `create`: a new folder. */
@Injectable()
export class CreateFolder implements Handler<FolderOwner['create']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: FolderEditor,
    private readonly entities: EntityCheck,
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
    private readonly properties: Properties,
    @Optional() private readonly external?: ExternalFolders,
  ) {}

  async handle(call: CallOf<FolderOwner['create']>): Promise<OwnedFolderWritten> {
    const { principal, query } = call;
    const user = requireModuleUser(principal, this.rules.module);
    // The link for which an id is reserved needs a folder that has entries.
    if (query.id !== undefined && (query.account || typeof query.parent === 'string'))
      throw FolderErrors.mayNotShare(query.parent);
    if (query.id !== undefined && moduleOfFolder(query.id) !== this.rules.module) throw FolderErrors.badId(query.id);
    if (this.external && typeof query.parent === 'string') return this.external.createFolder(call);
    const account = query.account && (await this.rules.prepareAccount(user, query));
    const permissions = account ? undefined : query.permissions;
    const parent = Number(query.parent);
    const [above] = await this.database.read(user, (db) => this.folders.listByIds(db, [parent]));
    const entities = await this.entities.requireValidEntities(user, {
      ...{ permissions, folder: query.id, around: above?.permissions },
    });
    const maxFolders = await this.properties.get(MAX_FOLDERS, user);
    const wanted = account ? applyAccount(query, account) : query;
    const written = await this.database.transact(user, (tx) =>
      this.editor.createFolder(tx, user, wanted, { maxFolders, entities, account }),
    );
    await account?.fill(Number(written.id));
    return written;
  }
}

/** A new folder has the name and the attributes of its account where the client gives none. */
const applyAccount = (query: OwnedFolderCreation, { title, properties }: PreparedAccount): OwnedFolderCreation => ({
  ...query,
  ...(query.title.trim() === '' && { title, autorename: true }),
  properties: { ...properties, ...query.properties },
  permissions: undefined,
});
