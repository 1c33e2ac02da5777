import { allEvents, operations } from '@groupware/contracts';
import { busPermissions, clientOf } from '@groupware/messaging';
import { loadModules } from './start-host';

/** Which module a process hosts, as its value of GROUPWARE_MODULES says: `calendar` or `calendar,folders`. */
export type ModuleGroup = string;

/**
 * The users of a NATS server as a block of its configuration file: one for each group of modules that share processes, with the
 * subjects that these modules need and no others. Passwords are variables of the server's environment
 * (`NATS_PASSWORD_CALENDAR_FOLDERS`), so that the text holds no secret.
 * @param groups values of GROUPWARE_MODULES
 * @throws for names of modules that do not exist
 */
export async function busUsers(groups: readonly ModuleGroup[], prefix = 'gw'): Promise<string> {
  const users = [];
  for (const group of groups) {
    const services = await loadModules(group.split(','));
    const user = clientOf(services.map(({ name }) => name));
    const { publish, subscribe } = busPermissions(services, operations, allEvents(), prefix);
    const lines = (subjects: readonly string[]) =>
      subjects.map((subject) => `        ${JSON.stringify(subject)}\n`).join('');
    users.push(
      `  {\n    user: ${JSON.stringify(user)}\n` +
        `    password: $NATS_PASSWORD_${user.toUpperCase().replace(/[^A-Z0-9]/g, '_')}\n` +
        `    permissions: {\n      publish: [\n${lines(publish)}      ]\n` +
        `      subscribe: [\n${lines(subscribe)}      ]\n    }\n  }\n`,
    );
  }
  return `authorization: { users: [\n${users.join('')}] }\n`;
}
