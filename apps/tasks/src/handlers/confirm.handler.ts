import {
  recordCheck,
  reply,
  RequestErrors,
  TASK_RIGHTS,
  TaskErrors,
  tasks,
  type CallOf,
  type Handler,
  type TaskConfirmed,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PARTICIPANT } from '../domain/task';
import { parseTaskId } from '../domain/task-id';
import { requireCharacters } from '../domain/task-input';
import { TaskRepository } from '../persistence/task.repository';
import { tellAnswer } from '../tasks/task-notices';
import { TaskWriter } from '../tasks/task-writer';

/** `confirm`: the answer of a participant. Neither the folder nor the timestamp matters. */
@Handles(tasks.confirm)
export class ConfirmHandler implements Handler<typeof tasks.confirm> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly tasks: TaskRepository,
    private readonly writer: TaskWriter,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof tasks.confirm>) {
    const named = query.id ?? body.id;
    if (named === undefined) throw RequestErrors.missingParameter('id');
    const id = parseTaskId(named, principal.contextId);
    const { confirmation, confirmmessage } = body;
    requireCharacters('confirmmessage', confirmmessage ?? '');
    const { lastModified } = await this.database.transact(principal, async (tx) => {
      await this.writer.lockContext(tx);
      const [task] = await this.tasks.lockByIds(tx, [id]);
      if (!task) throw TaskErrors.notFound(id, principal.contextId);
      const own = task.participants.find(
        ({ type, entity, removed }) => type === PARTICIPANT.user && entity === principal.userId && !removed,
      );
      recordCheck(TASK_RIGHTS.confirm);
      if (!own) throw TaskErrors.participantNotFound(principal.userId, id);
      const message = confirmmessage === undefined ? own.message : confirmmessage || null;
      const answer = { ...own, confirm: confirmation, message };
      const participants = task.participants.map((each) => (each === own ? answer : each));
      const changed = { before: task, after: { ...task, participants } };
      const after = await this.writer.update(tx, principal.userId, changed);
      if (answer.confirm !== own.confirm || answer.message !== own.message) await tellAnswer(tx, after, answer);
      return after;
    });
    return reply<TaskConfirmed>({}, { timestamp: lastModified });
  }
}
