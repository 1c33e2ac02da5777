import { identityEvents } from '@groupware/contracts';
import { FolderGroupChanges } from '@groupware/folders';
import { Consumes } from '@groupware/service-kit';

/** Members of groups see folders of files come and go with their membership. */
@Consumes(identityEvents['group.changed'])
export class FolderGroupChangedConsumer extends FolderGroupChanges {}
