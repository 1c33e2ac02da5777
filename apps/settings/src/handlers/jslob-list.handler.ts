import { jslob, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SettingTrees } from '../setting-trees';

/** `list`: the named trees in the order asked. */
@Handles(jslob.list)
export class JslobListHandler implements Handler<typeof jslob.list> {
  constructor(private readonly trees: SettingTrees) {}

  handle(call: CallOf<typeof jslob.list>) {
    return this.trees.list(call, call.body, call.query.serviceId);
  }
}
