import { config, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ConfigTree } from '../config-tree';
import { normalizePath } from '../domain/config-path';

/** `config/<path>`: a setting, or an object of those below a node. */
@Handles(config.get)
export class ConfigGetHandler implements Handler<typeof config.get> {
  constructor(private readonly tree: ConfigTree) {}

  handle(call: CallOf<typeof config.get>) {
    return this.tree.read(call, normalizePath(call.query.path));
  }
}
