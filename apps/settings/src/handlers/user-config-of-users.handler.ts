import { DEFAULT_JSLOB_SERVICE, userConfig, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CONFIG_SETTINGS } from '../domain/config-settings';
import { SettingsTreeRepository } from '../persistence/settings-tree.repository';

/** Settings of many users. */
@Handles(userConfig.ofUsers)
export class UserConfigOfUsersHandler implements Handler<typeof userConfig.ofUsers> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly trees: SettingsTreeRepository,
  ) {}

  async handle({ principal, query: { paths, ids } }: CallOf<typeof userConfig.ofUsers>) {
    return this.database.read(principal, async (db) => {
      const values: Record<string, Record<string, unknown>> = {};
      for (const path of paths) {
        const setting = CONFIG_SETTINGS.find((each) => each.path === path && each.change && each.place);
        const stored = setting && (await this.trees.findValues(db, ids, DEFAULT_JSLOB_SERVICE, setting.place!));
        values[path] = stored
          ? Object.fromEntries(ids.map((id) => [id, stored.get(id) ?? setting.initial ?? null]))
          : {};
      }
      return values;
    });
  }
}
