import {
  isCatalogueError,
  errorObject,
  FileStorageErrors,
  FolderErrors,
  folders,
  OWN_FILE_ACCOUNT,
  UploadLimitErrors,
  type CallOf,
  type FolderLimits,
  type Handler,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { toCatalogueError, Owners } from '../owners/owners';
import { isSystemId } from '../domain/system-folders';

/** The only kind of limits. */
const LIMITS_OF_FILES = 'filestorage';

/** `checklimits`: checks limits for new files in a folder with its module. */
@Handles(folders.checklimits)
export class ChecklimitsHandler implements Handler<typeof folders.checklimits> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
  ) {}

  async handle(call: CallOf<typeof folders.checklimits>): Promise<FolderLimits> {
    const { id, type } = call.query;
    if (type !== LIMITS_OF_FILES) throw UploadLimitErrors.unknownType(type);
    if (isSystemId(id)) throw FolderErrors.notFound(id);
    const exceeded = await this.checkFiles(call).catch((error: unknown) => {
      if (isCatalogueError(error, FolderErrors.notFound))
        throw FileStorageErrors.noSuchFolder(id, OWN_FILE_ACCOUNT).with({ cause: error });
      throw error;
    });
    const { locale } = call.principal;
    return { errors: exceeded.map(({ error, params }) => errorObject(toCatalogueError(error, params), locale)) };
  }

  private async checkFiles(call: CallOf<typeof folders.checklimits>) {
    const { contract, key } = this.owners.getOwnerOfFolder(call, call.query.id, 'read');
    return this.caller.call(contract.limits, {
      ...this.owners.toCallOptions(call),
      query: { id: key, files: call.body.files ?? [] },
    });
  }
}
