import { tasksQuota, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { TaskQuota } from '../tasks/task-quota';

/** `usage`: the tasks of the context. */
@Handles(tasksQuota.usage)
export class UsageHandler implements Handler<typeof tasksQuota.usage> {
  constructor(private readonly quota: TaskQuota) {}

  handle({ principal }: CallOf<typeof tasksQuota.usage>) {
    return this.quota.getUsage(principal);
  }
}
