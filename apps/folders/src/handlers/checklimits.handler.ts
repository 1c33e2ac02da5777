import { errorObject, FolderErrors, folders, type CallOf, type FolderLimits, type Handler } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { errorOf, Owners } from '../owners';
import { isSystemId } from '../tree/system-folders';

/** `checklimits`: what files would exceed in a folder, as its module says. */
@Handles(folders.checklimits)
export class ChecklimitsHandler implements Handler<typeof folders.checklimits> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
  ) {}

  async handle(call: CallOf<typeof folders.checklimits>): Promise<FolderLimits> {
    const { id, type } = call.query;
    if (isSystemId(id)) throw FolderErrors.notFound(id);
    const { contract } = this.owners.ofFolder(call, id, 'read');
    const exceeded = await this.caller.call(contract.limits, {
      ...this.owners.outgoing(call),
      query: { id: Number(id), type, files: call.body.files ?? [] },
    });
    const { locale } = call.principal;
    return { errors: exceeded.map(({ error, params }) => errorObject(errorOf(error, params), locale)) };
  }
}
