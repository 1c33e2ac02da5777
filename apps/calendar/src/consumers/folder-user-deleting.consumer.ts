import { identityEvents } from '@groupware/contracts';
import { FolderUserDeletions } from '@groupware/folders';
import { Consumes } from '@groupware/service-kit';

/** Calendars of a user who is deleted: shared and public ones go to the named heir, all others are deleted. */
@Consumes(identityEvents['user.deleting'])
export class FolderUserDeletingConsumer extends FolderUserDeletions {}
