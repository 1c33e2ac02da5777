import { jslob, reply, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { isTree, mergeTrees } from '../domain/tree';
import { SettingTrees } from '../setting-trees';

/** `set`: replaces what the user stored of a tree. */
@Handles(jslob.set)
export class JslobSetHandler implements Handler<typeof jslob.set> {
  constructor(private readonly trees: SettingTrees) {}

  async handle(call: CallOf<typeof jslob.set>) {
    const { query } = call;
    const body = call.body ?? {};
    if (!isTree(body)) throw RequestErrors.wrongBodyType('object', Array.isArray(body) ? 'array' : typeof body);
    const warnings = await this.trees.change(call, query.id, () => mergeTrees({}, body), query.serviceId);
    return reply(undefined, { warnings });
  }
}
