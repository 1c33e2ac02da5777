import { LOCAL_SITE, runtime, type Handler, type RuntimeState } from '@groupware/contracts';
import { Handles, Properties } from '@groupware/service-kit';
import { GlobalLoggers } from '../../logging/global-loggers';
import { LogTable } from '../../logging/log-table';
import { StackTraces } from '../../logging/stack-traces';
import { SuppressedCategories } from '../../logging/suppressed-categories';
import { SiteState } from '../../site/site-state';

/** State of the installation that every process follows. */
@Handles(runtime.state)
export class StateHandler implements Handler<typeof runtime.state> {
  constructor(
    private readonly global: GlobalLoggers,
    private readonly table: LogTable,
    private readonly stackTraces: StackTraces,
    private readonly categories: SuppressedCategories,
    private readonly site: SiteState,
    private readonly properties: Properties,
  ) {}

  async handle(): Promise<RuntimeState> {
    const [global, contexts, users, sessions, stackTraces, suppressed, isAway] = await Promise.all([
      this.global.listLevels(),
      this.table.listAll('contexts'),
      this.table.listAll('users'),
      this.table.listAll('sessions'),
      this.stackTraces.listUsers(),
      this.categories.listCategories(),
      this.site.isAway(this.properties.serverValue(LOCAL_SITE)),
    ]);
    return { logging: { global, contexts, users, sessions, stackTraces, suppressed }, isAway };
  }
}
