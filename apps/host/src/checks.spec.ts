import { FileStoreSettings } from '@groupware/file-store';
import { RedisSettings, type ServiceDefinition } from '@groupware/service-kit';
import { loadModules, modules } from './index';

/** Names of the checks that a service declares. */
const checksOf = ({ checks }: ServiceDefinition): string[] =>
  Object.keys(checks?.({ get: () => ({}) } as never) ?? {}).sort();

describe('the health of a module', () => {
  it.each(Object.keys(modules))('%s: shows whether the servers are there that it uses', async (name) => {
    const [service] = await loadModules([name]);
    const settings = [service!.config ?? []].flat();
    const uses = [
      ...(settings.includes(FileStoreSettings) ? ['filestore'] : []),
      ...(settings.includes(RedisSettings) ? ['redis'] : []),
    ];
    expect(checksOf(service!)).toEqual(uses);
  });
});
