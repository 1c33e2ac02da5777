import { Injectable } from '@nestjs/common';
import { SUPPRESSED_CATEGORIES } from '@groupware/contracts';
import { Logger, Properties } from '@groupware/service-kit';
import { SessionStore, type SharedTable } from '@groupware/sessions';
import { RuntimeChanges } from '../broadcast/runtime-changes';
import { parseCategories } from './domain/log-inputs';

const FIELD = 'suppressed';
const parseNames = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Categories of errors that are logged without stack. */
@Injectable()
export class SuppressedCategories {
  private readonly table: SharedTable;
  private readonly log = Logger.for('admin.logging');

  constructor(
    store: SessionStore,
    private readonly properties: Properties,
    private readonly changes: RuntimeChanges,
  ) {
    this.table = store.sharedTable('logging:categories');
  }

  /** Names, sorted: those that were set, else those of the configuration. */
  async listCategories(): Promise<string[]> {
    const set = await this.table.getText(FIELD);
    return set === undefined ? parseNames(this.properties.serverValue(SUPPRESSED_CATEGORIES)).sort() : parseNames(set);
  }

  /** Replaces the categories from a body. @throws SVL-0031 */
  async setCategories(body: unknown): Promise<string[]> {
    const names = parseCategories(body);
    await this.table.putTexts({ [FIELD]: names.join(',') });
    this.log.info({ names }, 'suppressed categories changed');
    this.changes.broadcastChange();
    return names;
  }
}
