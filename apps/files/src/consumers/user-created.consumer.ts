import { identityEvents } from '@groupware/contracts';
import { FolderUserCreations } from '@groupware/folders';
import { Consumes } from '@groupware/service-kit';

/** Gives a new user the default folder of files. */
@Consumes(identityEvents['user.created'])
export class UserCreatedConsumer extends FolderUserCreations {}
