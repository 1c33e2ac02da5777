import { reply, tasks, type CallOf, type Handler, type TaskId } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { TaskEditor } from '../tasks/task-editor';

/** `new`: a task. */
@Handles(tasks.new)
export class NewHandler implements Handler<typeof tasks.new> {
  constructor(private readonly editor: TaskEditor) {}

  async handle({ principal, query, body }: CallOf<typeof tasks.new>) {
    const { id, lastModified } = await this.editor.create(principal, query.timezone, body);
    return reply<TaskId>({ id: String(id) }, { timestamp: lastModified });
  }
}
