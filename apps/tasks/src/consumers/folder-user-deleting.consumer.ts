import { identityEvents } from '@groupware/contracts';
import { FolderUserDeletions } from '@groupware/folders';
import { Consumes } from '@groupware/service-kit';

/** Hands over, or deletes, the folders of a user who is deleted; that user takes part in no task any more. */
@Consumes(identityEvents['user.deleting'])
export class FolderUserDeletingConsumer extends FolderUserDeletions {}
