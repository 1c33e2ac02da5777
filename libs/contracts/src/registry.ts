import { operationsOf, type ModuleContract, type Operation } from './kit';
import * as attachmentContracts from './attachments';
import * as appPasswordContracts from './app-passwords';
import * as identityContracts from './identity';
import * as calendarContracts from './calendar';
import * as chronosContracts from './chronos';
import * as foldersContracts from './folders';
import * as multifactorContracts from './multifactor';
import * as loginContracts from './login';
import * as mailAccountContracts from './mail-account';
import * as reminderContracts from './reminder';
import * as freebusyContracts from './freebusy';
import * as adminContracts from './admin';
import * as pushContracts from './push';
import * as shareContracts from './share';
import * as quotaContracts from './quota';
import * as jobsContracts from './jobs';
import * as settingsContracts from './settings';
import * as contactsContracts from './contacts';
import * as outgoingMailContracts from './outgoing-mail';
import * as tasksContracts from './tasks';
import * as mailContracts from './mail';
import * as ssoContracts from './sso';
import * as filesContracts from './files';
import * as findContracts from './find';
import * as mailFilterContracts from './mail-filter';
import { multiple } from './edge/multiple.contract';
import { system } from './system/system.contract';
import { MODULE } from './kit';

function isContract(candidate: unknown): candidate is ModuleContract {
  return typeof candidate === 'object' && candidate !== null && MODULE in candidate;
}

/** Every module contract of the product. A contract exported by its folder's index is found here by itself. */
export const contracts: readonly ModuleContract[] = [
  ...[
    loginContracts,
    appPasswordContracts,
    multifactorContracts,
    identityContracts,
    foldersContracts,
    calendarContracts,
    chronosContracts,
    attachmentContracts,
    reminderContracts,
    mailAccountContracts,
    freebusyContracts,
    adminContracts,
    pushContracts,
    shareContracts,
    quotaContracts,
    settingsContracts,
    contactsContracts,
    jobsContracts,
    outgoingMailContracts,
    tasksContracts,
    mailContracts,
    ssoContracts,
    filesContracts,
    mailFilterContracts,
    findContracts,
  ].flatMap((exports) => (Object.values(exports) as unknown[]).filter(isContract)),
  system,
  multiple,
];

/** Every operation of the product. */
export const operations: readonly Operation[] = contracts.flatMap((contract) => operationsOf(contract));

/** A module that a second name stands for. */
export interface ModuleAlias {
  readonly module: string;
  /** Parameters that calls by this name have, whatever the client says. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Second names of modules. */
export const MODULE_ALIASES: Readonly<Record<string, ModuleAlias>> = {
  files: { module: 'infostore' },
  // Newer clients know folders of contacts by their account.
  addressbooks: { module: 'contacts', parameters: { accountIds: 'true' } },
};

/** Names of modules that module calls may address, also those without an action. */
export const moduleNames: ReadonlySet<string> = new Set(
  contracts
    .filter((contract) => operationsOf(contract).every((operation) => operation.kind === 'action'))
    .map((contract) => contract[MODULE].name),
);
