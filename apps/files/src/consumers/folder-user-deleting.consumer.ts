import { identityEvents } from '@groupware/contracts';
import { FolderUserDeletions } from '@groupware/folders';
import { Consumes } from '@groupware/service-kit';

/** Hands over, or deletes, the folders of a user who is deleted; locks and permissions of that user end. */
@Consumes(identityEvents['user.deleting'])
export class FolderUserDeletingConsumer extends FolderUserDeletions {}
