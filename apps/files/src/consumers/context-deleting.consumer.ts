import { identityEvents } from '@groupware/contracts';
import { FolderContextDeletions } from '@groupware/folders';
import { Consumes } from '@groupware/service-kit';

/** Deletes the files of a context that goes. */
@Consumes(identityEvents['context.deleting'])
export class ContextDeletingConsumer extends FolderContextDeletions {}
