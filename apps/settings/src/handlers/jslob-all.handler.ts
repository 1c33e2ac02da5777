import { jslob, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SettingTrees } from '../setting-trees';

/** `all`: every tree of the user. */
@Handles(jslob.all)
export class JslobAllHandler implements Handler<typeof jslob.all> {
  constructor(private readonly trees: SettingTrees) {}

  handle(call: CallOf<typeof jslob.all>) {
    return this.trees.listAll(call, call.query.serviceId);
  }
}
