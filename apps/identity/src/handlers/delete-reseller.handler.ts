import { type CallOf, type Handler, reply, ResellerErrors, resellers } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AfterChange } from '../provisioning/after-change';
import { ResellerEditor } from '../provisioning/reseller-editor';

/** Deletes a reseller. */
@Handles(resellers.deleteReseller)
export class DeleteResellerHandler implements Handler<typeof resellers.deleteReseller> {
  constructor(
    private readonly editor: ResellerEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query }: CallOf<typeof resellers.deleteReseller>) {
    const removed = await this.editor.remove(query.reseller, principal);
    if (!removed && !query.missingOk) throw ResellerErrors.notFound(query.reseller);
    if (!removed) return reply(undefined, { status: 200 });
    await this.after.reseller(query.reseller);
    return undefined;
  }
}
