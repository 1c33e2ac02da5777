import { jslob, JslobErrors, reply, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { isTree, mergeTrees, parsePath, setAt, type Tree } from '../domain/tree';
import { SettingTrees } from '../setting-trees';

/** `update`: merges settings into a tree, or sets one place of it. */
@Handles(jslob.update)
export class JslobUpdateHandler implements Handler<typeof jslob.update> {
  constructor(private readonly trees: SettingTrees) {}

  async handle(call: CallOf<typeof jslob.update>) {
    const { query, body } = call;
    if (!isTree(body)) throw RequestErrors.wrongBodyType('object', Array.isArray(body) ? 'array' : typeof body);
    const { path, value } = body;
    const setsOnePlace = typeof path === 'string' && 'value' in body && Object.keys(body).length === 2;
    const change = setsOnePlace ? setPlace(path, value) : (shown: Tree) => mergeTrees(shown, body);
    const warnings = await this.trees.change(call, query.id, change, query.serviceId);
    return reply(undefined, { warnings });
  }
}

/** @throws JSNCON-0007 */
function setPlace(path: string, value: unknown): (shown: Tree) => Tree {
  const steps = parsePath(path);
  if (!steps) throw JslobErrors.invalidPath(path);
  const kept = isTree(value) ? mergeTrees({}, value) : value;
  return (shown) => setAt(shown, steps, kept);
}
