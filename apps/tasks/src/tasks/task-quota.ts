import { Injectable } from '@nestjs/common';
import { MAX_TASKS } from '@groupware/contracts';
import { ObjectQuota } from '@groupware/folders';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { TaskRepository } from '../persistence/task.repository';

/** Limits the tasks of a context. */
@Injectable()
export class TaskQuota extends ObjectQuota {
  protected readonly limit = MAX_TASKS;
  protected readonly module = 'task';

  constructor(
    properties: Properties,
    database: ModuleDatabase,
    private readonly tasks: TaskRepository,
  ) {
    super(properties, database);
  }

  protected countObjects(db: Reader): Promise<number> {
    return this.tasks.countTasks(db);
  }
}
