import { Inject, Injectable } from '@nestjs/common';
import { TaskErrors, type ExportedTime, type FileReply, type UserPrincipal } from '@groupware/contracts';
import { FILES, toFileName, writeTextFile, type FileStore } from '@groupware/file-store';
import { type CalendarTodo, writeTodos } from '@groupware/icalendar';
import type { Reader } from '@groupware/persistence';
import { ObjectReminderRepository, type AccessedFolder } from '@groupware/folders';
import { FolderAccess, isReadable, requireReadable } from '../folders/folder-access';
import { TaskRepository } from '../persistence/task.repository';
import { TasksConfig } from '../tasks.config';
import { toTodo } from './to-todo';

/** Identifies the product in files. */
const PRODUCT = '-//Groupware//Tasks//EN';
const PAGE = 500;

/** A task in a folder. */
export interface TaskReference {
  readonly id: number;
  readonly folderId: number;
}

/** Writes tasks into files of the file store. */
@Injectable()
export class TaskExport {
  constructor(
    private readonly access: FolderAccess,
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
    return this.writeFile(this.streamFolder(db, user, folder, time), folder.title);
  }

  /** Writes some tasks that a user may read into a file that goes once it was sent. @throws TSK-0059, TSK-0023, TSK-0046, TSK-0019 */
  writeTasks(db: Reader, user: UserPrincipal, references: readonly TaskReference[]): Promise<FileReply> {
    return this.writeFile(this.streamTasks(db, user, references), 'tasks');
  }

  private writeFile(todos: AsyncIterable<CalendarTodo>, title: string): Promise<FileReply> {
    const texts = writeTodos(todos, { prodId: PRODUCT, calendarName: title });
    return writeTextFile(this.files, texts, {
      name: `${toFileName(title)}.ics`,
      contentType: 'text/calendar; charset=UTF-8',
      maxBytes: this.config.exportMaxBytes,
    });
  }

  private async *streamTasks(
    db: Reader,
    user: UserPrincipal,
    references: readonly TaskReference[],
  ): AsyncGenerator<CalendarTodo> {
    for (let start = 0; start < references.length; start += PAGE) {
      const page = references.slice(start, start + PAGE);
      const ids = page.map(({ id }) => id);
      const folders = await this.access.findFolders(
        db,
        user,
        page.map(({ folderId }) => folderId),
      );
      const tasks = new Map((await this.tasks.listByIds(db, ids)).map((task) => [task.id, task]));
      const alarms = await this.reminders.mapAlarms(db, user.userId, ids);
      for (const { id, folderId } of page) {
        const folder = folders.get(folderId);
        if (!folder) throw TaskErrors.folderNotVisible(folderId);
        const task = tasks.get(id);
        if (!task) throw TaskErrors.notFound(id, user.contextId);
        requireReadable(task, folder, user);
        yield toTodo(task, alarms.get(id) ?? null);
      }
    }
  }

  private async *streamFolder(
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
