import { identityEvents } from '@groupware/contracts';
import { FolderUserNames } from '@groupware/folders';
import { Consumes } from '@groupware/service-kit';

/** The personal folder of a user bears the name of the user. */
@Consumes(identityEvents['user.changed'])
export class UserChangedConsumer extends FolderUserNames {}
