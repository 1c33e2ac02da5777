import { config, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ConfigTree } from '../config-tree';
import { normalizePath } from '../domain/config-path';
import { isTree } from '../domain/tree';

/** `config/<path>` by PUT: stores a setting. */
@Handles(config.set)
export class ConfigSetHandler implements Handler<typeof config.set> {
  constructor(private readonly tree: ConfigTree) {}

  async handle(call: CallOf<typeof config.set>) {
    const body: unknown = call.body;
    // The description of the API has the value in `data`, clients send it bare.
    const bare = isTree(body) && 'data' in body && Object.keys(body).length === 1 ? body.data : body;
    await this.tree.write(call, normalizePath(call.query.path), bare);
    return undefined;
  }
}
