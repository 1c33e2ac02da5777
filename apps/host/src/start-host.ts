import { runServices, type RunningServices, type ServiceDefinition } from '@groupware/service-kit';
import { modules, type ModuleName } from './modules';

type Environment = Readonly<Record<string, string | undefined>>;

/** Names of the modules an environment asks for; default: all. */
export function moduleNamesOf(environment: Environment): string[] {
  const wanted = (environment.GROUPWARE_MODULES ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return wanted.length > 0 ? [...new Set(wanted)] : Object.keys(modules);
}

/** Loads modules; only what is asked for is imported. */
export async function loadModules(names: readonly string[]): Promise<ServiceDefinition[]> {
  const unknown = names.filter((name) => !(name in modules));
  if (unknown.length > 0)
    throw new Error(
      `GROUPWARE_MODULES names unknown modules: ${unknown.join(', ')}. Known: ${Object.keys(modules).join(', ')}`,
    );
  return Promise.all(names.map(async (name) => (await modules[name as ModuleName]()).service));
}

/** Starts the modules of an environment in this process. */
export async function startHost(environment: Environment): Promise<RunningServices> {
  return runServices(await loadModules(moduleNamesOf(environment)), environment);
}
