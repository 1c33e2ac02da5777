import { type CallOf, type Handler, reply, resellers } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AfterChange } from '../provisioning/after-change';
import { ResellerEditor, resellerView } from '../provisioning/reseller-editor';

/** Creates or replaces a reseller. */
@Handles(resellers.putReseller)
export class PutResellerHandler implements Handler<typeof resellers.putReseller> {
  constructor(
    private readonly editor: ResellerEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof resellers.putReseller>) {
    const { row, created } = await this.editor.put(query.reseller, body, principal, edge);
    await this.after.reseller(row.name);
    return reply(resellerView(row), {
      status: created ? 201 : 200,
      headers: { ETag: `"${row.version}"`, ...(created ? { Location: `/admin/v1/resellers/${row.name}` } : {}) },
    });
  }
}
