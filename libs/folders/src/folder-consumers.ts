import { Injectable } from '@nestjs/common';
import { identityEvents, type DirectoryUser, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import type { Transaction } from '@groupware/persistence';
import type { Consumer } from '@groupware/service-kit';
import { DefaultFolder } from './default-folder';
import { FolderHandover } from './folder-handover';
import { FolderModuleRules, type Handover } from './folder-module';
import { FolderWriter } from './persistence/folder-writer.repository';

type GroupChanged = (typeof identityEvents)['group.changed'];
type UserDeleting = (typeof identityEvents)['user.deleting'];
type UserChanged = (typeof identityEvents)['user.changed'];
type UserCreated = (typeof identityEvents)['user.created'];
type ContextDeleting = (typeof identityEvents)['context.deleting'];

/** Lets members of groups see folders come and go with their membership: a module extends it as a consumer of `group.changed`. */
@Injectable()
export class FolderGroupChanges implements Consumer<GroupChanged, boolean> {
  constructor(
    private readonly directory: Directory,
    private readonly handover: FolderHandover,
  ) {}

  /** Whether the group still exists. */
  async prepare(message: EventMessage<PayloadOf<GroupChanged>>): Promise<boolean> {
    const { groupId } = message.payload;
    return (await this.directory.refreshEntities(message, [groupId])).get(groupId)?.kind === 'group';
  }

  handle({ payload }: EventMessage<PayloadOf<GroupChanged>>, tx: Transaction, exists: boolean): Promise<void> {
    return this.handover.updateGroup(tx, payload.groupId, exists);
  }
}

/**
 * Gives shared and public folders of a deleted user to the named heir and deletes all others: a module extends it as a consumer of
 * `user.deleting`.
 */
@Injectable()
export class FolderUserDeletions implements Consumer<UserDeleting, Handover['heir']> {
  constructor(
    private readonly directory: Directory,
    private readonly handover: FolderHandover,
  ) {}

  /** The heir; undefined without one, and when the heir was deleted meanwhile. */
  async prepare(message: EventMessage<PayloadOf<UserDeleting>>): Promise<Handover['heir']> {
    const { reassignTo } = message.payload;
    if (reassignTo === undefined) return undefined;
    const heir = (await this.directory.getEntities(message, [reassignTo])).get(reassignTo);
    return heir?.kind === 'user' ? { userId: heir.id, email: heir.email, displayName: heir.displayName } : undefined;
  }

  handle({ payload }: EventMessage<PayloadOf<UserDeleting>>, tx: Transaction, heir: Handover['heir']): Promise<void> {
    return this.handover.handOverUser(tx, { userId: payload.userId, ...(heir && { heir }) });
  }
}

/** Gives a new user the default folder: a module extends it as a consumer of `user.created`. */
@Injectable()
export class FolderUserCreations implements Consumer<UserCreated, DirectoryUser | undefined> {
  constructor(
    private readonly directory: Directory,
    private readonly defaultFolder: DefaultFolder,
  ) {}

  /** The user; undefined when that user is gone again meanwhile. */
  async prepare(message: EventMessage<PayloadOf<UserCreated>>): Promise<DirectoryUser | undefined> {
    const { userId } = message.payload;
    const user = (await this.directory.getEntities(message, [userId])).get(userId);
    return user?.kind === 'user' ? user : undefined;
  }

  async handle(
    { payload }: EventMessage<PayloadOf<UserCreated>>,
    tx: Transaction,
    user: DirectoryUser | undefined,
  ): Promise<void> {
    if (user) await this.defaultFolder.ensureDefaultFolder(tx, payload.userId, user.locale, user.displayName);
  }
}

/** Names the default folder of a user after the user, who has another name now: a module extends it as a consumer of `user.changed`. */
@Injectable()
export class FolderUserNames implements Consumer<UserChanged, DirectoryUser | undefined> {
  constructor(
    private readonly directory: Directory,
    private readonly defaultFolder: DefaultFolder,
  ) {}

  /** The user as it is now; undefined when that user is gone again meanwhile. */
  async prepare(message: EventMessage<PayloadOf<UserChanged>>): Promise<DirectoryUser | undefined> {
    const { userId } = message.payload;
    const user = (await this.directory.refreshEntities(message, [userId])).get(userId);
    return user?.kind === 'user' ? user : undefined;
  }

  async handle(
    { payload }: EventMessage<PayloadOf<UserChanged>>,
    tx: Transaction,
    user: DirectoryUser | undefined,
  ): Promise<void> {
    if (user) await this.defaultFolder.renameDefaultFolder(tx, payload.userId, user.locale, user.displayName);
  }
}

/** Deletes all folders and objects of a context: a module extends it as a consumer of `context.deleting`. */
@Injectable()
export class FolderContextDeletions implements Consumer<ContextDeleting> {
  constructor(
    private readonly rules: FolderModuleRules,
    private readonly folders: FolderWriter,
  ) {}

  async handle(_message: EventMessage, tx: Transaction): Promise<void> {
    await this.rules.removeContext(tx);
    await this.folders.deleteByContext(tx);
  }
}
