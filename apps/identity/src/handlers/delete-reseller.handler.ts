import { type CallOf, type Handler, reply, ResellerErrors, resellers } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { ResellerEditor } from '../provisioning/reseller-editor';

/** Deletes a reseller. */
@Handles(resellers.deleteReseller)
export class DeleteResellerHandler implements Handler<typeof resellers.deleteReseller> {
  constructor(
    private readonly editor: ResellerEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, edge }: CallOf<typeof resellers.deleteReseller>) {
    const removed = await this.editor.removeReseller(query.reseller, principal, edge);
    if (!removed && !query.missingOk) throw ResellerErrors.notFound(query.reseller);
    if (!removed) return reply(undefined, { status: 200 });
    await this.notifier.notifyResellerChanged(query.reseller);
    return undefined;
  }
}
