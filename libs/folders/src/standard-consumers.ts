import type { Type } from '@nestjs/common';
import { attachmentEvents, identityEvents } from '@groupware/contracts';
import { Consumes } from '@groupware/service-kit';
import { AttachmentsChanged } from './attached-files';
import {
  FolderContextDeletions,
  FolderGroupChanges,
  FolderUserCreations,
  FolderUserDeletions,
} from './folder-consumers';

/** Gives a new user the default folder. */
@Consumes(identityEvents['user.created'])
class UserCreatedConsumer extends FolderUserCreations {}

/** Hands over, or deletes, the folders of a user who is deleted; the rules of the module say what becomes of the rest. */
@Consumes(identityEvents['user.deleting'])
class FolderUserDeletingConsumer extends FolderUserDeletions {}

/** Members of groups see folders come and go with their membership. */
@Consumes(identityEvents['group.changed'])
class FolderGroupChangedConsumer extends FolderGroupChanges {}

/** Deletes the folders and objects of a context that goes. */
@Consumes(identityEvents['context.deleting'])
class ContextDeletingConsumer extends FolderContextDeletions {}

/** Takes over how many files objects carry. */
@Consumes(attachmentEvents['object.changed'])
class AttachmentsChangedConsumer extends AttachmentsChanged {}

/**
 * Consumers of a module with folders that adds nothing to them: pass them to `defineService({ consumers })`. Their names are kept
 * with the events that took effect: they stay.
 */
export const FOLDER_CONSUMERS: readonly Type[] = [
  UserCreatedConsumer,
  FolderUserDeletingConsumer,
  FolderGroupChangedConsumer,
  ContextDeletingConsumer,
];

/** Consumers of a module that does more for new and deleted users. */
export const FOLDER_CONSUMERS_BUT_USERS: readonly Type[] = [FolderGroupChangedConsumer, ContextDeletingConsumer];

/** Consumers of a module whose objects carry files. */
export const ATTACHMENT_CONSUMERS: readonly Type[] = [AttachmentsChangedConsumer];
