import { type CallOf, type Handler, reply, resellers } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { ResellerEditor, toResellerView } from '../provisioning/reseller-editor';

/** Creates or replaces a reseller. */
@Handles(resellers.putReseller)
export class PutResellerHandler implements Handler<typeof resellers.putReseller> {
  constructor(
    private readonly editor: ResellerEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof resellers.putReseller>) {
    const { row, created } = await this.editor.upsertReseller(query.reseller, body, principal, edge);
    await this.notifier.notifyResellerChanged(row.name);
    return reply(toResellerView(row), {
      status: created ? 201 : 200,
      headers: { ETag: `"${row.version}"`, ...(created ? { Location: `/admin/v1/resellers/${row.name}` } : {}) },
    });
  }
}
