import { Injectable } from '@nestjs/common';
import { folderIdOf, type CallOf, type FolderOwner, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { FolderModuleRules } from '../folder-module';
import { FolderWriter } from '../persistence/folder-writer.repository';
import { requireModuleUser } from './folder-user';

/** `reserve`: the id of a folder that is still to be made. */
@Injectable()
export class ReserveFolder implements Handler<FolderOwner['reserve']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly writer: FolderWriter,
    private readonly rules: FolderModuleRules,
    private readonly clock: Clock,
  ) {}

  async handle({ principal }: CallOf<FolderOwner['reserve']>): Promise<number> {
    const user = requireModuleUser(principal, this.rules.module);
    const { number } = await this.database.transact(user, (tx) => this.writer.nextStamp(tx, this.clock.now(), 1));
    return folderIdOf(this.rules.module, number);
  }
}
