import { Inject, Injectable } from '@nestjs/common';
import type { ExportedTime, FileReply, UserPrincipal } from '@groupware/contracts';
import { FILES, toFileName, writeTextFile, type FileStore } from '@groupware/file-store';
import { type CalendarTodo, writeTodos } from '@groupware/icalendar';
import type { Reader } from '@groupware/persistence';
import { ObjectReminderRepository, type AccessedFolder } from '@groupware/folders';
import { isReadable } from '../folders/folder-access';
import { TaskRepository } from '../persistence/task.repository';
import { TasksConfig } from '../tasks.config';
import { toTodo } from './to-todo';

/** Identifies the product in files. */
const PRODUCT = '-//Groupware//Tasks//EN';
const PAGE = 500;

/** Writes folders of tasks into files of the file store. */
@Injectable()
export class TaskExport {
  constructor(
    private readonly tasks: TaskRepository,
    private readonly reminders: ObjectReminderRepository,
    private readonly config: TasksConfig,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  /** Writes what a user may read in a folder, with dates that touch a time or without any, page by page, into a file that goes once it was sent. */
  async writeFolder(
    db: Reader,
    user: UserPrincipal,
    folder: AccessedFolder,
    time: ExportedTime = {},
  ): Promise<FileReply> {
    const texts = writeTodos(this.streamTodos(db, user, folder, time), { prodId: PRODUCT, calendarName: folder.title });
    return writeTextFile(this.files, texts, {
      name: `${toFileName(folder.title)}.ics`,
      contentType: 'text/calendar; charset=UTF-8',
      maxBytes: this.config.exportMaxBytes,
    });
  }

  private async *streamTodos(
    db: Reader,
    user: UserPrincipal,
    folder: AccessedFolder,
    { from = -Infinity, until = Infinity }: ExportedTime,
  ): AsyncGenerator<CalendarTodo> {
    for (let after = 0; ;) {
      const page = await this.tasks.listByFolder(db, folder.id, after, PAGE);
      const alarms = await this.reminders.mapAlarms(
        db,
        user.userId,
        page.map(({ id }) => id),
      );
      const wanted = page.filter(
        ({ startMs, endMs }) => (startMs ?? endMs ?? -Infinity) < until && (endMs ?? startMs ?? Infinity) > from,
      );
      for (const task of wanted) if (isReadable(task, folder, user)) yield toTodo(task, alarms.get(task.id) ?? null);
      if (page.length < PAGE) return;
      after = page.at(-1)!.id;
    }
  }
}
