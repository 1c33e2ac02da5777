import { reply, tasks, type CallOf, type Handler, type TaskId } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { TaskEditor } from '../tasks/task-editor';

/** `update`: other content, another folder, the completion of an instance of a series. */
@Handles(tasks.update)
export class UpdateHandler implements Handler<typeof tasks.update> {
  constructor(private readonly editor: TaskEditor) {}

  async handle({ principal, query, body }: CallOf<typeof tasks.update>) {
    const { id, lastModified } = await this.editor.update(principal, query, body);
    return reply<TaskId>({ id: String(id) }, { timestamp: lastModified });
  }
}
