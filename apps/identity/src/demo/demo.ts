import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import {
  isCatalogueError,
  DEMO,
  demoContext,
  demoPerson,
  demoResource,
  ProvisioningErrors,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';
import { Passwords } from '../domain/passwords';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';
import { SYSTEM } from '../domain/actor';
import { ContextEditor } from '../provisioning/context-editor';
import { GroupEditor } from '../provisioning/group-editor';
import { Readiness } from '../provisioning/readiness';
import { ResourceEditor } from '../provisioning/resource-editor';
import { UserEditor } from '../provisioning/user-editor';

/** File in the data folder that holds the logins of the demonstration. */
export const DEMO_FILE = 'demo.json';

const PRIVATE_FILE = 0o600;

/** Content of the demonstration file. */
export interface DemoFile {
  readonly contextId: number;
  readonly admin: { readonly login: string; readonly password: string };
  readonly users: readonly { readonly login: string; readonly password: string; readonly userId: number }[];
}

/** Creates the demonstration context once and keeps its login file up to date. */
@Injectable()
export class Demo {
  private readonly log = Logger.for('identity.demo');

  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly passwords: Passwords,
    private readonly contextEditor: ContextEditor,
    private readonly userEditor: UserEditor,
    private readonly groupEditor: GroupEditor,
    private readonly resourceEditor: ResourceEditor,
    private readonly readiness: Readiness,
  ) {}

  /** Creates the context unless it exists, and writes its logins unless the file is current. */
  async ensureDemo(file: string): Promise<DemoFile> {
    const known = await readDemoFile(file);
    const exists = await this.database.read({ contextId: DEMO.contextId }, (db) => this.contexts.findCurrent(db));
    if (exists && known) return known;
    // One password for all: the file that holds it is the secret.
    const password = known?.admin.password ?? randomBytes(9).toString('base64url');
    if (exists) await this.resetPasswords(password);
    else await this.createContext(password);
    await this.readiness.completeContext(DEMO.contextId);
    const written = await this.describeLogins(password);
    await writeDemoFile(file, written);
    this.log.info({ contextId: DEMO.contextId, file }, 'demonstration context is ready');
    return written;
  }

  private async createContext(password: string): Promise<void> {
    const hash = await this.passwords.hash(password);
    const order = demoContext(password);
    try {
      // One transaction: a process that dies in the middle leaves nothing half made.
      await this.contextEditor.createContext(order, SYSTEM, async (tx, work) => {
        const context = await work();
        const ids = new Map<string, number>();
        for (const person of DEMO.people)
          ids.set(person.name, (await this.userEditor.createUser(tx, context, demoPerson(person), hash, SYSTEM)).id);
        for (const { name, displayName, members } of DEMO.groups) {
          const memberIds = members.map((member) => ids.get(member)!);
          await this.groupEditor.createGroup(tx, { name, displayName, members: memberIds }, SYSTEM);
        }
        for (const resource of DEMO.resources)
          await this.resourceEditor.createResource(tx, demoResource(resource), SYSTEM);
      });
    } catch (error) {
      // Another process created it concurrently.
      if (!isCatalogueError(error, ProvisioningErrors.contextExists)) throw error;
      await this.resetPasswords(password);
    }
  }

  private async resetPasswords(password: string): Promise<void> {
    const hash = await this.passwords.hash(password);
    await this.database.transact({ contextId: DEMO.contextId }, async (tx) => {
      for (const name of [DEMO.admin, ...DEMO.people.map((person) => person.name)]) {
        const user = await this.users.findByName(tx, name);
        if (user) await this.userEditor.setPassword(tx, user.id, hash, false, SYSTEM);
      }
    });
  }

  private async describeLogins(password: string): Promise<DemoFile> {
    const users = await this.database.read({ contextId: DEMO.contextId }, async (db) =>
      Promise.all(DEMO.people.map(({ name }) => this.users.findByName(db, name))),
    );
    return {
      contextId: DEMO.contextId,
      admin: { login: `${DEMO.admin}@${DEMO.name}`, password },
      users: users.flatMap((user) => (user ? [{ login: `${user.name}@${DEMO.name}`, password, userId: user.id }] : [])),
    };
  }
}

async function readDemoFile(file: string): Promise<DemoFile | undefined> {
  try {
    const content = JSON.parse(await readFile(file, 'utf8')) as DemoFile;
    return content.admin?.password ? content : undefined;
  } catch {
    return undefined;
  }
}

async function writeDemoFile(file: string, content: DemoFile): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(content, undefined, 2)}\n`, { mode: PRIVATE_FILE });
  await rename(temporary, file);
}
