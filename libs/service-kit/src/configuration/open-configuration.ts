import { allProperties } from '@groupware/contracts';
import { BadSettings } from '../config/setting';
import { Logger } from '../log/logger';
import { ConfigurationFiles } from './configuration-files';
import { readConfiguration, type ConfigurationSources } from './configuration-sources';
import { ServerValues, listInvalidValues } from './server-values';

const log = Logger.for('process.configuration');

/** The server's part of the cascade and what keeps it up to date. */
export interface Configuration {
  readonly values: ServerValues;
  readonly files: ConfigurationFiles;
}

/** Reads the server's values and follows their files. @throws BadSettings when the first reading finds problems */
export function openConfiguration(sources: ConfigurationSources, pollMs: number): Configuration {
  const read = () => readConfiguration(sources, declaredKeys);
  const declaredKeys = allProperties().map(({ key }) => key);
  let current = read();
  const problems = [...current.problems, ...listInvalidValues(current.values)];
  if (problems.length > 0) throw new BadSettings(problems);
  const values = new ServerValues(current.values);
  const files = new ConfigurationFiles(pollMs, (name, found) => {
    if (found.length > 0) log.error({ configuration: name, problems: found }, 'changed files are not usable');
    else log.info({ configuration: name }, 'configuration read again');
  });
  files.watch({
    name: 'server',
    files: () => current.files,
    read: () => {
      const next = read();
      const wrong = [...next.problems, ...listInvalidValues(next.values)];
      if (wrong.length > 0) return wrong;
      current = next;
      values.replaceValues(next.values);
      return [];
    },
  });
  return { values, files };
}
